// The view models of a bag: its lines, and the total with each delivery method.
import type { EnteredField } from '../errors.ts'
import { type DescribedProduct, productText } from '../merchant/catalogue/product.ts'
import { type DeliveryMethod, isHttps, type Merchant } from '../merchant/merchant.ts'
import type { Translator } from '../messages/translator.ts'

/** An amount that no longer counts, behind its label: the line's total before the sale, or before prices changed. */
type StruckAmount = { label: string; price: string; saved?: string }

/** What a tall phone shows without scrolling. */
const NEAR_LINES = 6

/** A line of a cart or an order, as templates get it. */
export type LineView = {
  sku: string
  quantity: number
  /** `Qty 2`; absent if it could not be read. */
  count: string | undefined
  title: string | undefined
  /** The `lang` of title and variant, if it is not the page's. */
  otherLang: string | undefined
  variant: string | undefined
  image: string | undefined
  /** Shown in place of a picture: the first letter of the title. */
  letter: string | undefined
  /** Probably below the first screen of a phone: its picture can wait. */
  isFar: boolean
  /** The price per unit, if there are several: `£12.50 each`. */
  each: string | undefined
  lineTotal: string | undefined
  struck: StruckAmount[]
  notes: string[]
  /** For a price that is not the one the shopper saw before. */
  warnings: string[]
  problem: string | undefined
  /** Whether the cart was refused. Programs must not count its lines: they have no `data-sku` and `data-quantity`. */
  isUncounted: boolean
}

export type LineContext = { merchant: Merchant | undefined; translator: Translator; currency?: string }

/** @param line with prices, in minor units, if it can be sold */
export function lineView(
  line: { sku: string; quantity: number; unitPrice?: number; lineTotal?: number },
  i: number,
  product: (DescribedProduct & { image?: string | undefined }) | undefined,
  { merchant, translator, currency = '' }: LineContext
): LineView {
  const { sku, quantity, unitPrice, lineTotal } = line
  const { translateCount, translatePrice, money, language, otherLang } = translator
  const text = product && productText(product, language)
  const image = imageAddress(product?.image, merchant)
  const isEach = unitPrice !== undefined && quantity > 1
  return {
    sku,
    quantity,
    count: translateCount('quantity', quantity),
    title: text && breakAroundKatakana(text.title),
    otherLang: text === product ? (product?.language ?? otherLang) : undefined,
    variant: text?.variant,
    image,
    letter: image === undefined ? (/[\p{L}\p{N}]/u.exec(text?.title ?? sku)?.[0] ?? '') : undefined,
    isFar: i >= NEAR_LINES,
    each: isEach ? translatePrice('price-each', money(unitPrice, currency)) : undefined,
    lineTotal: lineTotal === undefined ? undefined : money(lineTotal, currency),
    struck: [],
    notes: [],
    warnings: [],
    problem: undefined,
    isUncounted: false
  }
}

/** A quick test, as hardly any title needs `breakAroundKatakana`, which takes much longer. */
const MAY_HAVE_KATAKANA = /[\u3000-\uffff]/

/** Without spaces, a browser breaks a long Japanese title anywhere: a break before or after a katakana word is better. */
function breakAroundKatakana(title: string): string {
  if (!MAY_HAVE_KATAKANA.test(title)) return title
  return title.replace(/(?<=[\p{sc=Han}\p{sc=Hira}])(?=\p{sc=Kana})|(?<=[\p{sc=Kana}ー])(?=\p{sc=Han})/gu, '\u200b')
}

/** How many names stand for several lines, and how much of each for a folded bag, in characters. */
const MAX_NAMES = 2
const MAX_NAME = 32
const LONG_NAME = new RegExp(`^(.{${MAX_NAME}}\\p{M}*)\\P{M}.*$`, 'su')

/** `Jacke, M · Latzhose · +8` */
export function firstNames(lines: LineView[], translator: Translator, shorten?: (name: string) => string): string {
  const names = lines.slice(0, MAX_NAMES).map(({ title, variant }) => {
    const name = variant === undefined ? String(title) : `${title}, ${variant}`
    return shorten ? shorten(name) : name
  })
  if (lines.length > MAX_NAMES) names.push(moreOf(lines, MAX_NAMES, translator))
  return names.join(' · ')
}

