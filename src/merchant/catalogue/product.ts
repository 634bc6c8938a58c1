// A product, and how one is found in a catalogue of any size: by SKU, title or variant, or the first that can be bought.
import { setImmediate } from 'node:timers/promises'
import { type Cart, newReference } from '../../cart/cart.ts'
import type { Language } from '../../messages/messages.ts'

/** Google's availability values, as Google spells them. */
export const AVAILABILITIES = ['in_stock', 'preorder', 'backorder', 'out_of_stock'] as const

export type Availability = (typeof AVAILABILITIES)[number]

export type LaterAvailability = 'preorder' | 'backorder'

/** A sale price in minor units and its period, in milliseconds since 1970; an absent end is open. */
export type Sale = { price: number; from?: number; until?: number }

/** The price of a product in one currency, in minor units, and whether it is available. */
export type Offer = { availability: Availability; price: number; sale?: Sale }

export type ProductText = {
  title: string
  /** Which of several it is, such as its colour and size: `Indigo · M`. */
  variant?: string
}

export type DescribedProduct = ProductText & {
  /** The language of title and variant, if no feed has them in the merchant's own. */
  language?: Language
  /** Title and variant in every language that the merchant file gives a feed. */
  texts?: Partial<Record<Language, ProductText>>
}

export type Product = DescribedProduct & {
  sku: string
  /** An absolute http(s) address, or a path below the merchant's publicUrl that begins with `/pictures/`. */
  image?: string
  /** By ISO 4217 code: rows of one id in several currencies are one product with several prices. */
  offers: Record<string, Offer>
}

export type Catalogue = { product: (sku: string) => Product | undefined }

/** Undefined for one that has come before: of a million, most may have, and whoever reads them all wants to pause. */
export type ListedProducts = Iterable<Product | undefined>

export type ListedCatalogue = Catalogue & { products: () => ListedProducts }

/** Title and variant in a language, or as the merchant has them. */
export function productText(product: DescribedProduct, language: Language): ProductText {
  return product.texts?.[language] ?? product
}

export function allTexts(product: DescribedProduct): ProductText[] {
  return [product, ...Object.values(product.texts ?? {})]
}

export function isSellable({ availability }: Offer): boolean {
  return availability !== 'out_of_stock'
}

export function shipsLater(availability: Availability): availability is LaterAvailability {
  return availability === 'preorder' || availability === 'backorder'
}

/** The price of an offer at a time, in minor units. */
export function priceAt({ price, sale }: Offer, now: Date): number {
  if (!sale) return price
  const time = now.getTime()
  return time >= (sale.from ?? -Infinity) && time <= (sale.until ?? Infinity) ? sale.price : price
}

/** Products that are searched between two pauses. */
const SLICE = 1000

/** In characters; what is longer is cut. */
const MAX_TEXT = 128

/**
 * @param text words that occur in SKU, title and variant, in any order, case and language; without any, everything matches
 * @returns the product with exactly this SKU, then others in the order of the feed, at most `limit`
 */
export async function findProducts(catalogue: ListedCatalogue, text: string, limit: number): Promise<Product[]> {
  const words = text.slice(0, MAX_TEXT).toLowerCase().split(/\s+/).filter(Boolean)
  const exact = catalogue.product(text)
  const found = exact ? [exact] : []
  let searched = 0
  for (const product of catalogue.products()) {
    if (found.length >= limit) break
    if (++searched % SLICE === 0) await setImmediate()
    if (!product || product.sku === exact?.sku) continue
    const texts = allTexts(product).flatMap(({ title, variant }) => [title, variant])
    const content = [product.sku, ...texts].join('\n').toLowerCase()
    if (words.every(word => content.includes(word))) found.push(product)
  }
  return found
}

/** The first `enough` products that can be bought, in the first of the currencies in which any can. */
export function findSellable(products: ListedProducts, currencies: string[], enough: number) {
  const found = currencies.map(currency => ({ currency, sellable: [] as { product: Product; offer: Offer }[] }))
  for (const product of products) {
    for (const { currency, sellable } of found) {
      const offer = product?.offers[currency]
      if (offer && isSellable(offer) && sellable.length < enough) sellable.push({ product, offer })
    }
    if (found[0]?.sellable.length === enough) break
  }
  return found.find(({ sellable }) => sellable.length > 0) ?? { currency: String(currencies[0]), sellable: [] }
}

export const PLACEHOLDER_SKU = 'YOUR-SKU'

/** A cart for a merchant whose products are not known here. */
export function placeholderCart(currencies: string[]): Cart {
  return { reference: newReference(), currency: String(currencies[0]), items: [{ sku: PLACEHOLDER_SKU, quantity: 1 }] }
}

/** A cart of up to two products, within a merchant's limits; undefined if nothing can be bought. */
export function exampleCart(
  products: ListedProducts,
  currencies: string[],
  { maxItems, maxQuantity }: { maxItems: number; maxQuantity: number }
): Cart | undefined {
  const { currency, sellable } = findSellable(products, currencies, Math.min(2, maxItems))
  const items = sellable.map(({ product: { sku } }, i) => ({ sku, quantity: Math.min(i + 1, maxQuantity) }))
  return items.length > 0 ? { reference: newReference(), currency, items } : undefined
}
