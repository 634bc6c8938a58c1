// The translator of one locale: messages, overridden by a merchant's own, with their values filled in, and money, numbers
// and countries as people write them there.
import { IntlMessageFormat } from 'intl-messageformat'
import { memoize } from './memoize.ts'
import { type Language, languageOf, languages, type MessageName, pageLang } from './messages.ts'
import { type CurrencyDisplay, moneyFormat } from './money-format.ts'

/** The messages that a merchant overrides, by language. */
export type MessageOverrides = Partial<Record<Language, Partial<Record<MessageName, string>>>>

/** A merchant's own text: one for all languages, or one for each. */
export type Text = string | Partial<Record<Language, string>>

/** A text as a page shows it, with its `lang` if that is not the page's (WCAG 2.2, 3.1.2). */
export type LocalText = { text: string; lang: string | undefined }

export type MessageValues = Record<string, string | number>

export type Translator = {
  locale: string
  language: Language
  /** The `lang` of the page: the locale, or the fallback language if there are no messages in the locale's own. */
  lang: string
  direction: 'ltr' | 'rtl'
  /** @throws RangeError if there is no message of this name */
  say: (name: MessageName, values?: MessageValues) => string
  /** A message with a `count` and nothing else. */
  sayCount: (name: MessageName, count: number) => string
  /** A message with a `price`, as `money` writes it, and nothing else. */
  sayPrice: (name: MessageName, price: string) => string
  /** The `lang` of what the merchant has in one language only, such as titles; undefined if that is the page's. */
  otherLang: string | undefined
  /** A merchant's own text in this language, or the only one there is. */
  read: (text: Text) => LocalText
  /** Writes minor units of a currency. */
  money: (minor: number, currency: string) => string
  number: (value: number) => string
  /** The name of an ISO 3166-1 country. */
  country: (code: string) => string
  /** The label of a field: the message, capitalised. */
  label: (name: MessageName) => string
  /** The label of a field that may be left empty. */
  optionalLabel: (name: MessageName) => string
}

/** How many numbers, and how many sentences with a count or a price, are cached. */
const MAX_NUMBERS = 2000

const RIGHT_TO_LEFT: ReadonlySet<Language> = new Set(['ar'])

/**
 * @param locale a well-formed BCP 47 tag
 * @param merchantLocale the locale of what the merchant has in one language only
 * @param currencyDisplay how amounts name their currency
 */
export function createTranslator(
  locale: string,
  overrides: MessageOverrides = {},
  merchantLocale = locale,
  currencyDisplay?: CurrencyDisplay
): Translator {
  const language = languageOf(locale)
  const lang = pageLang(locale)
  const direction = RIGHT_TO_LEFT.has(language) ? 'rtl' : 'ltr'
  const { language: merchantLang } = new Intl.Locale(merchantLocale)
  const otherLang = new Intl.Locale(lang).language === merchantLang ? undefined : merchantLang
  // Made when first needed, as each takes tens of kilobytes, and few of a shop's languages are in use.
  const numbersOf = memoize((tag: string) => new Intl.NumberFormat(tag))
  const countriesOf = memoize((tag: string) => new Intl.DisplayNames(tag, { type: 'region' }))

  const formatOf = memoize((name: MessageName) => {
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
  // Most messages of a page have no values, and are the same every time.
  const constant = memoize((name: MessageName) => format(name, {}))
  const counted = memoize((name: MessageName) => memoize((count: number) => format(name, { count }), MAX_NUMBERS))
  // An amount of money isolates the letters of its currency, if there are any, and runs with the sentence.
  const priced = memoize((name: MessageName) => memoize((price: string) => write(name, { price }), MAX_NUMBERS))
  const label = memoize((name: MessageName) => capitalise(constant(name), locale))
  return {
    locale,
    language,
    lang,
    direction,
    otherLang,
    say: (name, values) => (values ? format(name, values) : constant(name)),
    sayCount: (name, count) => counted(name)(count),
    sayPrice: (name, price) => priced(name)(price),
    read: text =>
      typeof text === 'string' ? { text, lang: otherLang } : { text: textIn(text, language), lang: undefined },
    money: (minor, currency) => moneyOf(currency)(minor),
    number: memoize((value: number) => numbersOf(locale).format(value), MAX_NUMBERS),
    country: memoize((code: string) => String(countriesOf(lang).of(code))),
    label,
    // The label is in the language of the page, so nothing has to isolate it.
    optionalLabel: memoize((name: MessageName) => write('optional', { label: label(name) }))
  }
}

/** A label on its own, or a sentence that begins with one. */
export function capitalise(text: string, locale: string): string {
  const [first = ''] = text
  return first.toLocaleUpperCase(locale) + text.slice(first.length)
}

/** A merchant's own text in one of the languages that it offers. */
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
