// The translator of one locale: messages, with their values filled in, and money, numbers and countries as people write
// them there.
import { IntlMessageFormat } from 'intl-messageformat'
import { digitsOf } from '../money.ts'
import { isMessageName, type Language, languageOf, languages, type MessageName, pageLang } from './messages.ts'

export type MessageOverrides = Partial<Record<Language, Partial<Record<MessageName, string>>>>

/** A merchant's own text: one for all languages, or one for each. */
export type Text = string | Partial<Record<Language, string>>

/** A text as a page shows it, with its `lang` if that is not the page's (WCAG 2.2, 3.1.2). */
export type LocalText = { text: string; lang: string | undefined }

type ListType = 'conjunction' | 'disjunction'

type MessageValues = Record<string, string | number>

export type Translator = ReturnType<typeof createTranslator>

/** How many numbers, sentences with a count, and whole amounts of a currency are cached. */
const MAX_NUMBERS = 2000

/** Stands for an amount in a message that is read; no message has it. */
const PRICE = '\uffff'

/**
 * @param merchantLocale that of what the merchant has in one language only
 * @param isFromApp whether the shopper comes from the merchant's app; for others, messages that name it have another text
 */
export function createTranslator(
  locale: string,
  overrides: MessageOverrides = {},
  merchantLocale = locale,
  currencyDisplay?: CurrencyDisplay,
  isFromApp = true
) {
  const language = languageOf(locale)
  const lang = pageLang(locale)
  const { direction } = new Intl.Locale(language).getTextInfo() as { direction: 'ltr' | 'rtl' }
  const { region } = new Intl.Locale(locale)
  const { language: merchantLang } = new Intl.Locale(merchantLocale)
  const otherLang = new Intl.Locale(lang).language === merchantLang ? undefined : merchantLang
  // Made when first needed, as each takes tens of kilobytes, and few of a shop's languages are in use.
  const numbersOf = memoize((tag: string) => new Intl.NumberFormat(tag))
  const datesOf = memoize((tag: string) => {
    const day = { weekday: 'short', day: 'numeric', month: 'short' } as const
    return new Intl.DateTimeFormat(tag, { ...day, calendar: 'gregory', timeZone: 'UTC' })
  })
  const listsOf = memoize((type: ListType) => new Intl.ListFormat(lang, { type }))
  const countriesOf = memoize((tag: string) => new Intl.DisplayNames(tag, { type: 'region' }))

  const formatOf = memoize((given: MessageName) => {
    const other = `${given}-without-app`
    const name = !isFromApp && isMessageName(other) ? other : given
    const pattern = overrides[language]?.[name] ?? languages[language][name]
    // A template, which is not typed, may ask for any name.
    if (pattern === undefined) throw new RangeError(`there is no message "${name}"`)
    // Most messages have nothing to fill in, and a parser would take longer than all else that titles need at start.
    return /[{}']/.test(pattern) ? parseMessage(pattern, lang) : { format: () => pattern }
  })
  const moneyOf = memoize((currency: string) => moneyFormat(currency, locale, currencyDisplay))
  const write = (name: MessageName, values: MessageValues) => String(formatOf(name).format(values))
  const format = (name: MessageName, values: MessageValues) =>
    write(name, direction === 'rtl' ? isolated(values) : values)
  const constant = memoize((name: MessageName) => format(name, {}))
  const counted = memoize((name: MessageName) => memoize((count: number) => format(name, { count }), MAX_NUMBERS))
  // An amount of money isolates the letters of its currency, if there are any, and runs with the sentence.
  const aroundPrice = memoize((name: MessageName) => write(name, { price: PRICE }).split(PRICE))
  const label = memoize((name: MessageName) => capitalise(constant(name), locale))
  return {
    locale,
    language,
    /** That of the locale; undefined if it names none. */
    region,
    /** The `lang` of the page: the locale, or the fallback language if there are no messages in the locale's own. */
    lang,
    direction,
    isFromApp,
    /** The `lang` of what the merchant has in one language only, such as titles; undefined if that is the page's. */
    otherLang,
    /** @throws RangeError if there is no message of this name */
    translate: (name: MessageName, values?: MessageValues) => (values ? format(name, values) : constant(name)),
    /** For a message with a `count` and nothing else. */
    translateCount: (name: MessageName, count: number) => counted(name)(count),
    /** For a message with a `price`, as `money` writes it, and nothing else. */
    translatePrice: (name: MessageName, price: string) => aroundPrice(name).join(price),
    /** A merchant's own text in this language, or the only one there is. */
    read: (text: Text): LocalText => {
      if (typeof text === 'string') return { text, lang: otherLang }
      const found = language in text ? language : (Object.keys(text)[0] as Language)
      return { text: textIn(text, found), lang: found === language ? undefined : found }
    },
    money: (minor: number, currency: string) => moneyOf(currency)(minor),
    /** `Thu 26 Nov – Mon 30 Nov`, or one day. @param days `2026-11-26/2026-11-30` */
    dates: memoize((days: string) => {
      const [from, to] = days.split('/').map(day => new Date(day)) as [Date, Date]
      const format = datesOf(lang)
      const isOneYear = from.getUTCFullYear() === to.getUTCFullYear()
      const isJapanese = language === 'ja'
      // Intl adds the years if there are two, and makes a Japanese 12月1日 12/01, but only between two days.
      if (isOneYear && !isJapanese) return format.formatRange(from, to).replaceAll('\u2009', ' ')
      const ends = new Set([from, to].map(day => format.format(day)))
      return [...ends].join(isJapanese ? '～' : ' – ')
    }, MAX_NUMBERS),
    number: memoize((value: number) => numbersOf(locale).format(value), MAX_NUMBERS),
    /** `Harbour, Kissa and Werft`, or with `or`. */
    list: (texts: string[], type: ListType) => listsOf(type).format(texts),
    country: memoize((code: string) => String(countriesOf(lang).of(code))),
    label,
    /** Of a field that may be left empty. The label is in the language of the page, so nothing has to isolate it. */
    optionalLabel: memoize((name: MessageName) => write('optional', { label: label(name) }))
  }
}

export function capitalise(text: string, locale: string): string {
  const [first = ''] = text
  return first.toLocaleUpperCase(locale) + text.slice(first.length)
}

export function textIn(text: Text, language: Language): string {
  return typeof text === 'string' ? text : String(text[language])
}

/** @throws SyntaxError if it is not an ICU message */
export function parseMessage(pattern: string, locale: string): IntlMessageFormat {
  // Anything like a tag is text: templates escape it.
  return new IntlMessageFormat(pattern, locale, undefined, { ignoreTag: true })
}

/** Values that run in another direction must not reorder the sentence around them (UAX 9: FSI and PDI). */
function isolated(values: MessageValues): MessageValues {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const isOther = typeof value === 'string' && /(?!\p{sc=Arab})\p{L}/u.test(value)
      return [name, isOther ? `\u2068${value}\u2069` : value]
    })
  )
}

