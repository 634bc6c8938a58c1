// Locales: BCP 47 tags, the language of the messages that each gets, and the choice of one for a request.
import Negotiator from 'negotiator'
import { isLanguage, type Language } from './messages.ts'

/** Tags of a header that are considered; a phone sends a handful. */
const MAX_TAGS = 10

/** A locale whose language has no messages falls back to this one. */
const FALLBACK: Language = 'en'

export function isLocale(text: string): boolean {
  try {
    return Intl.NumberFormat.supportedLocalesOf(text).length > 0
  } catch {
    return false
  }
}

export function languageOf(locale: string): Language {
  const { language } = new Intl.Locale(locale)
  return isLanguage(language) ? language : FALLBACK
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
