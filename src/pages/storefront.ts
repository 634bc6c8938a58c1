// What all pages of a merchant are made with. Built once, at start.
import type { Eta } from 'eta'
import type { FastifyInstance } from 'fastify'
import { DARK_LOGO_PATH, LOGO_PATH, type Merchant, methodsTo } from '../merchant/merchant.ts'
import { defaultTheme, type Logo, themeSheet } from '../merchant/theme.ts'
import { chooseLocale, languages } from '../messages/messages.ts'
import { createTranslator, memoize, type Translator } from '../messages/translator.ts'
import { choiceSheet } from './bag-view.ts'
import { askedLanguage, type LanguageChoice, languageChoices, type ShopperRequest } from './language-links.ts'
import { type SecurityHeaders, securityHeaders } from './security-headers.ts'
import { readStyleSheet } from './style-sheet.ts'
import { openTemplates, viewFile } from './templates.ts'

/** How many headers `Accept-Language` are remembered, and how long they may be, in characters. */
const MAX_ACCEPTS = 200
const MAX_ACCEPT = 200

export type Template = 'checkout' | 'confirmation' | 'problem'

/** What each page adds to page.css; `extra` is a checkout page that needs what most do not. */
const SHEETS = {
  checkout: [],
  extra: ['extra.css'],
  confirmation: ['extra.css', 'confirmation.css'],
  problem: ['extra.css', 'problem.css']
}

export type Sheet = keyof typeof SHEETS

export type Storefront = {
  /** Absent for addresses that belong to no merchant. */
  merchant: Merchant | undefined
  css: Record<Sheet, string>
  securityHeaders: Record<Sheet, SecurityHeaders>
  /** The addresses of the logo, and of another for dark mode. */
  logo: string | undefined
  darkLogo: string | undefined
  languages: LanguageChoice[]
  /** The one that the request asks for, else by the header `Accept-Language`. */
  languageFor: (request: ShopperRequest | undefined) => ShopperLanguage
  /** Its own before ours, and ours alone for pages on which its own fail. */
  templates: Eta
  defaultTemplates: Eta
  /** Whose `view` renders its pages, once it is open; those of no merchant are rendered by that of the whole app. */
  scope?: FastifyInstance
}

export type ShopperLanguage = {
  translator: Translator
  /** Its code, if the request asks for it: what the page leads to has to ask for it too. */
  lang: string | undefined
  listsLanguages: boolean
}

/** What storefronts of one process share, unless a merchant has its own: our messages and our templates. */
export type SharedParts = { templates: Eta; translators: Map<string, Translator> }

export function sharedParts(): SharedParts {
  return { templates: openTemplates(), translators: new Map() }
}

export function openStorefront(merchant?: Merchant, shared = sharedParts()): Storefront {
  const theme = merchant?.theme ?? defaultTheme()
  const addressOf = (logo: Logo | undefined, path: string) =>
    logo && ('url' in logo ? logo.url : `${merchant?.path}${path}`)
  const logo = addressOf(theme.logo, LOGO_PATH)
  const darkLogo = addressOf(theme.darkLogo, DARK_LOGO_PATH)
  const { countries = [], delivery = {} } = merchant ?? {}
  const methods = Object.values(delivery).flatMap(all => countries.map(country => methodsTo(country, all).length))
  const choices = choiceSheet(Math.max(0, ...methods))
  const css = ofEach(name => {
    const hasForm = name === 'checkout' || name === 'extra'
    const hasAlerts = name !== 'checkout' || merchant?.views !== undefined
    const files = ['page.css', ...SHEETS[name]].map(file => viewFile(file, merchant?.views))
    return readStyleSheet(`${themeSheet(theme, hasAlerts)}${hasForm ? choices : ''}\n`, ...files)
  })
  return {
    merchant,
    css,
    securityHeaders: ofEach(name => securityHeaders(merchant, css[name], [logo ?? [], darkLogo ?? []].flat())),
    logo,
    darkLogo,
    ...shopperLanguages(merchant, shared),
    templates: merchant?.views === undefined ? shared.templates : openTemplates(merchant.views),
    defaultTemplates: shared.templates
  }
}

function ofEach<T>(make: (name: Sheet) => T): Record<Sheet, T> {
  const names = Object.keys(SHEETS) as Sheet[]
  return Object.fromEntries(names.map(name => [name, make(name)])) as Record<Sheet, T>
}

function shopperLanguages(
  merchant: Merchant | undefined,
  shared: SharedParts
): Pick<Storefront, 'languages' | 'languageFor'> {
  // Without a merchant, any language will do.
  const locales: [string, ...string[]] = merchant
    ? [merchant.locale, ...merchant.locales]
    : ['en', ...Object.keys(languages)]
  const offered = merchant ? languageChoices(locales) : []
  const { messages = {}, locale: merchantLocale } = merchant ?? {}
  // With one currency, nobody has to tell it from another of the same shop.
  const currencyDisplay = merchant?.currencies.length === 1 ? 'narrowSymbol' : 'symbol'
  const made = Object.keys(messages).length > 0 ? new Map<string, Translator>() : shared.translators
  const translatorOf = memoize((locale: string): Translator => {
    const key = `${locale} ${merchantLocale} ${currencyDisplay}`
    const translator = made.get(key) ?? createTranslator(locale, messages, merchantLocale, currencyDisplay)
    made.set(key, translator)
    return translator
  })
  const localeOf: typeof chooseLocale = memoize(accept => chooseLocale(accept, locales), MAX_ACCEPTS)
  return {
    languages: offered,
    languageFor: request => {
      const { 'accept-language': accept = '' } = request?.headers ?? {}
      const { lang, listsLanguages = false } = (merchant && request && askedLanguage(merchant, request)) ?? {}
      const isAsked = (tag: string) => tag.toLowerCase() === lang?.toLowerCase()
      const chosen = offered.find(({ code, locale }) => isAsked(code) || isAsked(locale))
      const choose = accept.length > MAX_ACCEPT ? chooseLocale : localeOf
      const locale = chosen?.locale ?? choose(accept, locales)
      return { translator: translatorOf(locale), lang: chosen?.code, listsLanguages }
    }
  }
}
