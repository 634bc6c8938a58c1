// A storefront: what all pages of a merchant are made with. Built once, at start.
import type { Eta } from 'eta'
import type { FastifyInstance } from 'fastify'
import { type Merchant, methodsTo } from '../merchant/merchant.ts'
import { DARK_LOGO_PATH, LOGO_PATH } from '../merchant/public-url.ts'
import { defaultTheme, type Logo, themeSheet } from '../merchant/theme.ts'
import { memoize } from '../messages/memoize.ts'
import { chooseLocale, languages } from '../messages/messages.ts'
import { createTranslator, type Translator } from '../messages/translator.ts'
import { askedLanguage, isAsked, type LanguageChoice, languageChoices, type ShopperRequest } from './language-links.ts'
import { type SecurityHeaders, securityHeaders } from './security-headers.ts'
import { readStyleSheet } from './style-sheet.ts'
import { openTemplates, registerViews, viewFile } from './templates.ts'
import { choiceSheet } from './totals-view.ts'

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
  /** The address of the logo, as pages ask for it. */
  logo: string | undefined
  /** That of the one for dark mode, if there is another. */
  darkLogo: string | undefined
  /** The languages that its pages are offered in. */
  languages: LanguageChoice[]
  /** The language of a shopper: the one that the request asks for, else by the header `Accept-Language`. */
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
  /** Whether the request asks for a list of the others. */
  listsLanguages: boolean
}

/** What storefronts of one process share, unless a merchant has its own: our messages and our templates. */
export type SharedParts = { templates: Eta; translators: Map<string, Translator> }

export function sharedParts(): SharedParts {
  return { templates: openTemplates(), translators: new Map() }
}

/** Opens the scope of a merchant, in which @fastify/view renders its templates. */
export async function openScope(app: FastifyInstance, storefront: Storefront): Promise<void> {
  await registerViews(app, storefront.templates)
  storefront.scope = app
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
  const css = ofEach(name =>
    readStyleSheet(
      `${themeSheet(theme, name !== 'checkout' || merchant?.views !== undefined)}${hasForm(name) ? choices : ''}\n`,
      ...['page.css', ...SHEETS[name]].map(file => viewFile(file, merchant?.views))
    )
  )
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

function hasForm(name: Sheet): boolean {
  return name === 'checkout' || name === 'extra'
}

function ofEach<T>(make: (name: Sheet) => T): Record<Sheet, T> {
  return {
    checkout: make('checkout'),
    extra: make('extra'),
    confirmation: make('confirmation'),
    problem: make('problem')
  }
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
      const chosen = lang === undefined ? undefined : offered.find(language => isAsked(language, lang))
      const choose = accept.length > MAX_ACCEPT ? chooseLocale : localeOf
      const locale = chosen?.locale ?? choose(accept, locales)
      return { translator: translatorOf(locale), lang: chosen?.code, listsLanguages }
    }
  }
}
