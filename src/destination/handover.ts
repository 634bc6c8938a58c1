// What a shop has answered: read strictly, so that whatever an app could not carry out is named by field, compared with the
// cart that was sent (contract 1), and turned into a redirect for options that answer with a page.
import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { Cart } from '../cart/cart.ts'
import { unitsBySku } from '../cart/cart.ts'
import { isAny } from '../errors.ts'
import { appDate, type DescribedCookie, type Description, describedPatterns } from '../transfer/description.ts'
import {
  CartRefused,
  type Handover,
  HandoverExpired,
  HandoverUnusable,
  ShopFailed,
  type ShopMistake
} from './destination.ts'
import { pageUrlProblem } from './shop-url.ts'

/** What a name or a value may have, and those of all cookies or all headers together: a proxy reads heads of 8 KiB. */
const MAX_TEXT = 4096
const MAX_HEAD = 8192

/** As `checkout.expiresAfterMinutes`. */
const MAX_LIFETIME = 365 * 24 * 60 * 60_000

const DateTime = (description: string) =>
  Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?(Z|[+-]\\d\\d:\\d\\d)$', description })

const LimitedText = (pattern: string, what: string) =>
  Type.String({ pattern, maxLength: MAX_TEXT, description: `${what}, at most 4,096 characters` })

const DATE_TIME = 'a date and time with an offset, such as "2027-01-31T12:00:00Z"'

export const HandoverSchema = Type.Object(
  {
    lines: Type.Array(
      Type.Object(
        {
          sku: Type.String({ maxLength: 1024, description: 'a string of at most 1,024 characters' }),
          quantity: Type.Integer({ minimum: 1, description: 'a whole number of at least 1' })
        },
        { description: 'an object with sku and quantity' }
      ),
      { maxItems: 2000, description: 'the list of lines that the cart holds, at most 2,000' }
    ),
    currency: Type.String({ maxLength: 16, description: 'an ISO 4217 code such as "EUR"' }),
    url: Type.String({ description: 'the absolute address of the page' }),
    method: Type.Optional(Type.Union([Type.Literal('GET'), Type.Literal('POST')], { description: '"GET" or "POST"' })),
    body: Type.Optional(
      Type.String({ maxLength: 65_536, description: 'a form-encoded string of at most 65,536 characters' })
    ),
    cookies: Type.Optional(
      Type.Array(
        Type.Object(
          {
            name: LimitedText(describedPatterns.name, 'the name of a cookie'),
            value: LimitedText(describedPatterns.cookieValue, 'the value of a cookie'),
            expireDate: Type.Optional(DateTime(DATE_TIME)),
            isHttpOnly: Type.Optional(Type.Boolean({ description: 'true or false' })),
            isSecure: Type.Optional(Type.Boolean({ description: 'true or false' })),
            path: Type.Optional(LimitedText(describedPatterns.cookiePath, 'a path such as "/"'))
          },
          { description: 'an object with name and value' }
        ),
        { maxItems: 20, description: 'a list of at most 20 cookies' }
      )
    ),
    headers: Type.Optional(
      Type.Array(
        Type.Object(
          {
            name: LimitedText(describedPatterns.name, 'the name of a header'),
            value: LimitedText(describedPatterns.headerValue, 'the value of a header: printable ASCII')
          },
          { description: 'an object with name and value' }
        ),
        { maxItems: 20, description: 'a list of at most 20 headers' }
      )
    ),
    expiresAt: Type.Optional(DateTime(DATE_TIME))
  },
  { description: 'an object with lines, currency and url' }
)

/** What a shop has answered, as it may be stored and described to the app. */
export type ReadHandover = Pick<Handover, 'lines' | 'currency'> & { description: Description; expiresAt?: Date }

/** @throws ShopFailed naming the first field that is wrong, and what would be right; never what was there */
export function readHandover(answer: unknown, now: Date): ReadHandover {
  const [error] = Value.Errors(HandoverSchema, answer)
  if (error) throw wrong(error.path, `give ${(error.schema as TSchema).description}`)
  const {
    lines,
    currency,
    url,
    method = 'GET',
    body,
    cookies = [],
    headers = [],
    expiresAt
  } = answer as Static<typeof HandoverSchema>
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
  return {
    lines: lines.map(({ sku, quantity }) => ({ sku, quantity })),
    currency,
    description: {
      url,
      httpMethod: method,
      ...(body !== undefined && { body }),
      ...(cookies.length > 0 && {
        cookies: cookies.map(({ name, value, expireDate, isHttpOnly, isSecure, path }, i) => ({
          name,
          value,
          ...(expireDate !== undefined && { expireDate: appDate(readDate(expireDate, `/cookies/${i}/expireDate`)) }),
          ...(isHttpOnly !== undefined && { isHttpOnly }),
          ...(isSecure !== undefined && { isSecure }),
          ...(path !== undefined && { path })
        }))
      }),
      ...(headers.length > 0 && { headers: headers.map(({ name, value }) => ({ name, value })) })
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
  if (Number.isNaN(date.getTime()) || !/^\d{4}-/.test(date.toISOString())) throw wrong(path, `give ${DATE_TIME}`)
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
