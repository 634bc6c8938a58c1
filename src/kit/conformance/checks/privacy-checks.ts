// Who else could see a bag: whoever shares a cache with the shopper (RFC 9111), and whoever knows its reference.
import { hash } from 'node:crypto'
import type { WebRequest } from '../../../transfer/option.ts'
import { headerValue } from '../../client/send-request.ts'
import { answersWithDescription, checkGroup, isProtocol } from '../check.ts'
import { CheckFailed, lineMismatch } from '../final-response.ts'
import { assertShown, type PageExchange, type Site } from '../site.ts'

/** Headers that shared caches obey in place of Cache-Control (RFC 9213), of one vendor or of all. */
const TARGETED = /^(surrogate-control|([a-z]+-)?cdn-cache-control)$/i

/** Statuses that a cache may keep without being told so (RFC 9110, section 15.1). */
const KEPT_BY_DEFAULT = [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501]

/** Directives by name, '' without a value; the first of a name counts (RFC 9111, section 4.2.1). */
export function directivesOf(header: string): Map<string, string> {
  const found = Array.from(
    header.toLowerCase().matchAll(/([^\s,;="]+)\s*(?:=\s*(?:"([^"]*)"|([^\s,;]*)))?/g),
    ([, name = '', quoted, plain = '']): [string, string] => [name, quoted ?? plain]
  )
  return new Map(found.reverse())
}

/** Whether a shared cache may not use the response without asking. A directive with a list of fields applies to those only. */
function forbidsReuse(directives: Map<string, string>): boolean {
  return ['no-store', 'private', 'no-cache'].some(name => directives.get(name) === '')
}

/** In seconds, with the time for which it may be used although it is stale; undefined if it is not given. */
function lifetimeOf(directives: Map<string, string>): number | undefined {
  const lifetime = directives.get('s-maxage') ?? directives.get('max-age')
  // A value that is not a number counts as stale.
  const seconds = (text = '') => Number(/^\d+/.exec(text)?.[0] ?? 0)
  return lifetime === undefined ? undefined : seconds(lifetime) + seconds(directives.get('stale-while-revalidate'))
}

/**
 * What lets a cache that shoppers share keep a response, and use it without asking the site (RFC 9111, section 3): a header,
 * or the lack of one; undefined if nothing does. Pragma is for requests only.
 */
export function sharedCachePermission({ request, response }: PageExchange): string | undefined {
  const { headers, status } = response
  for (const { name, value } of headers) {
    if (!TARGETED.test(name)) continue
    const directives = directivesOf(value)
    if (!forbidsReuse(directives) && lifetimeOf(directives)) return `${name}: ${value}`
  }
  const control = headerValue(headers, 'cache-control') ?? ''
  const directives = directivesOf(control)
  const allows = (...names: string[]) => names.some(name => directives.has(name))
  const isAuthorized = headerValue(request.headers, 'authorization') !== undefined
  if (forbidsReuse(directives) || (isAuthorized && !allows('public', 's-maxage', 'must-revalidate'))) return undefined
  const lifetime = lifetimeOf(directives)
  if (lifetime !== undefined) return lifetime > 0 ? `Cache-Control: ${control}` : undefined
  const expires = headerValue(headers, 'expires')
  if (expires !== undefined) {
    const now = Date.parse(headerValue(headers, 'date') ?? '') || Date.now()
    // Anything that is not a date counts as the past.
    return / GMT$/.test(expires) && Date.parse(expires) > now ? `Expires: ${expires}` : undefined
  }
  if (allows('public')) return `Cache-Control: ${control}`
  const isKept = request.method === 'GET' && KEPT_BY_DEFAULT.includes(status)
  return isKept ? 'no Cache-Control that says otherwise, so that a cache may choose how long' : undefined
}

/** What anybody can derive from a reference. */
const WRITINGS: ((reference: string) => string)[] = [
  reference => reference,
  reference => reference.replaceAll('-', ''),
  reference => reference.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
  reference => Buffer.from(reference).toString('base64url'),
  ...['md5', 'sha1', 'sha256'].map(name => (reference: string) => hash(name, reference))
]

/** The request with another reference in each place of its own, however it is written. */
function withReference(request: WebRequest, own: string, other: string): WebRequest {
  const writings = WRITINGS.flatMap(write => [write, (reference: string) => write(reference).toUpperCase()])
  const swapped = writings.reduce((text, write) => text.replaceAll(write(own), write(other)), JSON.stringify(request))
  return JSON.parse(swapped)
}

export const privacyChecks = checkGroup({ group: 'page' }, [
  {
    id: 'not-in-shared-caches',
    title: 'Caches that shoppers share may not keep the page, nor a redirect to it',
    failure: 'A cache that shoppers share may keep the page, or a redirect to it',
    section: 'good practice (RFC 9111 says what a cache may keep)',
    why: 'A CDN or a proxy that keeps the page of one shopper shows it to others.',
    remedy:
      'Send "Cache-Control: private, no-cache" with the page and with redirects to it. A max-age, public, or nothing at all lets a CDN keep them; Pragma prevents nothing.',
    run: async site => {
      const exchanges = await site.follow(site.requestFor(site.newCart([0, 1], [1, 2], [2, 3])))
      const problems = exchanges.flatMap(exchange => {
        const permission = sharedCachePermission(exchange)
        const { request, response } = exchange
        return permission ? `${request.method} ${request.url} is answered ${response.status} with ${permission}.` : []
      })
      if (problems.length > 0) throw new CheckFailed(problems.join('\n'))
    }
  },
  {
    id: 'reference-opens-nothing',
    title: 'Knowing the reference of a bag is not enough to open its page',
    failure: 'The page of a bag opened for somebody who knows no more than its reference',
    section:
      'good practice (contract 2 gives the reference to match orders with, so both sides keep it in many places)',
    why: 'References are in orders, lists, logs and e-mails of two companies. Whoever reads one could open the bag, and what the shopper has typed there.',
    remedy:
      'Give each bag a random token of its own, put that into the description or the redirect, and find the bag by nothing else. A hash of the reference is no token.',
    appliesTo: option => !isProtocol(option),
    run: async site => {
      const [own, other] = [site.newCart([0, 1], [1, 2]), site.newCart([2, 3])]
      const exchanges = await site.follow(site.requestFor(own))
      await assertShown(site, other)
      // A transfer carries its bag; the requests after it have to look one up.
      const finding = exchanges.slice(answersWithDescription(site.option) ? 0 : 1)
      for (const { request } of finding) {
        const forged = withReference(request, own.reference, other.reference)
        if (JSON.stringify(forged) !== JSON.stringify(request)) await assertNotOpened(site, forged, other.items)
      }
    }
  }
])

/** @throws CheckFailed if the request opens a page with exactly these items */
async function assertNotOpened(site: Site, forged: WebRequest, items: { sku: string; quantity: number }[]) {
  site.steps.push('(The next is the request for the page of the first bag, with the reference of the second.)')
  const isOpened = (lines: Parameters<typeof lineMismatch>[0]) => lineMismatch(lines, items, 'lines') === undefined
  // A request that gets no answer opens nothing either.
  const lines = await site.load(forged, { answer: 'page' }).then(
    ({ readLines }) => readLines(isOpened),
    () => []
  )
  if (isOpened(lines)) throw new CheckFailed('The page of the second bag opened without anything from its transfer.')
}
