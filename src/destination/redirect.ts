// What a redirect can carry to a shop's page, for options that answer with a page: an address, and cookies for its own
// host. A POST, a body and headers are lost on the way.
import type { DescribedCookie, Description } from '../transfer/description.ts'
import { HandoverUnusable } from './shop-errors.ts'

export type Redirect = { location: string; setCookies: string[] }

/**
 * A cookie could be set for another host of the same site too. But one that the web view has from an earlier visit to
 * that host would be sent before it, and the page would show an old cart; on its own host, ours takes its place.
 * @param origin scheme, host and port of this merchant's publicUrl
 * @throws HandoverUnusable if something of the description would be lost
 */
export function redirectTo({ url, httpMethod, cookies = [], headers = [] }: Description, origin: string): Redirect {
  if (httpMethod === 'POST') throw lost('a POST')
  if (headers.length > 0) throw lost(`the header ${headers[0]?.name}`)
  const [from, to] = [new URL(origin), new URL(url)]
  if (cookies.length > 0 && from.hostname !== to.hostname) {
    throw lost(
      `the cookie ${cookies[0]?.name} for ${to.hostname}, which is not the host of publicUrl (${from.hostname}),`
    )
  }
  const insecure = cookies.find(({ isSecure }) => isSecure && from.protocol === 'http:')
  if (insecure) throw lost(`the cookie ${insecure.name}, which is secure and ${origin} is not,`)
  return { location: url, setCookies: cookies.map(setCookie) }
}

function setCookie({ name, value, path = '/', expireDate, isHttpOnly, isSecure }: DescribedCookie): string {
  return [
    `${name}=${value}`,
    `Path=${path}`,
    expireDate === undefined ? [] : `Expires=${new Date(expireDate).toUTCString()}`,
    isHttpOnly ? 'HttpOnly' : [],
    isSecure ? 'Secure' : [],
    // The app has opened the page from elsewhere, so a strict cookie would not be sent.
    'SameSite=Lax'
  ]
    .flat()
    .join('; ')
}

function lost(what: string): HandoverUnusable {
  return new HandoverUnusable(`${what} cannot be carried by a redirect; option 1 can`)
}