export function shortName(name: string): string {
  return name.length > MAX_NAME ? name.replace(LONG_NAME, '$1…') : name
}

/** `+8`, also where text runs from right to left, by a left-to-right mark. */
export function moreOf({ length }: LineView[], shown: number, { direction }: Translator): string {
  return `${direction === 'rtl' ? '\u200e' : ''}+${length - shown}`
}

/** What was entered, for the shopper to copy. */
export function enteredView(entered: EnteredField[], { label: labelOf }: Translator) {
  return entered.map(({ label, value }) => ({ label: labelOf(label), value }))
}

export function picturesOf(lines: LineView[]): string[] {
  return lines.map(({ image }) => image).filter(image => image !== undefined)
}

/** An http picture would be blocked on an https page; the placeholder is shown instead. */
function imageAddress(image: string | undefined, merchant: Merchant | undefined): string | undefined {
  if (image === undefined || !merchant || (isHttps(merchant) && image.startsWith('http:'))) return undefined
  return image.startsWith('/') ? merchant.path + image : image
}

/** Before prices changed, in minor units. */
export type PaidBefore = { subtotal: number; deliveries: number[] }

/** Amounts are in minor units, and as text for people. Without delivery methods there is one choice, without a method. */
export function totalsView(
  subtotal: number,
  methods: DeliveryMethod[],
  chosen: string | undefined,
  currency: string,
  translator: Translator,
  before?: PaidBefore,
  timeOf = (days: Days) => daysText(days, translator)
) {
  const money = (minor: number) => translator.money(minor, currency)
  const charge = (price: number) => (price === 0 ? translator.translate('free') : money(price))
  const choices = (methods.length > 0 ? methods : [undefined]).map((method, i) => {
    const price = method?.price ?? 0
    const priceBefore = before?.deliveries[i] ?? price
    const total = subtotal + price
    const totalBefore = before && before.subtotal + priceBefore
    return {
      /** The id of its radio button; absent if there is nothing to choose. */
      ...(methods.length > 1 && { key: choiceKey(i) }),
      ...(method && { id: method.id, label: translator.read(method.label), price: charge(price) }),
      ...(method?.days && { days: timeOf(method.days) }),
      total,
      totalText: money(total),
      /** Before prices changed, if it was different. */
      ...(priceBefore !== price && { priceBefore: charge(priceBefore) }),
      ...(totalBefore !== undefined && totalBefore !== total && { totalBefore: money(totalBefore) }),
      isChosen: method?.id === chosen
    }
  })
  return { subtotal, subtotalText: money(subtotal), choices }
}

/** CSS rules that show the total of the chosen method without a script, for up to `count` methods. */
export function choiceSheet(count: number): string {
  const keys = Array.from({ length: count > 1 ? count : 0 }, (_, i) => choiceKey(i))
  const rules = keys.map(key => `:has(#${key}:checked) .${key}`)
  return rules.length > 0 ? `${rules.join()}{display:flex}` : ''
}

const choiceKey = (i: number) => `m${i}`

/** Working days, at least and at most. */
type Days = [number, number]

/** The methods without delivery times, as nobody knows those of what ships later. */
export function untimed(methods: DeliveryMethod[]): DeliveryMethod[] {
  return methods.map(({ days, ...method }) => method)
}

/** When an order arrives, if the merchant shows dates, else how long it takes. */
export function timeText(days: Days, orderedAt: Date, merchant: Merchant, translator: Translator): string {
  if (!merchant.arrivalDates) return daysText(days, translator)
  return translator.dates(merchant.arrivalDates(orderedAt, days))
}

/** `3 to 5 working days`, or `Same day`. */
export function daysText([from, to]: Days, { translate, translateCount, number }: Translator): string {
  if (to === 0) return translate('same-day')
  const most = translateCount('working-days', to)
  return from === to ? most : translate('from-to', { from: number(from), to: most })
}
