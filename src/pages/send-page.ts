// Sends a page: its bytes, its headers, its title.
import { transcode } from 'node:buffer'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Merchant } from '../merchant/merchant.ts'
import { LINK_NAMES, type LinkName } from '../merchant/merchant-schema.ts'
import type { Text, Translator } from '../messages/translator.ts'
import { languageLinks } from './shopper-language.ts'
import type { Headers, Sheet, Storefront, Template } from './storefront.ts'

export type Page = {
  template: Template
  /** By default the template's. */
  sheet?: Sheet
  /** What the page is, without the merchant's name. */
  title: string
  view: object
  /** Its address for GET, without a language, to link to it in others. */
  address?: string | undefined
  /** The addresses of its pictures, which its headers name. */
  images?: string[]
}

/** What a template gets: the page's own view, and what the layout prints. */
export function pageData(
  { merchant, sheets, logo, darkLogo, hero, phoneHero, font, languages }: Storefront,
  translator: Translator,
  { template, sheet = template, title, view, address }: Page
) {
  const { lang, language, region, direction, otherLang, isFromApp, translate, read } = translator
  const readAll = (texts: Record<string, Text> = {}) =>
    Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, read(text)]))
  const addressOf = (name: LinkName) => {
    const address = merchant?.links[name]
    return address === undefined ? undefined : read(address).text
  }
  return {
    lang,
    language,
    region,
    direction,
    otherLang,
    say: translate,
    title: merchant ? pageTitle(title, merchant.name) : title,
    shopName: merchant?.name,
    isFromApp,
    continueUrl: merchant && wayBack(merchant, isFromApp),
    logo,
    darkLogo,
    font,
    ...(template === 'checkout' && { hero, phoneHero }),
    contact: addressOf('contact'),
    terms: addressOf('terms'),
    // At the foot of the page; help has its own place, and so have the terms on a page with a form.
    links: LINK_NAMES.flatMap(name => {
      const isElsewhere = name === 'contact' || (name === 'terms' && 'form' in view)
      const href = isElsewhere ? undefined : addressOf(name)
      return href === undefined ? [] : [{ href, text: translate(name) }]
    }),
    languageName: languages.find(({ locale }) => locale === translator.locale)?.name,
    languages: merchant && address !== undefined ? languageLinks(languages, translator, address, merchant) : [],
    css: sheets[sheet].css,
    texts: readAll(merchant?.templateTexts),
    ...readAll(merchant?.texts),
    ...view
  }
}

/** Where a page leads back. An address that only an app opens is for those who come from it. */
function wayBack({ checkout }: Merchant, isFromApp: boolean): string | undefined {
  const { continueShoppingUrl, shopUrl } = checkout
  if (isFromApp) return continueShoppingUrl
  return shopUrl ?? (/^https?:/i.test(continueShoppingUrl) ? continueShoppingUrl : undefined)
}

/** Renders a whole page. If a merchant's own template fails, the log says why and ours is rendered instead. */
export async function renderPage(
  app: FastifyInstance,
  storefront: Storefront,
  translator: Translator,
  page: Page
): Promise<Buffer> {
  const { merchant, viewName, defaultTemplates } = storefront
  const data = pageData(storefront, translator, page)
  const views = app as unknown as Record<string, FastifyInstance['view']>
  try {
    return toUtf8(await (views[viewName] as FastifyInstance['view'])(page.template, data))
  } catch (error) {
    app.log.error({ err: error, merchant: merchant?.id }, 'template failed; the default one is rendered')
    return toUtf8(defaultTemplates.render(page.template, data))
  }
}

/** In UTF-8: twice as fast as `Buffer.from`, unless a text has half of a surrogate pair, which `transcode` does not take. */
function toUtf8(html: string): Buffer {
  try {
    return transcode(Buffer.from(html, 'utf16le'), 'utf16le', 'utf8')
  } catch {
    return Buffer.from(html)
  }
}

/** All but Cache-Control. */
export function pageHeaders(
  { sheets }: Storefront,
  { lang }: Translator,
  { template, sheet = template, images = [] }: Page
): { security: Headers; content: Headers } {
  return {
    security: sheets[sheet].headers(images),
    content: { 'content-language': lang, vary: 'Accept-Language', 'content-type': 'text/html; charset=utf-8' }
  }
}

export async function sendPage(
  reply: FastifyReply,
  storefront: Storefront,
  translator: Translator,
  page: Page
): Promise<FastifyReply> {
  const bytes = await renderPage(reply.server, storefront, translator, page)
  const { security, content } = pageHeaders(storefront, translator, page)
  reply.headers(security)
  reply.header('cache-control', cacheControl(reply.request.method, page.template)).headers(content)
  return reply.send(bytes)
}

/**
 * Browsers must store the answer to a POST, or Back shows an error, and the form, or Back without a network loses what was
 * typed. They store nothing else.
 */
function cacheControl(method: string, template: Template): string {
  const isRead = method === 'GET' || method === 'HEAD'
  return isRead && template !== 'checkout' ? 'no-store' : 'private, no-cache'
}

export function pageTitle(title: string, merchantName: string): string {
  return `${title} – ${merchantName}`
}

/** The title of the checkout page. It begins with the error, if there is one, as screen readers read it first. */
export function checkoutTitle({ translate }: Translator, isRefused = false): string {
  return isRefused ? translate('title-error', { title: translate('checkout') }) : translate('checkout')
}
