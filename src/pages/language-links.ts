// The languages that a shopper may choose from, without a script or a cookie: pages below checkout.path take `?lang=`,
// and each links to itself in the others.
import type { Merchant } from '../merchant/merchant.ts'
import { isWithin } from '../merchant/public-url.ts'
import { pageLang } from '../messages/locales.ts'
import { capitalise, type Translator } from '../messages/translator.ts'

/** `code` is what `?lang=` takes, `name` what the language calls itself. */
export type LanguageChoice = { code: string; name: string; locale: string }

/** A link to a page in another language, which is its `lang`, or to the list of them. */
export type LanguageLink = { href: string; text: string; lang?: string }

/** The code of a locale is its language, with the region only if there are several of that language. */
export function languageChoices(locales: string[]): LanguageChoice[] {
  const languageIn = (locale: string) => new Intl.Locale(pageLang(locale)).language
  const all = locales.map(languageIn)
  return locales.map(locale => {
    const language = languageIn(locale)
    const isOnly = all.filter(other => other === language).length === 1
    const code = isOnly ? language : pageLang(locale)
    const name = String(new Intl.DisplayNames(code, { type: 'language' }).of(code))
    return { code, name: capitalise(name, code), locale }
  })
}

/**
 * What the address of a request asks for, offered or not: `?lang=de`, or `?langs=de` for a list of the others too. A
 * transfer's query belongs to the contract: a `lang` in it is the platform's.
 */
export function askedLanguage(
  { path, checkout }: Merchant,
  url: string
): { lang: string | undefined; listsLanguages: boolean } {
  const [address = '', query] = url.split('?', 2)
  const fields = new URLSearchParams(isWithin(address, path + checkout.path) ? query : '')
  return { lang: fields.get('lang') ?? fields.get('langs') ?? undefined, listsLanguages: fields.has('langs') }
}

/** Whether this is what an address asks for, by its code or locale. */
export function isAsked({ code, locale }: LanguageChoice, lang: string): boolean {
  return [code, locale].some(tag => tag.toLowerCase() === lang.toLowerCase())
}

/** @param lang the code of a language; by default, the address stays as it is */
export function withLang(address: string, lang: string | undefined): string {
  return lang === undefined ? address : `${address}${address.includes('?') ? '&' : '?'}lang=${lang}`
}

/**
 * The links to a page in other languages. Several take too many bytes for the first flight of a checkout page: it links
 * to itself with a list of them.
 * @param address of the page, without a language; absent if nothing can be got there; without a query unless listed
 * @param isListed whether several are listed
 */
export function languageLinks(
  languages: LanguageChoice[],
  { locale, say }: Pick<Translator, 'locale' | 'say'>,
  address: string | undefined,
  isListed: boolean
): LanguageLink[] {
  if (address === undefined) return []
  const isCurrent = (language: LanguageChoice) => language.locale === locale
  const others = languages.filter(language => !isCurrent(language))
  if (others.length > 1 && !isListed) {
    const { code, name } = languages.find(isCurrent) as LanguageChoice
    return [{ href: `${address}?langs=${code}#lang`, text: say('language', { name }) }]
  }
  return others.map(({ code, name }) => ({ href: withLang(address, code), text: name, lang: code }))
}
