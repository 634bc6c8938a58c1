// A transfer option: one way for a cart to arrive (contract 1). To add an option, implement this and add a
// line to `index.ts`; nothing else has to change.
import type { TObject } from '@sinclair/typebox'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Cart, Pointer } from '../cart/cart.ts'
import type { MistakeCode, Refusal } from '../errors.ts'
import type { Authentication } from './authentication.ts'
import type { Description } from './description.ts'

/** The longest URL the contract allows (sections 4.1 and 8), in characters. */
export const MAX_URL = 2048

/** The longest token a checkout may have, in characters. */
export const MAX_TOKEN = 64

/** Leads from an accepted cart to its checkout page. */
export type CheckoutLink = {
  /** The only way to find the checkout: URL-safe, at most MAX_TOKEN characters. */
  token: string
  /** The absolute address of the merchant's checkout page: POST `token=…` to it, or GET it with `/<token>` appended. */
  url: string
  /** When the cart was accepted. */
  at: Date
  /** The request that opens the merchant's own checkout; absent if the page is ours. */
  description?: Description
  /** Answers with the page itself, or redirects to the merchant's own. */
  show: (reply: FastifyReply) => Promise<FastifyReply>
}

/** What the plugin of an option is registered with. */
export type TransferContext<Settings = unknown> = {
  maxItems: number
  /** The largest body that a legitimate cart of maxItems lines may have, in bytes. */
  bodyLimit: number
  settings: Settings
  /** How the platform has to prove who it is; absent if it does not have to. */
  authentication?: Authentication
  clock: () => Date
  /** Scheme, host and port as the app sees them. */
  origin: () => string
  /**
   * Accepts a cart that conforms to the contract: stores it durably, or finds the checkout that it already has.
   * @throws Refusal if the cart cannot be sold
   */
  accept: (request: FastifyRequest, cart: Cart) => Promise<CheckoutLink>
}

/** What is known of the JSON that a merchant takes. */
export type ExchangeContext<Settings = unknown> = {
  maxItems: number
  maxQuantity: number
  currencies: string[]
  settings: Settings
  /** A cart that this merchant may sell. */
  cart: Cart
  /** The absolute address of the merchant's checkout page; absent if its carts lead into a shop of its own. */
  checkoutUrl?: string
}

/** The JSON that the platform sends and is answered with, for its engineers: JSON Schemas (2020-12), and examples. */
export type JsonExchange = {
  request: TObject
  response: TObject
  /** The answer to the cart; undefined if only the shop knows. */
  answer: Description | undefined
  /** What can be wrong with the fields, and a cart that is refused for some of it. */
  mistakes: MistakeCode[]
  refusal: Refusal
}

/** A web request that transfers a cart, as the platform or the app sends it. */
export type WebRequest = {
  method: string
  url: string
  headers: WebHeader[]
  body?: string
}

/** If there is a `variable`, `$variable` in the value stands for what that environment variable holds: a secret. */
export type WebHeader = { name: string; value: string; variable?: string }

/** A setting that cannot work: its key, what is wrong and what would be right. */
export type SettingMistake = { key: (string | number)[]; problem: string }

export type TransferOption<Settings = unknown> = {
  /** Its name in merchant files. */
  name: string
  /** Its name in the contract (section 1). */
  title: string
  /** The keys that it adds to `transfer` in a merchant file. */
  settings: TObject
  /**
   * What a transfer is answered with: the page itself, or the description of a web request that leads to it. The
   * platform's servers ask for a description, and are refused with problem+json; the app's web view asks for a page, and
   * is refused with one.
   */
  answer: 'description' | 'page'
  /** How the cart travels: as JSON or a form in the body, in the query of the URL, or in some other way. */
  encoding: 'json' | 'form' | 'query' | 'other'
  /** Whether the cart carries the prices that the app shows. */
  sendsPrices: boolean
  /** Names a field of the cart as the sender writes it. */
  pointer: Pointer
  /** Finds what the schema of the settings cannot. @param checkoutUrl the longest address the page may have */
  check?(settings: Settings, checkoutUrl: string): SettingMistake[]
  /** The merchant's half, registered at {base_url}: reads the cart and calls `accept`. */
  plugin(app: FastifyInstance, context: TransferContext<Settings>): Promise<void>
  /** What it takes and answers, without any secret; absent if that is no JSON. */
  exchange?(context: ExchangeContext<Settings>): JsonExchange
  /** The platform's half: the request that sends this cart to {base_url}. */
  request(cart: Cart, baseUrl: string): WebRequest
  /** Other ways in which the platform can be configured to write that request, by name. */
  variants?: Record<string, (cart: Cart, baseUrl: string) => WebRequest>
}
