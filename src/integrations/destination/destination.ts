// A destination: where a cart leads, if not to our own page (contract 1: "its bag page or checkout page"). What a shop answers
// is read strictly, so that whatever an app could not carry out is named by field, and compared with the cart that was sent.
import { type Static, type TObject, type TSchema, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { type Cart, type CartField, unitsBySku } from '../../cart/cart.ts'
import { isAny } from '../../errors.ts'
import { appDate, type Description, describedPatterns } from '../../transfer/description.ts'
import { MAX_URL, type ReportError } from '../../transfer/option.ts'
import type { Fetch } from '../outgoing/http-client.ts'
import type { ShopMessages } from './shop-message.ts'
import { type DestinationRoute, pageUrlProblem } from './shop-page.ts'

/** Of a name or a value of a cookie or a header, in characters. */
const MAX_TEXT = 4096

const DateTime = Type.String({
  pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?(Z|[+-]\\d\\d:\\d\\d)$',
  description: 'a date and time with an offset, such as "2027-01-31T12:00:00Z"'
})

const LimitedText = (pattern: string, what: string) =>
  Type.String({ pattern, maxLength: MAX_TEXT, description: `${what}, at most 4,096 characters` })

const TrueOrFalse = Type.Boolean({ description: 'true or false' })

export const AddressSetting = (description: string) => Type.String({ minLength: 1, maxLength: MAX_URL, description })

/** What a shop answers: where the app has to go, and what the cart holds there. */
export const Handoff = Type.Object(
  {
    lines: Type.Array(
      Type.Object(
        {
          sku: Type.String({ maxLength: 1024, description: 'a string of at most 1,024 characters' }),
          // 0 if it is out of stock.
          quantity: Type.Integer({ minimum: 0, description: 'a whole number of at least 0' })
        },
        { description: 'an object with sku and quantity' }
      ),
      { maxItems: 2000, description: 'the list of lines that the cart holds, at most 2,000' }
    ),
    currency: Type.String({ maxLength: 16, description: 'an ISO 4217 code such as "EUR"' }),
    // At most 2,048 characters (contract 8).
    url: Type.String({ description: 'the absolute address of the page' }),
    // GET if absent.
    method: Type.Optional(Type.Union([Type.Literal('GET'), Type.Literal('POST')], { description: '"GET" or "POST"' })),
    // With POST only (contract 4.1 rule 2).
    body: Type.Optional(
      Type.String({ maxLength: 65_536, description: 'a form-encoded string of at most 65,536 characters' })
    ),
    cookies: Type.Optional(
      Type.Array(
        Type.Object(
          {
            name: LimitedText(describedPatterns.name, 'the name of a cookie'),
            value: LimitedText(describedPatterns.cookieValue, 'the value of a cookie'),
            expireDate: Type.Optional(DateTime),
            isHttpOnly: Type.Optional(TrueOrFalse),
            isSecure: Type.Optional(TrueOrFalse),
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
    // `checkout.expiresAfterMinutes` from now, if absent.
    expiresAt: Type.Optional(DateTime),
    // Discount codes that the shop did not apply, and why: a code never costs the cart.
    refusedCodes: Type.Optional(
      Type.Array(
        Type.Object(
          {
            code: Type.String({ description: 'one of the codes that were sent' }),
            detail: Type.Optional(Type.String({ description: 'text, or leave it out' }))
          },
          { description: 'an object with code' }
        ),
        { description: 'the list of codes that were not applied' }
      )
    )
  },
  { description: 'an object with lines, currency and url' }
)
export type Handoff = Static<typeof Handoff>
export type RefusedCode = NonNullable<Handoff['refusedCodes']>[number]

export type ShopAccess<Settings = unknown> = {
  settings: Settings
  /** The same for every attempt with this cart: URL-safe, at most 64 characters. */
  key: string
  signal: AbortSignal
  fetch: Fetch
  clock: () => Date
  /** The Standard Webhooks secret shared with the shop, if the merchant has one. */
  secret?: string
}

export type Destination<Settings = unknown> = {
  /** Its name in merchant files, as `type`. */
  name: string
  title: string
  settings: TObject
  /** Whether a merchant has to share a secret with the shop; without one, the shop can report no orders. */
  needsSecret: boolean
  /** Checks what the schema of its settings cannot. */
  check(settings: Settings, route: DestinationRoute, report: ReportError): void
  /**
   * Puts a cart into a fresh cart of the shop's.
   * @throws CartRefused if the shop does not sell all of it as it was sent, anything else if it failed
   */
  open(cart: Cart, access: ShopAccess<Settings>): Promise<Handoff>
  /** Reads what the shop tells of its orders by itself, at `/orders/` and the name: for a merchant that shares a secret. */
  messages?: ShopMessages
  /**
   * Asks a shop, of which nothing but the address is needed, what a merchant file says of it.
   * @throws ShopFailed if bags cannot be handed to it, with what to do
   */
  look?(url: string, fetch: Fetch, signal: AbortSignal): Promise<ShopFacts>
}

/** `language` is a BCP 47 tag, absent if the shop does not say it; `remarks` are sentences for the operator. */
export type ShopFacts = { name: string; currency: string; language?: string; remarks: string[] }

export type ShopError = {
  field: CartField
  /** Its index in the cart; absent if the cart as a whole is wrong. */
  line?: number
  detail: string
} & (
  | { code: 'sku-unknown' | 'out-of-stock' | 'price-missing' | 'currency-not-sold' | 'destination-differs' }
  // The most units that it sells.
  | { code: 'quantity-too-large'; limit: { units: number } }
)

export class CartRefused extends Error {
  readonly mistakes: [ShopError, ...ShopError[]]

  constructor(mistakes: [ShopError, ...ShopError[]]) {
    super('the shop refused the cart')
    this.mistakes = mistakes
  }
}

/** The shop is slow or down, or its answer makes no sense. The message is for the log and quotes nothing secret. */
export class ShopFailed extends Error {
  /** In seconds, if the shop says when to try again. */
  readonly retryAfter: number | undefined
  /** Whether it is taken to have made no cart: it was not reached, or answered that it failed or refuses. */
  readonly madeNothing: boolean

  constructor(
    message: string,
    { retryAfter, madeNothing = false }: { retryAfter?: number | undefined; madeNothing?: boolean } = {}
  ) {
    super(message)
    this.retryAfter = retryAfter
    this.madeNothing = madeNothing
  }
}

/** No connection, no answer in time, or 5xx. Any other failure may be due to one cart alone. */
export class ShopDown extends ShopFailed {}

export class HandoffExpired extends ShopFailed {}

/** Of a call by which codes were to be applied, and which the shop answered with a failure: the cart goes without them. */
export function allRefused(codes: string[]): (error: unknown) => RefusedCode[] {
  return error => {
    if (!(error instanceof ShopFailed)) throw error
    return codes.map(code => ({ code, detail: error.message }))
  }
}

/** What all cookies or all headers may have together: a proxy reads heads of 8 KiB. */
const MAX_HEAD = 8192

/** As `checkout.expiresAfterMinutes`. */
const MAX_LIFETIME = 365 * 24 * 60 * 60_000

/** As it may be stored and described to the app. */
export type ReadHandoff = Pick<Handoff, 'lines' | 'currency' | 'refusedCodes'> & {
  description: Description
  expiresAt?: Date
}

/** @throws ShopFailed naming the first field that is wrong, and what would be right; never what was there */
export function readHandoff(answer: unknown, now: Date): ReadHandoff {
  const [error] = Value.Errors(Handoff, answer)
  if (error) throw wrong(error.path, `give ${(error.schema as TSchema).description}`)
  const { currency, url, method = 'GET', body, expiresAt, refusedCodes, ...lists } = answer as Handoff
  const { properties } = Handoff
  const lines = knownFields(properties.lines, lists.lines)
  const cookies = knownFields(properties.cookies, lists.cookies)
  const headers = knownFields(properties.headers, lists.headers)
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
  if (until && until <= now) throw new HandoffExpired("the shop's answer is wrong at /expiresAt: it is in the past")
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
    ...(until && { expiresAt: until }),
    ...(refusedCodes && { refusedCodes })
  }
}

/** Without fields that the contract does not have: one may be called `__proto__`. */
function knownFields<One extends object>({ items }: { items: { properties: object } }, list: One[] = []): One[] {
  const names = Object.keys(items.properties) as (keyof One)[]
  return list.map(one => Object.fromEntries(names.filter(name => name in one).map(name => [name, one[name]])) as One)
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

const MAX_OTHERS = 20

type HeldCart = Pick<ReadHandoff, 'lines' | 'currency'>

/** @throws CartRefused if the shop's cart holds anything but what was sent */
export function compareCart(cart: Cart, held: HeldCart): void {
  const found = cartDifferences(cart, held)
  if (isAny(found)) throw new CartRefused(found)
}

/**
 * Quantities are compared by SKU: a shop may make one line of two, or the other way round.
 * @returns every difference, but of the SKUs that were not sent only the first few
 */
export function cartDifferences({ items, currency }: Cart, held: HeldCart): ShopError[] {
  const sent = unitsBySku(items)
  const inShop = unitsBySku(held.lines)
  const found: ShopError[] = items.flatMap(({ sku }, line) => {
    const units = inShop.get(sku)
    if (units === sent.get(sku)) return []
    const detail = `The shop's cart has ${units ?? 0} units of ${JSON.stringify(sku)}; ${sent.get(sku)} were sent.`
    // Many shops keep a line that they cannot sell, with no units.
    return [{ field: 'sku', line, code: units === 0 ? 'out-of-stock' : 'destination-differs', detail }]
  })
  const others = [...inShop].flatMap(([sku, units]) => (units > 0 && !sent.has(sku) ? sku : []))
  for (const sku of others.slice(0, MAX_OTHERS)) {
    const detail = `The shop's cart also has ${JSON.stringify(sku)}, which was not sent.`
    found.push({ field: 'items', code: 'destination-differs', detail })
  }
  if (held.currency !== currency) {
    const detail = `The shop's cart is in ${JSON.stringify(held.currency)}; ${currency} was sent.`
    found.push({ field: 'currency', code: 'destination-differs', detail })
  }
  return found
}
