// The cart: the one type that every option produces, and all that the rest of the server sees of a transfer.
import { hash, randomUUID } from 'node:crypto'
import { type Static, Type } from '@sinclair/typebox'

/** One line as sent. `price` is the price according to the app (2A), as text: contract 2.3 gives it no format. */
export const Item = Type.Object({
  sku: Type.String(),
  quantity: Type.Integer(),
  price: Type.Optional(Type.String())
})
export type Item = Static<typeof Item>

/** Who buys, as a link says it: typed for the shopper, who may change it. `address` has the names of `order-form.ts`. */
export const Buyer = Type.Object({
  email: Type.Optional(Type.String()),
  phone: Type.Optional(Type.String()),
  /** ISO 3166-1, two letters. */
  country: Type.Optional(Type.String()),
  address: Type.Optional(Type.Record(Type.String(), Type.String())),
  /** Of a stored cart: in the address to which the link leads, where the form has all this, and in no other. */
  key: Type.Optional(Type.String())
})
export type Buyer = Static<typeof Buyer>

/**
 * Contract 2.1, 2.3 and 2.4 in one shape. Lines are in the order sent; the same SKU on two lines stays two lines. The optional
 * parts came with the cart and change nothing of what is shown or charged: two carts that differ only in them are the same.
 */
export const Cart = Type.Object({
  reference: Type.String(),
  currency: Type.String(),
  items: Type.Array(Item),
  /** Where the shopper came from, such as `utm_source`, by name. Personal data. */
  attribution: Type.Optional(Type.Record(Type.String(), Type.String())),
  buyer: Type.Optional(Buyer),
  /** Discount codes. */
  codes: Type.Optional(Type.Array(Type.String())),
  /** The language that the shopper reads, as `Accept-Language` has it. */
  language: Type.Optional(Type.String()),
  /** The platform that keeps the cart by a protocol, and may change it. */
  platform: Type.Optional(Type.String()),
  /** A secret in the address by which that platform sends the shopper on; absent from carts of before version 1.3.0. */
  linkKey: Type.Optional(Type.String())
})
export type Cart = Static<typeof Cart>

/** What came along with a cart, and is kept with its order. */
export type CartExtras = Pick<Cart, 'attribution' | 'codes'>

/** Those that there are. */
export function extrasOf({ attribution, codes }: CartExtras): CartExtras {
  return { ...(attribution && { attribution }), ...(codes && { codes }) }
}

/** How a cart came in: the name of its way, and the platform that kept it by a protocol. */
export type CartOrigin = { option?: string } & Pick<Cart, 'platform'>

export function cartOrigin({ option, platform }: CartOrigin): CartOrigin {
  return { ...(option !== undefined && { option }), ...(platform !== undefined && { platform }) }
}

export type CartField = 'items' | 'sku' | 'quantity' | 'price' | 'currency' | 'reference'

/** Names a field of one line, or of the whole cart, as the sender writes it. */
export type Pointer = (field: CartField, line?: number) => string

/** Whether two carts are the same: same currency, same lines in the same order, including the prices sent. */
export function isSameCart(a: Cart, b: Cart): boolean {
  return (
    a.currency === b.currency &&
    a.items.length === b.items.length &&
    a.items.every(({ sku, quantity, price }, i) => {
      const other = b.items[i]
      return sku === other?.sku && quantity === other.quantity && price === other.price
    })
  )
}

/** A digest, equal for two carts exactly if `isSameCart` says that they are the same. */
export function cartDigest({ currency, items }: Cart): string {
  const lines = items.map(({ sku, quantity, price }) => [sku, quantity, price])
  return hash('sha256', JSON.stringify([currency, lines]), 'base64url')
}

/** The longest reference that the contract allows (sections 2.1 and 8), in characters. */
export const MAX_REFERENCE = 32

/** The only form of a UUID that fits into 32 characters. */
export const UUID_PATTERN = '^[0-9A-Fa-f]{32}$'
/** The common form of a UUID, with 36 characters. */
export const HYPHENATED_UUID_PATTERN = '^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$'

const UUID = new RegExp(UUID_PATTERN)
const HYPHENATED_UUID = new RegExp(HYPHENATED_UUID_PATTERN)

/** A UUID in the form that every option accepts. */
export const newReference = (): string => randomUUID().replaceAll('-', '')

export const isUuid = (text: string): boolean => UUID.test(text)

export const isHyphenatedUuid = (text: string): boolean => HYPHENATED_UUID.test(text)

/** The key by which references are compared: UUIDs regardless of case and hyphens, anything else exactly. */
export function referenceKey(reference: string): string {
  const bare = isHyphenatedUuid(reference) ? reference.replaceAll('-', '') : reference
  return isUuid(bare) ? bare.toLowerCase() : reference
}

/** The longest SKU (contract 2.1), in code points. */
export const MAX_SKU = 128

/** A code point other than control characters and lone surrogates; with the flag u, and without. */
export const CHARACTER = '(?:[^\\u0000-\\u001f\\u007f-\\u009f\\ud800-\\udfff]|[\\ud800-\\udbff][\\udc00-\\udfff])'

export const SKU_PATTERN = `^${CHARACTER}{1,${MAX_SKU}}$`

/** A SKU on two lines counts once, with the units of both. */
export function unitsBySku(lines: { sku: string; quantity: number }[]): Map<string, number> {
  const units = new Map<string, number>()
  for (const { sku, quantity } of lines) units.set(sku, (units.get(sku) ?? 0) + quantity)
  return units
}

/** The same for all carts with the same units of each SKU and the same currency. */
export function contentKey({ items, currency }: Omit<Cart, 'reference'>): string {
  return hash('sha256', JSON.stringify([currency, ...[...unitsBySku(items)].sort()]), 'base64url')
}
