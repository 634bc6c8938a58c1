// The languages that a shopper may choose from, without a script or a cookie. A page with the form has buttons, which send
// what was typed; any other links to itself in the other languages, if it can be got again with GET.
import { isWithin, type Merchant } from '../merchant/merchant.ts'
import { pageLang } from '../messages/messages.ts'
import { capitalise, type Translator } from '../messages/translator.ts'

/** `code` is what `?lang=` takes, `name` what the language calls itself. */
export type LanguageChoice = { code: string; name: string; locale: string }

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

/** The field of a query that asks for a language: in a transfer's query, `lang` belongs to the platform. */
function languageField(address: string, { path, transfer }: Paths): string {
  return isWithin(address.replace(/\?.*/s, ''), path + transfer.path) ? 'page-lang' : 'lang'
}

/** The language that a request asks for, offered or not: by a button of the form, else in its query. */
export function askedLanguage(merchant: Paths, { url = '', body }: ShopperRequest) {
  const { path, checkout } = merchant
  const [address = '', query = ''] = url.split('?', 2)
  const pressed = isWithin(address, path + checkout.path) ? (body as Record<string, unknown> | undefined) : undefined
  const field = languageField(address, merchant)
  const asked = query.includes(`${field}=`) ? new URLSearchParams(query).get(field) : null
  const lang = typeof pressed?.lang === 'string' ? pressed.lang : (asked ?? undefined)
  return { lang, listsLanguages: pressed?.langs !== undefined }
}

export function withLang(address: string, lang: string | undefined, field = 'lang'): string {
  return lang === undefined ? address : `${address}${address.includes('?') ? '&' : '?'}${field}=${lang}`
}

/** The address of a transfer or a checkout that was asked for with GET, without the language that it asks for. */
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

/** @param address of the page, without a language */
export function languageLinks(
  languages: LanguageChoice[],
  { locale }: Pick<Translator, 'locale'>,
  address: string,
  merchant: Paths
): { href: string; text: string; lang: string }[] {
  const field = languageField(address, merchant)
  const others = languages.filter(language => language.locale !== locale)
  return others.map(({ code, name }) => ({ href: withLang(address, code, field), text: name, lang: code }))
}
