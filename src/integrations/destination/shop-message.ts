// What a shop tells of its orders by itself, in its own way: each destination whose shop does so reads its messages.

/** What a shop that knows where its orders come from says of those from the app. */
export const ATTRIBUTION = 'cart-transfer'

export const ORDER_STATUSES = ['placed', 'cancelled', 'refunded'] as const
export type OrderStatus = (typeof ORDER_STATUSES)[number]

export type ShopOrder = {
  /** Of the transfer; absent if the shop does not know it. */
  reference?: string
  number: string
  currency: string
  /** What was charged, in major units. */
  total: string
  items: { sku: string; quantity: number }[]
  status: OrderStatus
  /** When it was made in the shop, and last changed: UTC, ISO 8601, by the shop's clock. */
  createdAt: string
  changedAt: string
}

/** An order, or why there is none: `isOdd` if the shop may be set up wrong. */
export type ShopNews = { order: ShopOrder } | { order?: undefined; reason: string; isOdd?: boolean }

type MessageHeaders = Record<string, string | string[] | undefined>

export type ShopMessages = {
  mediaTypes: string[]
  /** @throws Problem `unauthorized`, or `contract-broken` if nothing can be made of it */
  read(headers: MessageHeaders, body: Buffer, secret: string): ShopNews
}
