// What an option of the contract is: one way in which a cart arrives. Whoever adds one writes this and nothing else.
import type { TObject } from '@sinclair/typebox'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Cart, Pointer } from '../cart/cart.ts'

/** Where an accepted cart has led: its checkout page. */
export type Landing = {
  /** The only way to find the checkout: URL-safe, at most MAX_TOKEN characters. */
  token: string
  /** The absolute address of the merchant's checkout page: POST `token=…` to it, or GET it with `/<token>` added. */
  url: string
  /** Answers with the page itself. */
  show: (reply: FastifyReply) => Promise<FastifyReply>
}

/** What an option's plugin is given: its settings, and the one way on. */
export type Transfer<Settings = unknown> = {
  /** The path of {base_url}, where the plugin puts its route. */
  path: string
  maxItems: number
  /** Bytes of the largest body that a legitimate cart of maxItems lines may have. */
  bodyLimit: number
  settings: Settings
  clock: () => Date
  /** Scheme, host and port that the app sees. */
  origin: () => string
  /**
   * Takes a cart that keeps the contract: stores it durably, or finds the checkout that it already has.
   * @throws Refusal when the cart cannot be sold
   */
  accept: (request: FastifyRequest, cart: Cart) => Promise<Landing>
}

/** A web request that hands a cart over, as the platform or the app sends it. */
export type WebRequest = {
  method: string
  url: string
  headers: { name: string; value: string }[]
  body?: string
}

/** A setting that cannot work: its key below `transfer`, what is wrong and what would be right. */
export type SettingMistake = { key: (string | number)[]; problem: string }

export type TransferOption<Settings = unknown> = {
  /** What merchant files call it. */
  name: string
  /** What the contract calls it (section 1). */
  title: string
  /** The keys that this option adds to `transfer` in a merchant file. */
  settings: TObject
  /**
   * What a transfer is answered with: the page itself, or the description of a web request that leads to it. The
   * platform's servers ask for a description, and are refused as problem+json; the app's web view asks for a page, and
   * is refused with one.
   */
  answer: 'description' | 'page'
  /** Names a field of the cart as this option writes it. */
  pointer: Pointer
  /** Finds what the schema of the settings cannot: `checkoutUrl` is the longest address the page may have. */
  check?(settings: Settings, checkoutUrl: string): SettingMistake[]
  /** The merchant's half: registers the route, reads the cart, calls `accept`. */
  plugin(app: FastifyInstance, transfer: Transfer<Settings>): Promise<void>
  /** The platform's half: the request that hands this cart to {base_url}. */
  request(cart: Cart, baseUrl: string): WebRequest
  /** Other ways in which a merchant may have the platform write that request, by the name of the configuration. */
  variants?: Record<string, (cart: Cart, baseUrl: string) => WebRequest>
}

/** The longest URL the contract allows (sections 4.1 and 8), in characters. */
export const MAX_URL = 2048

/** The longest token a checkout may have, in characters. */
export const MAX_TOKEN = 64
