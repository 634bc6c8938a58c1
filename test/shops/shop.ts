// A real shop that `npm run test:shops` installs. To add one, write a `Shop` in a folder of its own and add it to the
// list in run.ts.
import type { Cart } from '../../src/cart/cart.ts'
import type { LineSelectors } from '../../src/kit/browser/web-view.ts'
import type { Case } from './cases.ts'
import type { Program } from './programs.ts'

/** Where things are while a shop is tried: origins such as `http://127.0.0.1:4000`. */
export type Addresses = {
  shop: string
  /** Of the storefront; under this name it has another host than ours. */
  page: string
  otherHost: string
}

/** Says what this machine lacks, to run a shop. */
export class ShopLeftOut extends Error {}

export type Shop = {
  /** As in `checkout.destination.type`. */
  name: string
  /** What is tried, with its version once it is installed, such as "Vendure 3.7.3, SQLite". */
  readonly title: string
  /** Puts its program into this folder, which is not there yet. @throws ShopLeftOut if it cannot be run here */
  install(folder: string): Promise<void>
  /** Fills its database, once. Everything that it needs is in this folder. @param reports where it reports its orders */
  prepare(folder: string, reports: Reports): Promise<void>
  /** Starts it, and waits until it answers; after a kill once more, with the same products. */
  start(folder: string, port: number): Promise<Program>
  orders: {
    /** Which of the ways its orders are reported for: the place in `ways`. */
    way: number
    /** Orders what is in the cart of a page. @returns the number of the order */
    place(page: PageRequest, addresses: Addresses): Promise<string>
  }
  goods: Goods
  /** What only the request that makes a cart contains. */
  cartRequest: string
  ways: Way[]
  /** Beside those of every shop. */
  cases?: Case[]
  /** Carts handed over while every call of the shop is recorded, for the tests of the adapter. */
  scenarios: Scenario[]
}

/** The addresses that take its orders, for each way one, and the secret that they share with the shop. */
export type Reports = { urls: string[]; secret: string }

export type Goods = {
  currency: string
  /** At least three that can be bought by the hundred. */
  exist: string[]
  unknown: string
  outOfStock: string
  /** What there is less of than a thousand units. */
  scarce: string
  /** Whether it makes one line of two with the same SKU. */
  sameSku: 'apart' | 'together'
  /** The most units of one SKU that the shop sells at once. */
  maxQuantity: number
}

/** One way for a cart to reach the storefront's page. */
export type Way = {
  /** In words, such as "session cookies". */
  title: string
  /** `checkout.destination` without its type. @param page the path of the storefront's page, such as `/0/checkout` */
  settings(addresses: Addresses, page: string): object
  /** What the conformance kit has to know of its page, if that is none of ours: a part of its profile. */
  kit?: Kit
  /** Asks the real shop what is in the cart that the browser's request is about, as a storefront does. */
  readCart(request: PageRequest, addresses: Addresses): Promise<ShopCart | undefined>
}

/** As in the profiles of src/kit/README.md. */
export type Kit = {
  page: Partial<LineSelectors> & { settleSeconds?: number }
  completeUrl?: string
  completeTitle?: string
  timeoutSeconds?: number
}

export type PageRequest = { url: URL; cookies: Record<string, string> }

/** `total` in minor units. */
export type ShopCart = { lines: { sku: string; quantity: number }[]; total: number }

/** The items of a cart. */
export const items = (...lines: [sku: string, quantity: number][]): Cart['items'] =>
  lines.map(([sku, quantity]) => ({ sku, quantity }))

/** What a cart may bring that changes nothing of its items: each shop knows SUMMER10, and OLD, which has expired. */
export const BROUGHT = {
  codes: ['NO-SUCH', 'SUMMER10', 'OLD'],
  attribution: {
    utm_source: 'instagram',
    utm_medium: 'paid social',
    utm_campaign: 'Sommer & mehr',
    fbclid: 'IwAR0a-b_c'
  }
}

export type Scenario = {
  /** Such as "one line is out of stock". */
  name: string
  /** Those in which they differ from the settings of the first way. */
  settings(addresses: Addresses): object
  cart: Omit<Cart, 'reference'>
}
