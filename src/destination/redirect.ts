// What a redirect can carry to a shop's page, for options that answer with a page: an address, and cookies within one
// site. A POST, a body and headers are lost on the way.
import { getDomain } from 'tldts'
import type { DescribedCookie, Description } from '../transfer/description.ts'
import { HandoverUnusable } from './shop-errors.ts'

export type Redirect = { location: string; setCookies: string[] }

/**
 * @param origin scheme, host and port of this merchant's publicUrl
 * @throws HandoverUnusable if something of the description would be lost
 */
export function redirectTo({ url, httpMethod, cookies = [], headers = [] }: Description, origin: string): Redirect {
  if (httpMethod === 'POST') throw lost('a POST')
  if (headers.length > 0) throw lost(`the header ${headers[0]?.name}`)
  const [from, to] = [new URL(origin), new URL(url)]
  const domain = from.hostname === to.hostname ? undefined : sharedDomain(from.hostname, to.hostname)
  if (cookies.length > 0 && from.hostname !== to.hostname && domain === undefined) {
    throw lost(`the cookie ${cookies[0]?.name} for ${to.hostname}, which is another site than ${from.hostname},`)
  }
  const insecure = cookies.find(({ isSecure }) => isSecure && from.protocol === 'http:')
  if (insecure) throw lost(`the cookie ${insecure.name}, which is secure and ${origin} is not,`)
  return { location: url, setCookies: cookies.map(cookie => setCookie(cookie, domain)) }
}

/** The registrable domain of both hosts, such as `acme.co.uk`, which a cookie for both is set for. */
export function sharedDomain(a: string, b: string): string | undefined {
  const [one, other] = [a, b].map(host => getDomain(host, { allowPrivateDomains: true }))
  return one === other ? (one ?? undefined) : undefined
}

function setCookie(
  { name, value, path = '/', expireDate, isHttpOnly, isSecure }: DescribedCookie,
  domain: string | undefined
): string {
  return [
    `${name}=${value}`,
    `Path=${path}`,
    domain === undefined ? [] : `Domain=${domain}`,
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
