// Sends a page: its template filled in with its own view and the frame around it, its headers set.
import type { FastifyInstance, FastifyReply } from 'fastify'
import { LINK_NAMES, type LinkName } from '../merchant/links.ts'
import type { Translator } from '../messages/translator.ts'
import type { HeadView } from './head-view.ts'
import { languageLinks } from './language-links.ts'
import type { Headers } from './security-headers.ts'
import type { Sheet, Storefront, Template } from './storefront.ts'
import { renderBytes } from './template-engine.ts'
import { pageTitle } from './titles.ts'

/** A page as it is rendered. */
export type Page = {
  template: Template
  /** By default that of its template. */
  sheet?: Sheet
  /** What the page is, without the merchant's name. */
  title: string
  view: object
  /** Where it can be got with GET, without a language, for links to it in others. */
  address?: string | undefined
  /** Whether the list of languages is open. */
  listsLanguages?: boolean
  /** The addresses of its pictures, which its headers name. */
  images?: string[]
}

/** What a template gets: the page's own view, and what the layout around it prints. */
export function pageData(
  { merchant, css, logo, darkLogo, languages, known }: Storefront,
  translator: Translator,
  { template, sheet = template, title, view, address, listsLanguages = false }: Page
) {
  const { locale, lang, direction, otherLang, say, read } = translator
  const addressOf = (name: LinkName) => {
    const address = merchant?.links[name]
    return address === undefined ? undefined : read(address).text
  }
  const hasForm = 'form' in view
  const makeHead = (): HeadView => ({
    title: merchant ? pageTitle(title, merchant.name) : title,
    direction,
    css: css[sheet],
    shopName: merchant?.name,
    logo,
    darkLogo,
    language: languages.find(choice => choice.locale === locale)?.name,
    languages: merchant && address !== undefined ? languageLinks(languages, translator, address, merchant) : [],
    listsLanguages,
    hasForm
  })
  return {
    lang,
    otherLang,
    say,
    // The languages of a form are buttons, without the address of its page.
    head: hasForm ? known.head(`${locale} ${sheet} ${listsLanguages} ${title}`, makeHead) : makeHead(),
    continueUrl: merchant?.checkout.continueShoppingUrl,
    contact: addressOf('contact'),
    terms: addressOf('terms'),
    // At the foot of the page; help has its own place, and so have the terms on a page with a form.
    links: LINK_NAMES.flatMap(name => {
      const isElsewhere = name === 'contact' || (name === 'terms' && hasForm)
      const href = isElsewhere ? undefined : addressOf(name)
      return href === undefined ? [] : [{ href, text: say(name) }]
    }),
    ...view
  }
}

/** Renders a whole page. If a merchant's own template fails, the log says why and ours is rendered instead. */
export function renderPage(app: FastifyInstance, storefront: Storefront, translator: Translator, page: Page): Buffer {
  const { merchant, engine, defaultEngine } = storefront
  const data = pageData(storefront, translator, page)
  try {
    return renderBytes(engine, page.template, data)
  } catch (error) {
    app.log.error({ err: error, merchant: merchant?.id }, 'template failed; the default one is rendered')
    return renderBytes(defaultEngine, page.template, data)
  }
}

/** Every header of a page but its Cache-Control. */
export function pageHeaders(
  { securityHeaders }: Storefront,
  { lang }: Translator,
  { template, sheet = template, images = [] }: Page
): { security: Headers; content: Headers } {
  return {
    security: securityHeaders[sheet](images),
    content: { 'content-language': lang, vary: 'Accept-Language', 'content-type': 'text/html; charset=utf-8' }
  }
}

/** Answers with a page; the status is whatever the reply has. */
export async function sendPage(
  reply: FastifyReply,
  storefront: Storefront,
  translator: Translator,
  page: Page
): Promise<FastifyReply> {
  const bytes = renderPage(reply.server, storefront, translator, page)
  const { security, content } = pageHeaders(storefront, translator, page)
  for (const [name, value] of Object.entries(security)) reply.raw.setHeader(name, value)
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
