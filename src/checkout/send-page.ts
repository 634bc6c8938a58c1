// Sends a page with the headers that every page has: never from a cache that could show another's bag, no script, no
// other origin but those of the pictures shown (decisions.md, "Pages").
import { createHash } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import { isHttps, type Merchant } from '../config/merchant.ts'
import { pageTitle } from './titles.ts'

export type Page = {
  template: 'checkout' | 'confirmation' | 'problem'
  /** What the page is, before the merchant's name. */
  title: string
  view: object
  /** The addresses of the pictures on the page. */
  images: string[]
}

/** What the layout prints around a page's own view. */
export type Frame = {
  title: string
  shopName: string | undefined
  continueUrl: string | undefined
  css: string
}

export function frame(title: string, merchant: Merchant | undefined, css: string): Frame {
  return {
    title: merchant ? pageTitle(title, merchant.name) : title,
    shopName: merchant?.name,
    continueUrl: merchant?.checkout.continueShoppingUrl,
    css
  }
}

/** The CSP source of styles: this inline sheet exactly, or what an app injects too where the merchant allows it. */
export function styleSource(merchant: Merchant | undefined, css: string): string {
  if (merchant?.checkout.appInjectsStyles) return "'unsafe-inline'"
  return `'sha256-${createHash('sha256').update(css).digest('base64')}'`
}

/** Pages that answer a GET must never be kept; those that answer a POST must, or Back shows a browser's error. */
export function cacheControl(method: string): string {
  return method === 'GET' || method === 'HEAD' ? 'no-store' : 'private, no-cache'
}

/** The helmet options of one page. */
export function pageSecurity(merchant: Merchant | undefined, css: string, images: string[]) {
  const secure = merchant !== undefined && isHttps(merchant)
  const imageSources = new Set(images.map(image => (image.startsWith('/') ? "'self'" : new URL(image).origin)))
  return {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        styleSrc: [styleSource(merchant, css)],
        imgSrc: imageSources.size > 0 ? [...imageSources] : ["'none'"],
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

/** Answers with a page. The status is whatever the reply has. */
export async function sendPage(
  reply: FastifyReply,
  merchant: Merchant | undefined,
  css: string,
  page: Page
): Promise<FastifyReply> {
  await reply.helmet(pageSecurity(merchant, css, page.images))
  reply.header('Cache-Control', cacheControl(reply.request.method))
  return reply.send(await reply.viewAsync(page.template, { ...frame(page.title, merchant, css), ...page.view }))
}
