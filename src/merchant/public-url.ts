// publicUrl: the address that the app sees. All addresses come from it, never from a Host header.
import { isPrivate } from '../destination/shop-url.ts'

/** An absolute publicUrl has an origin; a path means the address that this process listens on. */
export type PublicUrl = { origin?: string; path: string }

const PATH = /^(\/(?!\.{1,2}(\/|$))[A-Za-z0-9._~-]+)*$/

/** @returns the parts, with an empty path for the root, or what is wrong and what would be right */
export function readPublicUrl(text: string): PublicUrl | string {
  if (text.startsWith('/')) {
    const path = text === '/' ? '' : text
    return PATH.test(path)
      ? { path }
      : 'a path is made of letters, digits, ".", "_", "~" and "-", without a slash at the end'
  }
  const url = URL.parse(text)
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    return 'give an address such as "https://shop.example/app", or a path such as "/harbour"'
  }
  const { origin } = url
  const path = url.pathname.replace(/\/$/, '')
  if (text !== origin + path) return `write it as "${origin}${path}": no slash at the end, no user, query or fragment`
  if (!PATH.test(path)) return 'its path is made of letters, digits, ".", "_", "~" and "-"'
  if (url.protocol === 'http:' && !isPrivate(url.hostname)) {
    return `use https: http is for loopback and private addresses only, and "${url.hostname}" is neither`
  }
  return { origin, path }
}

/** Whether a path equals another or lies below it: `/har` is not below `/harbour`, and everything is below the root. */
export function isWithin(path: string, outer: string): boolean {
  return path === outer || path.startsWith(`${outer}/`)
}

/** The server's own paths, which no merchant may use. */
export const SERVER_PATHS = ['/healthz', '/simulator', '/favicon.ico']

/** The folder of pictures, below publicUrl and next to the feed. */
export const PICTURES_PATH = '/pictures'

/** Where logos from files are served, below publicUrl. */
export const LOGO_PATH = '/logo'
export const DARK_LOGO_PATH = '/logo-dark'

/** Where its JSON endpoints are described, below publicUrl. */
export const OPENAPI_PATH = '/openapi.json'

/** Where a merchant with its own shop reports orders, below publicUrl. */
export const ORDERS_PATH = '/orders'
