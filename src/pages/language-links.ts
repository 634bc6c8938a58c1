// The languages that a shopper may choose from, without a script or a cookie. A page with the form has buttons, which send
// what was typed; any other links to itself in the other languages, if it can be got again with GET.
import type { Merchant } from '../merchant/merchant.ts'
import { isWithin } from '../merchant/public-url.ts'
import { pageLang } from '../messages/messages.ts'
import { capitalise, type Translator } from '../messages/translator.ts'

/** `code` is what `?lang=` takes, `name` what the language calls itself. */
export type LanguageChoice = { code: string; name: string; locale: string }

/** A link to a page in another language: its address, the language's own name, and its code. */
export type LanguageLink = { href: string; text: string; lang: string }

/** What the language of a page depends on. */
export type ShopperRequest = {
  url?: string | undefined
  body?: unknown
  headers: { 'accept-language'?: string | undefined }
}

type Paths = Pick<Merchant, 'path'> & { transfer: Pick<Merchant['transfer'], 'path'>; checkout: { path: string } }

/** An address that may be linked to: with a language and an origin it is no longer than a URL may be. */
const REPEATABLE = /^[!-~]{1,1700}$/

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
 * The field of a query that asks for a language. A transfer's query belongs to the contract, and a `lang` in it to the
 * platform.
 */
function languageField(address: string, { path, transfer }: Paths): string {
  return isWithin(address.replace(/\?.*/s, ''), path + transfer.path) ? 'page-lang' : 'lang'
}

/**
 * The language that a request asks for, offered or not: by a button of the form, else in its query; and whether a button
 * asks for the list of languages.
 */
export function askedLanguage(merchant: Paths, { url = '', body }: ShopperRequest) {
  const { path, checkout } = merchant
  const [address = '', query = ''] = url.split('?', 2)
  const pressed = isWithin(address, path + checkout.path) ? (body as Record<string, unknown> | undefined) : undefined
  const field = languageField(address, merchant)
  const asked = query.includes(`${field}=`) ? new URLSearchParams(query).get(field) : null
  const lang = typeof pressed?.lang === 'string' ? pressed.lang : (asked ?? undefined)
  return { lang, listsLanguages: pressed?.langs !== undefined }
}

/** Whether this is what an address asks for, by its code or locale. */
export function isAsked({ code, locale }: LanguageChoice, lang: string): boolean {
  return [code, locale].some(tag => tag.toLowerCase() === lang.toLowerCase())
}

/** @param lang the code of a language; by default, the address stays as it is */
export function withLang(address: string, lang: string | undefined, field = 'lang'): string {
  return lang === undefined ? address : `${address}${address.includes('?') ? '&' : '?'}${field}=${lang}`
}

/**
 * The address of a request that can be repeated to get its page in another language, without the language that it asks
 * for: a transfer or a page of a checkout, asked for with GET.
 */
export function repeatableAddress(
  merchant: Paths,
  { method, url }: { method: string; url: string }
): string | undefined {
  const { path, transfer, checkout } = merchant
  const [address = '', query = ''] = url.split('?', 2)
  const isOurs = [transfer, checkout].some(part => isWithin(address, path + part.path))
  if (!['GET', 'HEAD'].includes(method) || !isOurs || !REPEATABLE.test(url)) return undefined
  const field = languageField(address, merchant)
  const rest = query.split('&').filter(one => one !== '' && !one.startsWith(`${field}=`))
  return rest.length > 0 ? `${address}?${rest.join('&')}` : address
}

/** The links to a page in its other languages. @param address of the page, without a language */
export function languageLinks(
  languages: LanguageChoice[],
  { locale }: Pick<Translator, 'locale'>,
  address: string,
  merchant: Paths
): LanguageLink[] {
  const field = languageField(address, merchant)
  const others = languages.filter(language => language.locale !== locale)
  return others.map(({ code, name }) => ({ href: withLang(address, code, field), text: name, lang: code }))
}
