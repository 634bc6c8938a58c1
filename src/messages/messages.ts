// The messages of every language, one file each: everything a shopper reads but a merchant's own texts; locales (BCP 47
// tags), and the choice of one for a request.
import Negotiator from 'negotiator'
import ar from './ar.json' with { type: 'json' }
import de from './de.json' with { type: 'json' }
import en from './en.json' with { type: 'json' }
import es from './es.json' with { type: 'json' }
import fr from './fr.json' with { type: 'json' }
import ja from './ja.json' with { type: 'json' }

export type MessageName = keyof typeof en

/** In ICU MessageFormat. */
export type Messages = Record<MessageName, string>

export const languages = { en, de, fr, es, ja, ar } satisfies Record<string, Messages>

export type Language = keyof typeof languages

export function isLanguage(code: string): code is Language {
  return Object.hasOwn(languages, code)
}

export function isMessageName(name: string): name is MessageName {
  return Object.hasOwn(en, name)
}

/** Tags of a header that are considered; a phone sends a handful. */
const MAX_TAGS = 10

export function isLocale(text: string): boolean {
  try {
    return Intl.NumberFormat.supportedLocalesOf(text).length > 0
  } catch {
    return false
  }
}

/** English, if there are no messages in the locale's own. */
export function languageOf(locale: string): Language {
  const { language } = new Intl.Locale(locale)
  return isLanguage(language) ? language : 'en'
}

/** The `lang` of pages in a locale: itself, or the fallback language if there are no messages in its own. */
export function pageLang(locale: string): string {
  const language = languageOf(locale)
  return new Intl.Locale(locale).language === language ? locale : language
}

/**
 * The locale that suits a shopper best: an exact match, else the first of the same language, else the default.
 * @param accept the header `Accept-Language`
 * @param locales the locales offered, the default first
 */
export function chooseLocale(accept: string | undefined, locales: [string, ...string[]]): string {
  const [defaultLocale, ...others] = locales
  if (accept === undefined || others.length === 0) return defaultLocale
  const wanted = new Negotiator({ headers: { 'accept-language': accept } }).languages()
  for (const tag of wanted.slice(0, MAX_TAGS).map(tag => tag.toLowerCase())) {
    const language = tag.replace(/-.*/s, '')
    const exact = locales.find(locale => locale.toLowerCase() === tag)
    const found = exact ?? locales.find(locale => new Intl.Locale(locale).language === language)
    if (found) return found
  }
  return defaultLocale
}
