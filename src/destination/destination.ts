// A destination: where a cart leads, if not to our own page (contract 1: "its bag page or checkout page"). To add one,
// implement this and add a line to `index.ts`; nothing else has to change.
import type { TObject } from '@sinclair/typebox'
import type { Cart } from '../cart/cart.ts'
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
