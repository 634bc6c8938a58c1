// What all pages of a merchant share, made once at start: templates, style sheets, security headers, languages.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import view from '@fastify/view'
import { Eta } from 'eta'
import type { FastifyInstance } from 'fastify'
import type { CheckoutStore } from '../checkout/checkout-store.ts'
import type { OrderStore } from '../checkout/orders/order.ts'
import type { OrderForm } from '../checkout/orders/order-form.ts'
import type { PaymentStore } from '../checkout/orders/payment.ts'
import type { Catalogue } from '../merchant/catalogue/product.ts'
import { isHttps, type Merchant, methodsTo, THEME_PATHS } from '../merchant/merchant.ts'
import type { MerchantContext } from '../merchant/merchant-context.ts'
import { defaultTheme, themeSheet } from '../merchant/theme.ts'
import { memoize, type Translator } from '../messages/translator.ts'
import type { Log } from '../observer.ts'
import { choiceSheet } from './bag-view.ts'
import { type ShopperLanguages, shopperLanguages } from './shopper-language.ts'

export const VIEWS_FOLDER = join(import.meta.dirname, '../../views')

export type Template = 'checkout' | 'confirmation' | 'problem'

/**
 * What each page adds to page.css; brand.css is the merchant's own, and comes last. `sale` is a checkout page with something
 * reduced, `extra` one that needs what most do not.
 */
const SHEETS = {
  checkout: [],
  sale: ['sale.css'],
  extra: ['sale.css', 'extra.css'],
  confirmation: ['sale.css', 'extra.css', 'confirmation.css'],
  problem: ['sale.css', 'extra.css', 'problem.css']
}

export type Sheet = keyof typeof SHEETS

export type Storefront = ShopperLanguages & {
  /** Absent for addresses that belong to no merchant. */
  merchant: Merchant | undefined
  /** Knows the products of a refused cart. */
  catalogue: Catalogue | undefined
  sheets: Record<Sheet, { css: string; headers: (images: string[]) => Headers }>
  /** Addresses: of the logo and the picture above the checkout page, each with another for dark mode or for phones, and of the font. */
  logo: string | undefined
  darkLogo: string | undefined
  hero: string | undefined
  phoneHero: string | undefined
  font: string | undefined
  /** The merchant's own templates before ours, the name of the view that renders them, and ours alone for pages on which its own fail. */
  templates: Eta
  viewName: string
  defaultTemplates: Eta
}

/** A merchant with what its pages are made with. */
export type PageContext = MerchantContext<CheckoutStore & OrderStore & PaymentStore> & {
  storefront: Storefront
  orderForm: OrderForm
}

/** What the storefronts of a process share, unless a merchant has its own: our messages, our templates and the log. */
export function sharedParts(log?: Log) {
  return { templates: openTemplates(), translators: new Map<string, Translator>(), log }
}

/** @param paidAt origins of the pages where an order is paid, to which its form leads */
export function openStorefront(
  { merchant, catalogue }: { merchant?: Merchant; catalogue?: Catalogue } = {},
  shared = sharedParts(),
  paidAt: string[] = []
): Storefront {
  const theme = merchant?.theme ?? defaultTheme()
  const addressOf = (name: 'logo' | 'darkLogo' | 'hero' | 'phoneHero') => {
    const picture = theme[name]
    return picture && ('url' in picture ? picture.url : `${merchant?.path}${THEME_PATHS[name]}`)
  }
  const [logo, darkLogo] = [addressOf('logo'), addressOf('darkLogo')]
  const [hero, phoneHero] = [addressOf('hero'), addressOf('phoneHero')]
  const font = theme.fontFile && `${merchant?.path}${THEME_PATHS.fontFile}?${theme.fontFile.version}`
  const { countries = {}, delivery = {} } = merchant ?? {}
  const methods = Object.entries(countries).flatMap(([currency, codes]) =>
    codes.map(country => methodsTo(country, delivery[currency] ?? []).length)
  )
  const choices = choiceSheet(Math.max(0, ...methods))
  const offered = shopperLanguages(merchant, shared.translators)
  const listed = offered.languages.length > 2 ? ['languages.css'] : []
  const sheets = Object.entries(SHEETS).map(([name, added]) => {
    const hasForm = name !== 'confirmation' && name !== 'problem'
    const gift = hasForm && merchant?.checkout.giftNote ? ['gift-note.css'] : []
    const files = ['page.css', ...gift, ...listed, ...added, 'brand.css'].map(file => viewFile(file, merchant?.views))
    const rules = files.map(file => readFileSync(file, 'utf8')).join('\n')
    // A merchant's own templates may use any colour.
    const colours = themeSheet(theme, merchant?.views === undefined ? rules : undefined, font)
    const css = minifyStyles([colours, hasForm ? choices : '', rules].join('\n'))
    const pictures = [logo, darkLogo, ...(hasForm ? [hero, phoneHero] : [])].filter(address => address !== undefined)
    const formTargets = hasForm ? paidAt : []
    return [name, { css, headers: securityHeaders(merchant, css, pictures, { formTargets, log: shared.log }) }]
  })
  return {
    merchant,
    catalogue,
    sheets: Object.fromEntries(sheets),
    logo,
    darkLogo,
    hero,
    phoneHero,
    font,
    ...offered,
    ...(merchant?.views === undefined
      ? { templates: shared.templates, viewName: 'view' }
      : { templates: openTemplates(merchant.views), viewName: `view of ${merchant.id}` }),
    defaultTemplates: shared.templates
  }
}

