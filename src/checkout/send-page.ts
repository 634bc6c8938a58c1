// Sends a page with the headers that every page has: never from a cache that could show another's bag, no script, no
// other origin but those of the pictures shown (decisions.md, "Pages").
import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { isHttps, type Merchant } from '../config/merchant.ts'
import type { Words } from '../messages/words.ts'
import { type ShopFront, type Template, USUAL_VIEW } from './shop-front.ts'
import { pageTitle } from './titles.ts'

/** What is printed of a page. */
export type Printed = {
  template: Template
  /** What the page is, before the merchant's name. */
  title: string
  view: object
}

/** With the addresses of the pictures on it, which its headers name. */
export type Page = Printed & { images: string[] }

const LINKS = ['contact', 'terms', 'privacy'] as const

/** What the layout prints around a page's own view. */
export type Frame = {
  lang: string
  direction: Words['direction']
  /** The `lang` of the titles of products, where that is not the page's. */
  otherLang: string | undefined
  say: Words['say']
  title: string
  shopName: string | undefined
  continueUrl: string | undefined
  logo: string | undefined
  /** To the shop's contact, terms and privacy. */
  links: { href: string; text: string }[]
  css: string
}

export type PageFront = { merchant: Merchant | undefined; css: string; logo?: string | undefined }

/** What one page of a shop is made with. */
export function pageFront({ merchant, css, logo }: ShopFront, template: Template): PageFront {
  return { merchant, css: css[template], logo }
}

export function frame(
  title: string,
  { merchant, css, logo }: PageFront,
  { lang, direction, otherLang, say }: Words
): Frame {
  return {
    lang,
    direction,
    otherLang,
    say,
    title: merchant ? pageTitle(title, merchant.name) : title,
    shopName: merchant?.name,
    continueUrl: merchant?.checkout.continueShoppingUrl,
    logo,
    links: LINKS.flatMap(name => {
      const href = merchant?.look.links[name]
      return href === undefined ? [] : [{ href, text: say(name) }]
    }),
    css
  }
}

/** The CSP source of styles: this inline sheet exactly, or what an app injects too where the merchant allows it. */
export function styleSource({ merchant, css }: PageFront): string {
  if (merchant?.checkout.appInjectsStyles) return "'unsafe-inline'"
  return `'sha256-${createHash('sha256').update(css).digest('base64')}'`
}

/** Pages that answer a GET must never be kept; those that answer a POST must, or Back shows a browser's error. */
export function cacheControl(method: string): string {
  return method === 'GET' || method === 'HEAD' ? 'no-store' : 'private, no-cache'
}

/** The CSP sources of the pictures on a page, the logo among them. */
export function imageSources({ logo }: PageFront, images: string[]): string[] {
  const shown = logo === undefined ? images : [logo, ...images]
  const sources = new Set(shown.map(image => (image.startsWith('/') ? "'self'" : new URL(image).origin)))
  return sources.size > 0 ? [...sources] : ["'none'"]
}

/** The helmet options of one page. */
export function pageSecurity(front: PageFront, images: string[]) {
  const { merchant } = front
  const secure = merchant !== undefined && isHttps(merchant)
  return {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        styleSrc: [styleSource(front)],
        imgSrc: imageSources(front, images),
        formAction: ["'self'"],
        frameAncestors: ["'self'"],
        baseUri: ["'none'"],
        ...(secure && { upgradeInsecureRequests: [] })
      }
    },
    referrerPolicy: { policy: 'same-origin' as const },
    strictTransportSecurity: secure && { maxAge: 31_536_000, includeSubDomains: false },
    xDnsPrefetchControl: false,
    xDownloadOptions: false,
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
    originAgentCluster: false
  }
}

/** The headers that say in which language a page is, and that another shopper may get another. */
export function languageHeaders({ lang }: Pick<Words, 'lang'>): Record<string, string> {
  return { 'Content-Language': lang, Vary: 'Accept-Language' }
}

/** What @fastify/view adds to the app for each shop front, under its name. */
type Views = Record<string, (template: string, data: object) => Promise<string>>

/** What a template gets: the page's own view, and the frame around it. */
export function pageData(front: ShopFront, words: Words, { template, title, view }: Printed): object {
  return { ...frame(title, pageFront(front, template), words), ...view }
}

/** The whole text of a page. Where a template of the merchant's own fails, ours stands in for it, and the log says why. */
export async function renderPage(app: FastifyInstance, front: ShopFront, words: Words, page: Printed): Promise<string> {
  const views = app as unknown as Views
  const data = pageData(front, words, page)
  try {
    return await render(views, front.view, page.template, data)
  } catch (error) {
    app.log.error({ err: error, merchant: front.merchant?.id }, 'a template failed; the usual one is shown')
    return render(views, USUAL_VIEW, page.template, data)
  }
}

function render(views: Views, name: string, template: Template, data: object): Promise<string> {
  return (views[name] as Views[string])(template, data)
}

/** Answers with a page. The status is whatever the reply has. */
export async function sendPage(
  reply: FastifyReply,
  front: ShopFront,
  words: Words,
  { images, ...page }: Page
): Promise<FastifyReply> {
  await reply.helmet(pageSecurity(pageFront(front, page.template), images))
  reply.header('Cache-Control', cacheControl(reply.request.method)).headers(languageHeaders(words))
  return reply.type('text/html; charset=utf-8').send(await renderPage(reply.server, front, words, page))
}
