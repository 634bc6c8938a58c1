// A transfer option: how a cart arrives (contract 1). Its limits leave room for the longest cart and for fields
// beyond the contract, but no request may hold up the others.
import type { TObject, TSchema } from '@sinclair/typebox'
import type { Cart, Pointer } from '../cart/cart.ts'
import type { Problem, ValidationErrorCode } from '../errors.ts'
import type { Description } from './description.ts'

/** The longest URL the contract allows (sections 4.1 and 8), in characters. */
export const MAX_URL = 2048

/** The longest token a checkout may have, in characters. */
export const MAX_TOKEN = 64

/** The largest body that a legitimate cart may have, in bytes. */
export const maxBody = (maxItems: number): number => 64 * 1024 + maxItems * 2 * 1024

/** The most fields of a form, including those beyond the contract. */
export const maxFields = (maxItems: number): number => 1024 + maxItems * 16

/** The most members and elements of a JSON body, at any depth: a field beyond the contract may hold several. */
export const maxValues = (maxItems: number): number => 2 * maxFields(maxItems)

/**
 * How much of a field's encoded text is decoded, in characters. The longest field, a SKU, takes at most 12 for each of its
 * 128 (`%F0%9D%92%B3`, `\ud835\udcb3`): anything longer is still too long after it is cut here.
 */
export const MAX_ENCODED = 2048

export type CheckoutLink = {
  /** The only way to find the checkout: letters and digits (older ones: URL-safe), at most MAX_TOKEN characters. */
  token: string
  /** The absolute address of the merchant's checkout page: POST `token=…` to it, or GET it with `/<token>` appended. */
  url: string
  /** When the cart was accepted. */
  at: Date
}

export type ReadContext<Settings = unknown> = {
  maxItems: number
  maxQuantity: number
  settings: Settings
  /** The countries delivered to, by currency: for a cart that only says where it goes. */
  countries?: Record<string, string[]>
  /** Logs what is odd about a cart but no reason to refuse it. */
  warn: (details: object, message: string) => void
}

export type ExchangeContext<Settings = unknown> = {
  maxItems: number
  maxQuantity: number
  currencies: string[]
  settings: Settings
  /** A cart that this merchant may sell. */
  cart: Cart
  /** The absolute address of the merchant's checkout page; absent if carts lead to the merchant's own shop. */
  checkoutUrl?: string
}

/** The JSON that the platform sends and is answered with: JSON Schemas (2020-12), and examples. */
type JsonExchange = {
  request: TObject
  response: TObject
  /** The answer to the cart; undefined if only the shop knows. */
  answer: Description | undefined
  /** What can be wrong with the fields, and a cart that is refused for some of it. */
  mistakes: ValidationErrorCode[]
  problem: Problem
}

/** A web request that transfers a cart, as the platform or the app sends it. */
export type WebRequest = {
  method: string
  url: string
  headers: WebHeader[]
  body?: string
}

/** With a `variable`, `$variable` in the value stands for the secret in that environment variable. */
export type WebHeader = { name: string; value: string; variable?: string }

const ONLY_FOR_OUR_PAGE = Symbol('only for our page')

/** Marks a setting that only our page uses, and that is refused if carts lead to the merchant's own shop. */
export const OnlyForOurPage = <Schema extends TSchema>(schema: Schema): Schema => ({
  ...schema,
  [ONLY_FOR_OUR_PAGE]: true
})

export function isOnlyForOurPage(schema: TSchema): boolean {
  return ONLY_FOR_OUR_PAGE in schema
}

/** Where a value is in a file: names of keys, and places in lists from 0. */
export type Key = (string | number)[]

/** Reports a setting that cannot work. @param problem what is wrong and what would be right */
export type ReportError = (key: Key, problem: string) => void

type CommonParts<Settings> = {
  /** Its name in merchant files. */
  name: string
  /** Its name: that of the contract (section 1), or of the grammar of a link. */
  title: string
  /** The keys that it adds to `transfer` in a merchant file. One named `currency` is the shop's first by default. */
  settings: TObject
  /** How the cart travels: in the query of a GET, in its path below {base_url}, or as the body of a POST, of this media type. */
  encoding: 'query' | 'path' | `${string}/${string}`
  sendsPrices: boolean
  pointer: Pointer
  /** Checks what the schema of its settings cannot. @param checkoutUrl the longest one possible */
  check?(settings: Settings, checkoutUrl: string, report: ReportError): void
  /**
   * The merchant's half: reads the cart, strictly.
   * @param sent the bytes of the query, of what follows {base_url} and a slash (the rest of the path, and `?` and the query if
   * there is one), or of the body
   * @throws Problem `contract-broken` with every error
   */
  read(sent: Buffer, context: ReadContext<Settings>): Cart
  /** What it accepts and answers, without any secret; absent if that is not JSON. */
  exchange?(context: ExchangeContext<Settings>): JsonExchange
  /**
   * The platform's half: makes the request that sends this cart to {base_url}.
   * @throws Problem `contract-broken` if the option has no way to write the cart
   */
  request(cart: Cart, baseUrl: string, settings?: Settings): WebRequest
  /** Other ways in which the platform can be configured to write that request, by name. */
  variants?: Record<string, (cart: Cart, baseUrl: string) => WebRequest>
}

/** The app's web view asks for the page itself, and is refused with a page. */
export type PageOption<Settings = unknown> = CommonParts<Settings> & { answer: 'page' }

/** The platform's servers ask for the description of a web request that leads to the page; refused with problem+json. */
export type DescriptionOption<Settings = unknown> = CommonParts<Settings> & {
  answer: 'description'
  describe(link: CheckoutLink, settings: Settings): Description
}

/**
 * A browser opens a link, and is redirected to the checkout's own address, so that a reload opens no second checkout; refused with
 * a page.
 */
export type RedirectOption<Settings = unknown> = CommonParts<Settings> & {
  answer: 'redirect'
  /** The query that this address gets, such as `utm_source=app`; empty if none. @param sent as `read` has it, and was read */
  passOn(sent: Buffer, settings: Settings): string
}

/** The platform's servers keep a cart here by a protocol of several operations, and send the shopper to the address it answers with. */
export type ProtocolOption<Settings = unknown> = CommonParts<Settings> & {
  answer: 'protocol'
  /** Why a request could not be served, in the JSON of the protocol. */
  refuse(refusal: Problem): string
}

export type TransferOption = PageOption | DescriptionOption | RedirectOption | ProtocolOption

/** Whether it is the shopper's web view or browser that brings a cart, so that a refusal is a page. */
export function asksForPage({ answer }: TransferOption): boolean {
  return answer === 'page' || answer === 'redirect'
}

/** Whether its bags are in the merchant's app; others come from links and platforms. */
export function isOfApp({ answer }: TransferOption): boolean {
  return answer === 'page' || answer === 'description'
}

/** Whether the shopper gets to the page by an answer of ours to a browser, so that an own shop's page has to be within a redirect's reach. */
export function isRedirected({ answer }: TransferOption): boolean {
  return answer !== 'description'
}

/** Whether it has addresses below its path. */
export function hasPathsBelow({ answer, encoding }: TransferOption): boolean {
  return answer === 'protocol' || encoding === 'path'
}

/** Whether a cart arrives as form fields, in which `+` is a space. */
export function isForm({ encoding }: TransferOption): boolean {
  return encoding === 'query' || encoding === 'application/x-www-form-urlencoded'
}
