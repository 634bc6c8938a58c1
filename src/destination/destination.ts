// A destination: where a cart leads, if not to our own page (contract 1: "its bag page or checkout page"). To add one,
// implement this and add a line to `index.ts`; nothing else has to change.
import type { TObject } from '@sinclair/typebox'
import type { Cart, CartField } from '../cart/cart.ts'
import type { MistakeCode } from '../errors.ts'
import type { DescribedCookie, DescribedHeader } from '../transfer/description.ts'
import type { SettingMistake, TransferOption } from '../transfer/option.ts'

/** What a shop answers: where the app has to go, and what the cart holds there. */
export type Handover = {
  /** Everything in the shop's cart, as the shop itself says. */
  lines: { sku: string; quantity: number }[]
  /** ISO 4217. */
  currency: string
  /** Absolute; at most 2,048 characters (contract 8). */
  url: string
  /** GET if absent. */
  method?: 'GET' | 'POST'
  /** Form-encoded (contract 4.1 rule 2); with POST only. */
  body?: string
  cookies?: DescribedCookie[]
  headers?: DescribedHeader[]
  /** ISO 8601 with an offset; `checkout.expiresAfterMinutes` from now, if absent. */
  expiresAt?: string
}

/** One merchant's shop, as its destination reaches it. */
export type ShopClient = {
  /**
   * Puts a cart into a fresh cart of the shop's.
   * @param key the same for every attempt with this cart: URL-safe, at most 64 characters
   * @param signal aborts when the time is up
   * @throws CartRefused if the shop does not sell all of it as it was sent, anything else if it failed
   */
  open: (cart: Cart, key: string, signal: AbortSignal) => Promise<Handover>
}

/** What a destination is connected with. */
export type DestinationParts = {
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
  /** Its name in words. */
  title: string
  /** The keys that it adds to `checkout.destination`. */
  settings: TObject
  /** Whether a merchant needs a secret that it shares with the shop; without one, the shop can report no orders. */
  needsSecret: boolean
  /** Finds what the schema of the settings cannot. */
  check(settings: Settings, route: DestinationRoute): SettingMistake[]
  connect(settings: Settings, parts: DestinationParts): ShopClient
}

// What goes wrong between us and a shop. Each becomes a refusal of the transfer; the log has the problem.

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

/** The shop does not sell the cart as it was sent; the shop is well. */
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