/** How the currency is written: `symbol` tells currencies apart (`UK£`), `narrowSymbol` is shorter (`£`). */
export type CurrencyDisplay = 'symbol' | 'narrowSymbol'

/** What Intl puts before an amount in a right-to-left script. */
const RIGHT_TO_LEFT_MARK = '\u200f'

/**
 * A function that formats minor units, 0 or more, of one currency for people of one locale: 14799 is `$147.99`. Intl takes a
 * microsecond or more, so it formats thousands, each once, and what follows them is put in their place.
 */
export function moneyFormat(
  currency: string,
  locale: string,
  currencyDisplay: CurrencyDisplay = 'symbol'
): (minor: number) => string {
  const digits = digitsOf(currency)
  const units = 10 ** digits
  const ordinary = symbolIn(locale, currency, 'symbol')
  // A symbol in the script of the locale (ج.م.) is known better than a short one (£).
  const isShort = currencyDisplay === 'narrowSymbol' && !/[^\p{sc=Latn}\P{L}]/u.test(ordinary)
  const format = new Intl.NumberFormat(locale, {
    style: 'currency',
    currency,
    currencyDisplay: isShort ? 'narrowSymbol' : 'symbol',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits
  })
  // Intl has no short symbols for some languages: it is UK£ in Arabic, where £ is understood.
  const english = symbolIn('en', currency, 'narrowSymbol')
  const fractionFormat = new Intl.NumberFormat(locale, { minimumIntegerDigits: digits || 1, useGrouping: false })
  // In a right-to-left script, a symbol with letters in it (UK£) would move what follows to its other side unless
  // isolated. The mark itself is redundant on a page that runs right to left.
  const isolates = format.format(0).includes(RIGHT_TO_LEFT_MARK)
  const shown = ({ type, value }: Intl.NumberFormatPart) => {
    if (type !== 'currency') return value.replace(RIGHT_TO_LEFT_MARK, '')
    const symbol = isShort && value.includes(english) ? english : value
    return isolates && /\p{L}/u.test(symbol) ? `\u2066${symbol}\u2069` : symbol
  }
  // In every language, the last three digits of a whole number stand together.
  const thousandFormat = new Intl.NumberFormat(locale, { minimumIntegerDigits: 3, useGrouping: false })
  const lastDigitsOf = memoizeSmall(rest => thousandFormat.format(rest))
  /** @param whole thousands, whose last three digits are left out, or less than one thousand */
  const wholeOf = memoize((whole: number) => {
    const parts = format.formatToParts(whole)
    const textOf = (some: Intl.NumberFormatPart[]) => some.map(shown).join('')
    const pointAt = parts.findLastIndex(({ type }) => type === 'integer') + 1
    const end = digits === 0 ? pointAt : parts.findIndex(({ type }) => type === 'fraction')
    const number = textOf(parts.slice(0, pointAt))
    return {
      before: whole < 1000 ? number : number.slice(0, -lastDigitsOf(0).length),
      point: textOf(parts.slice(pointAt, end)),
      after: textOf(parts.slice(digits === 0 ? end : end + 1))
    }
  }, MAX_NUMBERS)
  const fractionOf = memoizeSmall(rest => (digits === 0 ? '' : fractionFormat.format(rest)))
  return minor => {
    const fraction = minor % units
    const whole = (minor - fraction) / units
    const rest = whole % 1000
    const { before, point, after } = wholeOf(whole < 1000 ? whole : whole - rest)
    return before + (whole < 1000 ? '' : lastDigitsOf(rest)) + point + fractionOf(fraction) + after
  }
}

function symbolIn(locale: string, currency: string, currencyDisplay: CurrencyDisplay): string {
  const parts = new Intl.NumberFormat(locale, { style: 'currency', currency, currencyDisplay }).formatToParts(0)
  return String(parts.find(({ type }) => type === 'currency')?.value)
}

/**
 * A function that works out its result once for each argument. After `max` arguments it starts afresh.
 * @param max not needed where there are only as many arguments as messages, currencies or countries
 */
export function memoize<Key, Value extends {}>(
  make: (key: Key) => Value,
  max = Number.POSITIVE_INFINITY
): (key: Key) => Value {
  const made = new Map<Key, Value>()
  return key => {
    const known = made.get(key)
    if (known !== undefined) return known
    if (made.size === max) made.clear()
    const value = make(key)
    made.set(key, value)
    return value
  }
}

/** The same for small whole numbers: a list is found in a third of the time. */
function memoizeSmall(make: (number: number) => string): (number: number) => string {
  const made: string[] = []
  return number => {
    const known = made[number] ?? make(number)
    made[number] = known
    return known
  }
}
