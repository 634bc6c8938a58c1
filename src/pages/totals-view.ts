// The view model of what is paid: the goods, and the total with each delivery method that can be chosen. The style sheet
// shows that of the chosen one, so that it is right without a script.
import type { DeliveryMethod } from '../merchant/merchant.ts'
import type { LocalText, Translator } from '../messages/translator.ts'

/** Amounts are in minor units, and as text for people. */
export type TotalsView = { subtotal: number; subtotalText: string; choices: ChoiceView[] }

/** What is paid with one delivery method, or, if the merchant has none, without any. */
export type ChoiceView = {
  /** The id of its radio button; absent if there is nothing to choose. */
  key?: string
  /** The method's id, label and price; absent without a method. */
  id?: string
  label?: LocalText
  price?: string
  /** How long it takes. */
  days?: string
  total: number
  totalText: string
  /** Before prices changed, if they were others: the method's price and the total. */
  priceBefore?: string
  totalBefore?: string
  isChosen: boolean
}

/** What the goods and each delivery method cost before prices changed, in minor units. */
export type PaidBefore = { subtotal: number; deliveries: number[] }

/** @param chosen the id of the method chosen, one of `methods`, if there are any */
export function totalsView(
  subtotal: number,
  methods: DeliveryMethod[],
  chosen: string | undefined,
  currency: string,
  translator: Translator,
  before?: PaidBefore
): TotalsView {
  const money = (minor: number) => translator.money(minor, currency)
  const charge = (price: number) => (price === 0 ? translator.say('free') : money(price))
  const totals = (price: number, priceBefore: number) => {
    const total = subtotal + price
    const totalBefore = before && before.subtotal + priceBefore
    const isOther = totalBefore !== undefined && totalBefore !== total
    return { total, totalText: money(total), ...(isOther && { totalBefore: money(totalBefore) }) }
  }
  const choices = methods.map(({ id, label, price, days }, i) => {
    const priceBefore = before?.deliveries[i] ?? price
    return {
      ...(methods.length > 1 && { key: choiceKey(i) }),
      id,
      label: translator.read(label),
      price: charge(price),
      ...(days && { days: daysText(days, translator) }),
      ...(priceBefore !== price && { priceBefore: charge(priceBefore) }),
      ...totals(price, priceBefore),
      isChosen: id === chosen
    }
  })
  const withoutDelivery = { ...totals(0, 0), isChosen: true }
  return { subtotal, subtotalText: money(subtotal), choices: choices.length > 0 ? choices : [withoutDelivery] }
}

/** The rules that show the total of the chosen method, for up to `count` methods. */
export function choiceSheet(count: number): string {
  const keys = Array.from({ length: count > 1 ? count : 0 }, (_, i) => choiceKey(i))
  const rules = keys.map(key => `:has(#${key}:checked) .${key}`)
  return rules.length > 0 ? `${rules.join()}{display:flex}` : ''
}

function choiceKey(i: number): string {
  return `m${i}`
}

/** `3 to 5 working days`, or `Same day`. @param days at least and at most */
export function daysText([from, to]: [number, number], { say, sayCount, number }: Translator): string {
  if (to === 0) return say('same-day')
  const most = sayCount('working-days', to)
  return from === to ? most : say('from-to', { from: number(from), to: most })
}
