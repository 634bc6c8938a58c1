// Sends a page. Apps recognise a completed order by its title (REAL-APP.md 8), so no other page may have it.
import { transcode } from 'node:buffer'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { mistakes, problems } from '../errors.ts'
import { LINK_NAMES, type LinkName } from '../merchant/merchant-schema.ts'
import type { Translator } from '../messages/translator.ts'
import { languageLinks } from './language-links.ts'
import type { Headers } from './security-headers.ts'
import type { Sheet, Storefront, Template } from './storefront.ts'

export type Page = {
  template: Template
  /** By default that of its template. */
  sheet?: Sheet
  /** What the page is, without the merchant's name. */
  title: string
  view: object
  /** Where it can be got with GET, without a language, for links to it in others. */
  address?: string | undefined
  listsLanguages?: boolean
  /** The addresses of its pictures, which its headers name. */
  images?: string[]
}

/** What a template gets: the page's own view, and what the layout prints. */
export function pageData(
  { merchant, css, logo, darkLogo, languages }: Storefront,
  translator: Translator,
  { template, sheet = template, title, view, address, listsLanguages = false }: Page
) {
  const { lang, direction, otherLang, say, read } = translator
  const addressOf = (name: LinkName) => {
    const address = merchant?.links[name]
    return address === undefined ? undefined : read(address).text
  }
  return {
    lang,
    direction,
    otherLang,
    say,
    title: merchant ? pageTitle(title, merchant.name) : title,
    shopName: merchant?.name,
    continueUrl: merchant?.checkout.continueShoppingUrl,
    logo,
    darkLogo,
    contact: addressOf('contact'),
    terms: addressOf('terms'),
    // At the foot of the page; help has its own place, and so have the terms on a page with a form.
    links: LINK_NAMES.flatMap(name => {
      const isElsewhere = name === 'contact' || (name === 'terms' && 'form' in view)
      const href = isElsewhere ? undefined : addressOf(name)
      return href === undefined ? [] : [{ href, text: say(name) }]
    }),
    language: languages.find(({ locale }) => locale === translator.locale)?.name,
    languages: merchant && address !== undefined ? languageLinks(languages, translator, address, merchant) : [],
    listsLanguages,
    css: css[sheet],
    ...Object.fromEntries(Object.entries(merchant?.texts ?? {}).map(([name, text]) => [name, read(text)])),
    ...view
  }
}

/** Renders a whole page. If a merchant's own template fails, the log says why and ours is rendered instead. */
export async function renderPage(
  app: FastifyInstance,
  storefront: Storefront,
  translator: Translator,
  page: Page
): Promise<Buffer> {
  const { merchant, scope = app, defaultTemplates } = storefront
  const data = pageData(storefront, translator, page)
  try {
    return toUtf8(await scope.view(page.template, data))
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
  { securityHeaders }: Storefront,
  { lang }: Translator,
  page: Page
): { security: Headers; content: Headers } {
  const { template, sheet = template, images = [] } = page
  return {
    security: securityHeaders[sheet](images),
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
 * The answer to a POST must be stored, or Back shows an error of the browser; so must the form, or Back without a network
 * loses what was typed in it. Nothing else is.
 */
function cacheControl(method: string, template: Template): string {
  const isRead = method === 'GET' || method === 'HEAD'
  return isRead && template !== 'checkout' ? 'no-store' : 'private, no-cache'
}

export function pageTitle(title: string, merchantName: string): string {
  return `${title} – ${merchantName}`
}

/** The title of the checkout page. If its form was refused it says so first, as screen readers read it first. */
export function checkoutTitle({ say }: Pick<Translator, 'say'>, isRefused = false): string {
  return isRefused ? say('title-error', { title: say('checkout') }) : say('checkout')
}

/** The titles of every page but the confirmation, in one language. */
export function otherTitles(merchantName: string, translator: Pick<Translator, 'say'>): string[] {
  const refusals = [...Object.values(problems), ...Object.values(mistakes)].map(({ shopper }) =>
    translator.say(shopper)
  )
  const titles = [checkoutTitle(translator), checkoutTitle(translator, true), ...refusals]
  return titles.map(title => pageTitle(title, merchantName))
}
