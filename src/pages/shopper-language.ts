// The language of a page, chosen by its reader without a script or a cookie. The page with the form has buttons, which keep
// what was typed. Other pages link to themselves in the other languages, if a GET can fetch them again.
import { isWithin, type Merchant, wayAt } from '../merchant/merchant.ts'
import { chooseLocale, languages, pageLang } from '../messages/messages.ts'
import { capitalise, createTranslator, memoize, type Translator } from '../messages/translator.ts'
import { optionOfWay } from '../transfer/index.ts'
import { isOfApp } from '../transfer/option.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The way by which the bag of the page came in, once that is known. */
    wayName: string | undefined
  }
}

/** How many `Accept-Language` headers are remembered, and how long they may be, in characters. */
const MAX_ACCEPTS = 200
const MAX_ACCEPT = 200

export type ShopperLanguage = {
  translator: Translator
  /** Its code, if there are others. The page's links carry it, as the next request may have another header. */
  lang: string | undefined
}

export type ShopperLanguages = {
  languages: LanguageChoice[]
  /** The one that the request asks for, else the best for `Accept-Language`, in the words for where the shopper comes from. */
  languageFor: (request: ShopperRequest | undefined) => ShopperLanguage
}

/** `code` is what `?lang=` takes, `name` what the language calls itself. */
type LanguageChoice = { code: string; name: string; locale: string }

type ShopperRequest = {
  url?: string | undefined
  body?: unknown
  wayName?: string | undefined
  headers: { 'accept-language'?: string | undefined }
}

/** An address that can be linked to: even with a language and an origin it is no longer than a URL may be. */
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
function languageField(address: string, { path, ways }: Merchant): string {
  const asked = address.replace(/\?.*/s, '')
  return ways.some(({ transfer }) => isWithin(asked, path + transfer.path)) ? 'page-lang' : 'lang'
}

/** The language that a request asks for, by a button of the form or in its query; offered or not. */
export function askedLanguage(merchant: Merchant, { url = '', body }: ShopperRequest): string | undefined {
  const { path, checkout } = merchant
  const [address = '', query = ''] = url.split('?', 2)
  const pressed = isWithin(address, path + checkout.path) ? (body as Record<string, unknown> | undefined) : undefined
  const asked = query.includes('lang=') ? new URLSearchParams(query).get(languageField(address, merchant)) : null
  return typeof pressed?.lang === 'string' ? pressed.lang : (asked ?? undefined)
}

export function withLang(address: string, lang: string | undefined): string {
  return withParameter(address, 'lang', lang)
}

/** An address with one more parameter in its query, unless that has no value. @param value which needs no escapes */
export function withParameter(address: string, name: string, value: string | undefined): string {
  return value === undefined ? address : `${address}${address.includes('?') ? '&' : '?'}${name}=${value}`
}

/** The address of a transfer or a checkout requested with GET, without its language. */
export function repeatableAddress(
  merchant: Merchant,
  { method, url }: { method: string; url: string }
): string | undefined {
  const { path, ways, checkout } = merchant
  const [address = '', query = ''] = url.split('?', 2)
  const isOurs = [...ways.map(({ transfer }) => transfer), checkout].some(part => isWithin(address, path + part.path))
  if (!['GET', 'HEAD'].includes(method) || !isOurs || !REPEATABLE.test(url)) return undefined
  const field = languageField(address, merchant)
  const rest = query.split('&').filter(one => one !== '' && !one.startsWith(`${field}=`))
  return rest.length > 0 ? `${address}?${rest.join('&')}` : address
}

/** @param address the page's, without a language */
export function languageLinks(
  languages: LanguageChoice[],
  { locale }: Translator,
  address: string,
  merchant: Merchant
) {
  const field = languageField(address, merchant)
  const others = languages.filter(language => language.locale !== locale)
  return others.map(({ code, name }) => ({ href: withParameter(address, field, code), text: name, lang: code }))
}

/** Until it is known which bag is asked for, the path of a transfer tells; elsewhere, whether the shop has a way from an app. */
function comesFromApp(merchant: Merchant, { wayName, url = '' }: Partial<ShopperRequest> = {}): boolean {
  const option = wayName === undefined ? wayAt(merchant, url.replace(/\?.*/s, ''))?.option : optionOfWay(wayName)
  return option ? isOfApp(option) : merchant.ways.some(way => isOfApp(way.option))
}

/** @param shared for pages with only our messages */
export function shopperLanguages(merchant: Merchant | undefined, shared: Map<string, Translator>): ShopperLanguages {
  // Without a merchant, any language will do.
  const locales: [string, ...string[]] = merchant
    ? [merchant.locale, ...merchant.locales]
    : ['en', ...Object.keys(languages)]
  const offered = merchant ? languageChoices(locales) : []
  const { messages = {}, locale: merchantLocale } = merchant ?? {}
  // A shop with one currency shows its short symbol: there is nothing to confuse it with.
  const currencyDisplay = merchant?.currencies.length === 1 ? 'narrowSymbol' : 'symbol'
  const made = Object.keys(messages).length > 0 ? new Map<string, Translator>() : shared
  const translators = (isFromApp: boolean) =>
    memoize((locale: string): Translator => {
      const key = `${locale} ${merchantLocale} ${currencyDisplay} ${isFromApp}`
      const translator = made.get(key) ?? createTranslator(locale, messages, merchantLocale, currencyDisplay, isFromApp)
      made.set(key, translator)
      return translator
    })
  const [ofApp, ofOthers] = [translators(true), translators(false)]
  const localeOf: typeof chooseLocale = memoize(accept => chooseLocale(accept, locales), MAX_ACCEPTS)
  return {
    languages: offered,
    languageFor: request => {
      const { 'accept-language': accept = '' } = request?.headers ?? {}
      const lang = merchant && request && askedLanguage(merchant, request)
      const isAsked = (tag: string) => tag.toLowerCase() === lang?.toLowerCase()
      const asked = offered.find(({ code, locale }) => isAsked(code) || isAsked(locale))
      const choose = accept.length > MAX_ACCEPT ? chooseLocale : localeOf
      const locale = asked?.locale ?? choose(accept, locales)
      const { code } = (offered.length > 1 && offered.find(one => one.locale === locale)) || {}
      const translatorOf = !merchant || comesFromApp(merchant, request) ? ofApp : ofOthers
      return { translator: translatorOf(locale), lang: code }
    }
  }
}