/** A file of the same name in the merchant's own folder comes first. */
export function viewFile(name: string, folder?: string): string {
  const override = folder === undefined ? undefined : join(folder, name)
  return override !== undefined && existsSync(override) ? override : join(VIEWS_FOLDER, name)
}

/**
 * In our templates `fragment(name, values)` renders another with nothing but these values, which takes half as long as an
 * `include` with everything of the page. A merchant's own may use everything, so in them it is an `include`.
 */
function openTemplates(folder?: string): Eta {
  const render = folder === undefined ? 'this.render' : 'include'
  const eta = new Eta({
    views: VIEWS_FOLDER,
    cache: true,
    functionHeader: `const fragment = (name, values) => ${render}(name, values)`
  })
  const files = new Map<string, string>()
  const texts = new Map<string, string>()
  for (const name of readdirSync(VIEWS_FOLDER).filter(name => name.endsWith('.eta'))) {
    const file = viewFile(name, folder)
    files.set(name, file).set(name.replace(/\.eta$/, ''), file)
    texts.set(file, readFileSync(file, 'utf8'))
  }
  eta.resolvePath = template => files.get(template) ?? join(VIEWS_FOLDER, template)
  // From here on they need no file descriptor. They are compiled when first used, as that takes longer.
  eta.readFile = file => texts.get(file) ?? readFileSync(file, 'utf8')
  return eta
}

/** Registers a view for each set of templates. */
export async function registerViews(app: FastifyInstance, storefronts: Storefront[]): Promise<void> {
  for (const { viewName: propertyName, templates: eta } of storefronts) {
    if (app.hasDecorator(propertyName)) continue
    await app.register(view, { engine: { eta }, root: VIEWS_FOLDER, viewExt: 'eta', production: true, propertyName })
  }
}

const STRING = /("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')/s
const STRING_OR_COMMENT = new RegExp(`${STRING.source}|/\\*.*?\\*/`, 'gs')

/** The theme's custom properties, but not the end of a class name (`.title--page`). */
const THEME_PROPERTY = /(?<![\w-])--(ink|soft|line|edge|page|card|accent|on|wash)(?![\w-])/g

/** Minified: it is in every page, and the first response has to fit one TCP flight (DECISIONS.md, "The checkout page"). */
export function minifyStyles(css: string): string {
  const parts = css.replace(STRING_OR_COMMENT, (_, string = '') => string).split(STRING)
  const minified = parts.map((part, i) => {
    if (i % 2 === 1) return part
    const short = part.replace(THEME_PROPERTY, (_, name: string) => `--${name.charAt(0).toUpperCase()}`)
    const lines = short.replace(/\s*\n\s*/g, '\n').replace(/(?<=[{};,])\n|\n(?=\})/g, '')
    return lines.replaceAll('\n', ' ')
  })
  return minified.join('').trim()
}

export type Headers = Readonly<Record<string, string>>

/** Different sets of picture hosts whose headers are kept. */
const MAX_SOURCES = 100

/** Picture hosts that a header names, our own included: proxies refuse headers of several kilobytes. */
const MAX_HOSTS = 20

export function securityHeaders(
  merchant: Merchant | undefined,
  css: string,
  logos: string[],
  { formTargets = [], log }: { formTargets?: string[]; log?: Log | undefined } = {}
) {
  const logoSources = logos.map(logo => originOf(logo.startsWith('/') ? logo : new URL(logo).href))
  const isSecure = merchant !== undefined && isHttps(merchant)
  const hash = createHash('sha256').update(css).digest('base64')
  const styleSource = merchant?.checkout.appInjectsStyles ? "'unsafe-inline'" : `'sha256-${hash}'`
  const anyHost = isSecure ? "'self' https:" : "'self' http: https:"
  const headersOf = memoize((sources: string): Headers => {
    if (sources === anyHost) {
      log?.warn({ merchant: merchant?.id }, 'pictures of over 20 hosts on a page, which then allows all hosts')
    }
    return {
      'Content-Security-Policy': contentSecurityPolicy({
        'default-src': "'none'",
        'style-src': styleSource,
        'img-src': sources,
        ...(merchant?.theme.fontFile && { 'font-src': "'self'" }),
        'form-action': ["'self'", ...formTargets].join(' '),
        'frame-ancestors': "'self'",
        'base-uri': "'none'"
      }),
      'Cross-Origin-Opener-Policy': 'same-origin',
      // Stricter ones make form posts within the origin say `Origin: null`.
      'Referrer-Policy': 'same-origin'
    }
  }, MAX_SOURCES)
  return (images: string[]): Headers => {
    const sources = imageSources(logoSources, images)
    return headersOf(sources.size > MAX_HOSTS ? anyHost : [...sources].join(' ') || "'none'")
  }
}

export function contentSecurityPolicy(directives: Record<string, string>): string {
  return Object.entries(directives)
    .map(([name, sources]) => `${name} ${sources}`.trimEnd())
    .join(';')
}

function imageSources(logoSources: string[], images: string[]): Set<string> {
  const sources = new Set(logoSources)
  // Most pictures have the same host as the one before.
  let place: string | undefined
  for (const image of images) {
    if (place !== undefined && image.startsWith(place)) continue
    const origin = originOf(image)
    sources.add(origin)
    place = image.startsWith('/') ? '/' : `${origin}/`
  }
  return sources
}

/** @param address a path, or a URL as `URL` writes it: its origin ends before the first slash after the host */
function originOf(address: string): string {
  return address.startsWith('/') ? "'self'" : address.slice(0, address.indexOf('/', address.indexOf('//') + 2))
}
