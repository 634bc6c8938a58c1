// What a shop has answered: read strictly, so that whatever an app could not carry out is named by field, compared with the
// cart that was sent (contract 1), and turned into a redirect for options that answer with a page.
import type { TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { type Cart, unitsBySku } from '../cart/cart.ts'
import { isAny } from '../errors.ts'
import { appDate, type DescribedCookie, type Description } from '../transfer/description.ts'
import {
  CartRefused,
  DateTime,
  Handover,
  HandoverExpired,
  HandoverUnusable,
  ShopFailed,
  type ShopMistake
} from './destination.ts'
import { pageUrlProblem } from './shop-url.ts'

/** What all cookies or all headers may have together: a proxy reads heads of 8 KiB. */
const MAX_HEAD = 8192

/** As `checkout.expiresAfterMinutes`. */
const MAX_LIFETIME = 365 * 24 * 60 * 60_000

/** What a shop has answered, as it may be stored and described to the app. */
export type ReadHandover = Pick<Handover, 'lines' | 'currency'> & { description: Description; expiresAt?: Date }

/** @throws ShopFailed naming the first field that is wrong, and what would be right; never what was there */
export function readHandover(answer: unknown, now: Date): ReadHandover {
  const [error] = Value.Errors(Handover, answer)
  if (error) throw wrong(error.path, `give ${(error.schema as TSchema).description}`)
  // Only what the contract has is passed on.
  const known = Value.Clean(Handover, Value.Clone(answer)) as Handover
  const { lines, currency, url, method = 'GET', body, cookies = [], headers = [], expiresAt } = known
  const problem = pageUrlProblem(url)
  if (problem) throw wrong('/url', problem)
  if (method === 'GET' && body !== undefined)
    throw wrong('/body', 'iOS sends no GET with a body; leave it out, or give "POST"')
  checkSize('/cookies', cookies)
  checkSize('/headers', headers)
  const type = headers.findIndex(({ name }) => name.toLowerCase() === 'content-type')
  if (type >= 0)
    throw wrong(`/headers/${type}/name`, 'the app ignores a Content-Type (contract 4.1 rule 2); leave it out')
  const until = expiresAt === undefined ? undefined : readDate(expiresAt, '/expiresAt')
  if (until && until <= now) throw new HandoverExpired("the shop's answer is wrong at /expiresAt: it is in the past")
  if (until && until.getTime() > now.getTime() + MAX_LIFETIME) throw wrong('/expiresAt', 'give a time within a year')
  const described = cookies.map(({ expireDate: date, ...cookie }, i) =>
    date === undefined ? cookie : { ...cookie, expireDate: appDate(readDate(date, `/cookies/${i}/expireDate`)) }
  )
  return {
    lines,
    currency,
    description: {
      url,
      httpMethod: method,
      ...(body !== undefined && { body }),
      ...(cookies.length > 0 && { cookies: described }),
      ...(headers.length > 0 && { headers })
    },
    ...(until && { expiresAt: until })
  }
}

function checkSize(path: string, list: { name: string; value: string; path?: string }[]): void {
  const size = list.reduce((sum, { name, value, path = '' }) => sum + name.length + value.length + path.length, 0)
  if (size > MAX_HEAD) throw wrong(path, 'give at most 8,192 characters in all, names, values and paths')
}

function readDate(text: string, path: string): Date {
  const date = new Date(text)
  // Four digits, as iOS reads no other years.
  if (Number.isNaN(date.getTime()) || !/^\d{4}-/.test(date.toISOString()))
    throw wrong(path, `give ${DateTime.description}`)
  return date
}

function wrong(path: string, what: string): ShopFailed {
  return new ShopFailed(`the shop's answer is wrong at ${path || 'its root'}: ${what}`)
}

/** How many SKUs are named that were not sent. */
const MAX_OTHERS = 20

/**
 * Quantities are compared by SKU: a shop may make one line of two, or the other way round.
 * @throws CartRefused with every difference, but the first few of the SKUs that were not sent
 */
export function compareCart({ items, currency }: Cart, held: Pick<ReadHandover, 'lines' | 'currency'>): void {
  const sent = unitsBySku(items)
  const inShop = unitsBySku(held.lines)
  const found: ShopMistake[] = items.flatMap(({ sku }, line) => {
    const units = inShop.get(sku) ?? 0
    if (units === sent.get(sku)) return []
    const detail = `The shop's cart has ${units} units of ${JSON.stringify(sku)}; ${sent.get(sku)} were sent.`
    return [{ field: 'sku', line, code: 'destination-differs', detail }]
  })
  const others = [...inShop.keys()].filter(sku => !sent.has(sku))
  for (const sku of others.slice(0, MAX_OTHERS)) {
    const detail = `The shop's cart also has ${JSON.stringify(sku)}, which was not sent.`
    found.push({ field: 'items', code: 'destination-differs', detail })
  }
  if (held.currency !== currency) {
    const detail = `The shop's cart is in ${JSON.stringify(held.currency)}; ${currency} was sent.`
    found.push({ field: 'currency', code: 'destination-differs', detail })
  }
  if (isAny(found)) throw new CartRefused(found)
}

export type Redirect = { location: string; setCookies: string[] }

/** @throws HandoverUnusable if something of the description would be lost */
export function redirectTo(description: Description, origin: string): Redirect {
  const problem = redirectProblem(description, origin)
  if (problem !== undefined) throw new HandoverUnusable(problem)
  return { location: description.url, setCookies: (description.cookies ?? []).map(setCookie) }
}

/**
 * What a redirect would lose of a description, if anything.
 *
 * A cookie could be set for another host of the same site too. But one that the web view has from an earlier visit to
 * that host would be sent before it, and the page would show an old cart; on its own host, ours takes its place.
 * @param origin scheme, host and port of this merchant's publicUrl
 */
export function redirectProblem(
  { url, httpMethod, cookies: [cookie, ...others] = [], headers: [header] = [] }: Description,
  origin: string
): string | undefined {
  const [from, to] = [new URL(origin), new URL(url)]
  const insecure = from.protocol === 'http:' && [cookie, ...others].find(one => one?.isSecure)
  let lost: string
  if (httpMethod === 'POST') lost = 'a POST'
  else if (header) lost = `the header ${header.name}`
  else if (cookie && from.hostname !== to.hostname) {
    lost = `the cookie ${cookie.name} for ${to.hostname}, which is not the host of publicUrl (${from.hostname}),`
  } else if (insecure) lost = `the cookie ${insecure.name}, which is secure and ${origin} is not,`
  else return undefined
  return `${lost} cannot be carried by a redirect; option 1 can`
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
