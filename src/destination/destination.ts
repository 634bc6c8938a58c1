// A destination: where a cart leads, if not to our own page (contract 1: "its bag page or checkout page").
import { type Static, type TObject, Type } from '@sinclair/typebox'
import type { Cart, CartField } from '../cart/cart.ts'
import type { MistakeCode } from '../errors.ts'
import { describedPatterns } from '../transfer/description.ts'
import { MAX_URL, type SettingMistake, type TransferOption } from '../transfer/option.ts'

/** What a name or a value of a cookie or a header may have, in characters. */
const MAX_TEXT = 4096

export const DateTime = Type.String({
  pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?(Z|[+-]\\d\\d:\\d\\d)$',
  description: 'a date and time with an offset, such as "2027-01-31T12:00:00Z"'
})

const LimitedText = (pattern: string, what: string) =>
  Type.String({ pattern, maxLength: MAX_TEXT, description: `${what}, at most 4,096 characters` })

const TrueOrFalse = Type.Boolean({ description: 'true or false' })

/** A setting that is the address of a shop or of its page. */
export const AddressSetting = (description: string) => Type.String({ minLength: 1, maxLength: MAX_URL, description })

/** What a shop answers: where the app has to go, and what the cart holds there. */
export const Handover = Type.Object(
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
    expiresAt: Type.Optional(DateTime)
  },
  { description: 'an object with lines, currency and url' }
)
export type Handover = Static<typeof Handover>

/** With what a destination opens a cart in one merchant's shop. */
export type ShopAccess<Settings = unknown> = {
  settings: Settings
  /** The same for every attempt with this cart: URL-safe, at most 64 characters. */
  key: string
  /** Aborts when the time is up. */
  signal: AbortSignal
  fetch: typeof fetch
  clock: () => Date
  /** The Standard Webhooks secret shared with the shop, if the merchant has one. */
  secret?: string
}

/** What is known at start of the way to the shop. */
export type DestinationRoute = {
  /** How the option answers: pages are reached by a redirect, which carries less than a description. */
  answer: TransferOption['answer']
  /** Scheme, host and port of publicUrl; absent if it is only a path. */
  origin?: string
  /** The path of publicUrl; empty for the root. */
  path: string
  /** Those that the merchant sells in. */
  currencies: string[]
}

export type Destination<Settings = unknown> = {
  /** Its name in merchant files, as `type`. */
  name: string
  title: string
  /** The keys that it adds to `checkout.destination`. */
  settings: TObject
  /** Whether a merchant needs a secret that it shares with the shop; without one, the shop can report no orders. */
  needsSecret: boolean
  /** Finds what the schema of the settings cannot. */
  check(settings: Settings, route: DestinationRoute): SettingMistake[]
  /**
   * Puts a cart into a fresh cart of the shop's.
   * @throws CartRefused if the shop does not sell all of it as it was sent, anything else if it failed
   */
  open(cart: Cart, access: ShopAccess<Settings>): Promise<Handover>
}

/** What the shop does not sell, or has other than it was sent. */
export type ShopMistake = {
  field: CartField
  /** The index of the line in the cart; absent for what is wrong with the whole. */
  line?: number
  detail: string
} & (
  | {
      code: Extract<
        MistakeCode,
        'sku-unknown' | 'out-of-stock' | 'price-missing' | 'currency-not-sold' | 'destination-differs'
      >
    }
  // The most units of the line that it sells.
  | { code: Extract<MistakeCode, 'quantity-too-large'>; limit: { units: number } }
)

/** The shop does not sell the cart as it was sent. */
export class CartRefused extends Error {
  readonly mistakes: [ShopMistake, ...ShopMistake[]]

  constructor(mistakes: [ShopMistake, ...ShopMistake[]]) {
    super('the shop refused the cart')
    this.mistakes = mistakes
  }
}

/** The shop is slow or down, or its answer makes no sense. The message is for the log, and quotes nothing secret. */
export class ShopFailed extends Error {}

/** It says nothing, or that it cannot: no connection, too slow, 5xx. Other failures may be due to one cart alone. */
export class ShopDown extends ShopFailed {}

/** The cart that the shop has answered with is over, so its key is as well. */
export class HandoverExpired extends ShopFailed {}

/** The shop's answer cannot be carried out by the option of this merchant. The message is for the log. */
export class HandoverUnusable extends Error {}
