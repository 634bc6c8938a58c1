// The security headers that only pages have (DECISIONS.md, "Pages"); http/every-request.ts has the rest.
import { createHash } from 'node:crypto'
import { isHttps, type Merchant } from '../merchant/merchant.ts'
import { memoize } from '../messages/translator.ts'

export type Headers = Readonly<Record<string, string>>

/** Different sets of image hosts whose headers are kept. */
const MAX_SOURCES = 100

export type SecurityHeaders = (images: string[]) => Headers

export function securityHeaders(merchant: Merchant | undefined, css: string, logos: string[]): SecurityHeaders {
  const logoSources = logos.map(logo => originOf(logo.startsWith('/') ? logo : new URL(logo).href))
  const isSecure = merchant !== undefined && isHttps(merchant)
  const hash = createHash('sha256').update(css).digest('base64')
  const styleSource = merchant?.checkout.appInjectsStyles ? "'unsafe-inline'" : `'sha256-${hash}'`
  const headersOf = memoize(
    (sources: string): Headers => ({
      'Content-Security-Policy': contentSecurityPolicy({
        'default-src': "'none'",
        'style-src': styleSource,
        'img-src': sources,
        'form-action': "'self'",
        'frame-ancestors': "'self'",
        'base-uri': "'none'",
        ...(isSecure && { 'upgrade-insecure-requests': '' })
      }),
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Cross-Origin-Resource-Policy': 'same-origin',
      // Stricter ones make form posts within the origin say `Origin: null`.
      'Referrer-Policy': 'same-origin',
      'X-Frame-Options': 'SAMEORIGIN'
    }),
    MAX_SOURCES
  )
  return images => headersOf(imageSources(logoSources, images))
}

export function contentSecurityPolicy(directives: Record<string, string>): string {
  return Object.entries(directives)
    .map(([name, sources]) => `${name} ${sources}`.trimEnd())
    .join(';')
}

function imageSources(logoSources: string[], images: string[]): string {
  const sources = new Set(logoSources)
  // Most pictures are where the one before was.
  let place: string | undefined
  for (const image of images) {
    if (place !== undefined && image.startsWith(place)) continue
    const origin = originOf(image)
    sources.add(origin)
    place = image.startsWith('/') ? '/' : `${origin}/`
  }
  return sources.size > 0 ? [...sources].join(' ') : "'none'"
}

/** @param address a path, or a URL as `URL` writes it: its origin ends before the first slash after the host */
function originOf(address: string): string {
  return address.startsWith('/') ? "'self'" : address.slice(0, address.indexOf('/', address.indexOf('//') + 2))
}
