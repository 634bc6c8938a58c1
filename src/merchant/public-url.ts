// The address of a merchant, as the app uses it.
import { isPrivate } from '../integrations/destination/shop-page.ts'

/** All addresses come from publicUrl, never from a Host header. Without an origin: where this process listens. */
export type PublicUrl = { origin?: string; path: string }

const PATH = /^(\/(?!\.{1,2}(\/|$))[A-Za-z0-9._~-]+)*$/

/** @returns the parts, or what is wrong and what would be right */
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
  const problem = httpProblem(url)
  if (problem) return problem
  if (text !== origin + path) return `write it as "${origin}${path}": no slash at the end, no user, query or fragment`
  return PATH.test(path) ? { origin, path } : 'its path is made of letters, digits, ".", "_", "~" and "-"'
}

/** What is wrong with the scheme of an http or https address, if anything is. */
export function httpProblem({ protocol, hostname }: URL): string | undefined {
  if (protocol === 'https:' || isPrivate(hostname)) return undefined
  return `use https: http is for loopback and private addresses only, and "${hostname}" is neither`
}
