// The words of one locale, ready to be said: messages with what belongs into them, those that a merchant has worded
// anew among them.
import { IntlMessageFormat } from 'intl-messageformat'
import { isLanguage, type Language, languages, type MessageName } from './messages.ts'

/** What a merchant says in its own words, by language. */
export type OwnMessages = Partial<Record<Language, Partial<Record<MessageName, string>>>>

/** A merchant's own text: one for all, or one for each language. */
export type Text = string | Partial<Record<Language, string>>

/** A text as a page shows it; with its `lang` where that is not the page's (WCAG 2.2, 3.1.2). */
export type Said = { text: string; lang: string | undefined }

export type Values = Record<string, string | number>

export type Words = {
  /** By which money, numbers and the names of countries are written. */
  locale: string
  language: Language
  /** The `lang` of the page: the locale, or another language where there are no words in the locale's own. */
  lang: string
  direction: 'ltr' | 'rtl'
  /** @throws RangeError for a name that there is not */
  say: (name: MessageName, values?: Values) => string
  /** The `lang` of what the merchant has in one language alone, such as titles; undefined where it is the page's. */
  otherLang: string | undefined
  /** A merchant's own text in this language, or in the only one that there is. */
  read: (text: Text) => Said
}

/** A locale whose language has no messages is spoken to in this one. */
const FALLBACK: Language = 'en'

const RIGHT_TO_LEFT: ReadonlySet<Language> = new Set(['ar'])

/** The language of the words that a locale gets. */
export function languageOf(locale: string): Language {
  const { language } = new Intl.Locale(locale)
  return isLanguage(language) ? language : FALLBACK
}

/**
 * @param locale a BCP 47 tag that is well-formed
 * @param merchantLocale that of what the merchant has in one language alone
 */
export function wordsFor(locale: string, own: OwnMessages = {}, merchantLocale = locale): Words {
  const language = languageOf(locale)
  const lang = new Intl.Locale(locale).language === language ? locale : language
  const direction = RIGHT_TO_LEFT.has(language) ? 'rtl' : 'ltr'
  const formats = new Map<MessageName, IntlMessageFormat>()
  const formatOf = (name: MessageName) => {
    const known = formats.get(name)
    if (known) return known
    const pattern = own[language]?.[name] ?? languages[language][name]
    // The types know every name; a template does not.
    if (pattern === undefined) throw new RangeError(`there is no message "${name}"`)
    const format = readPattern(pattern, lang)
    formats.set(name, format)
    return format
  }
  const { language: merchantLang } = new Intl.Locale(merchantLocale)
  const otherLang = new Intl.Locale(lang).language === merchantLang ? undefined : merchantLang
  return {
    locale,
    language,
    lang,
    direction,
    otherLang,
    say: (name, values = {}) => String(formatOf(name).format(direction === 'rtl' ? isolated(values) : values)),
    read: text =>
      typeof text === 'string' ? { text, lang: otherLang } : { text: String(text[language]), lang: undefined }
  }
}

/** @throws SyntaxError for what is no ICU message */
export function readPattern(pattern: string, locale: string): IntlMessageFormat {
  // What looks like a tag is text: templates escape everything.
  return new IntlMessageFormat(pattern, locale, undefined, { ignoreTag: true })
}

/** A label as it stands alone, or a sentence that begins with one. */
export function capitalised(text: string, { locale }: Words): string {
  const [first = ''] = text
  return first.toLocaleUpperCase(locale) + text.slice(first.length)
}

/** Values of another direction must not turn the sentence around them (UAX 9: FSI and PDI). */
function isolated(values: Values): Values {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      // An amount of money has its currency isolated already, and runs with the sentence.
      const isText = typeof value === 'string' && !value.includes('\u2066')
      return [name, isText ? `\u2068${value}\u2069` : value]
    })
  )
}
