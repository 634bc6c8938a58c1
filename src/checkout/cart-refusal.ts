// The refusal of a cart that cannot be sold: all that is to blame, in the sender's terms, and the whole bag for the page.
import type { Cart, CartField, Pointer } from '../cart/cart.ts'
import { isAny, type Limit, type MistakeCode, Refusal, refusalOf, summarize } from '../errors.ts'
import type { Merchant } from '../merchant/merchant.ts'

/** What cannot be sold: a line, by its index in the cart, or something of the whole. */
export type CartMistake = { field: CartField; line?: number; code: MistakeCode; detail: string; limit?: Limit }

/**
 * @param of.isByShop whether the merchant's own shop refused it: then the log says what was wrong, which we cannot look up
 * @returns undefined if nothing was found
 */
export function cartRefusal(
  { reference, items }: Cart,
  found: CartMistake[],
  pointer: Pointer,
  { isByShop = false } = {}
): Refusal | undefined {
  const mistakes = found.map(({ field, line, ...mistake }) => {
    const item = line === undefined ? undefined : items[line]
    return { pointer: pointer(field, line), ...mistake, ...(item && { sku: item.sku }) }
  })
  if (!isAny(mistakes)) return undefined
  const things = mistakes.length === 1 ? '1 thing' : `${mistakes.length} things`
  const detail = `${things} in the cart cannot be sold; nothing of it was taken.`
  const ofLine = Map.groupBy(found, ({ line }) => line)
  const bag = items.map(({ sku, quantity }, i) => {
    const [first, ...others] = ofLine.get(i) ?? []
    const { limit } = [first, ...others].find(mistake => mistake?.limit) ?? {}
    return { sku, quantity, ...(first && { mistake: first.code }), ...(limit && { limit }) }
  })
  const reason = isByShop ? summarize(mistakes) : undefined
  return refusalOf(mistakes, { detail, bag, reference, lines: items.length, reason })
}

/** A currency that the merchant does not sell in. */
export function currencyMistakes({ currency }: Cart, { currencies }: Merchant): CartMistake[] {
  if (currencies.includes(currency)) return []
  const detail = `This merchant sells in ${currencies.join(', ')}, not in ${currency}.`
  return [{ field: 'currency', code: 'currency-not-sold', detail }]
}

/** A line of more units than the merchant sells at once. */
export function quantityMistake(
  { items }: Cart,
  line: number,
  { transfer: { maxQuantity } }: Merchant
): CartMistake | undefined {
  const { sku, quantity } = items[line] as Cart['items'][number]
  if (quantity <= maxQuantity) return undefined
  const detail = `${quantity} units of ${JSON.stringify(sku)}; this merchant sells at most ${maxQuantity} in one line.`
  return { field: 'quantity', line, code: 'quantity-too-large', detail, limit: { units: maxQuantity } }
}

export function unknownSku(sku: string): string {
  return `No product has the SKU ${JSON.stringify(sku)}; SKUs are compared exactly.`
}

/** One reference, one order: another cart under it is refused, without the order number. */
export function alreadyOrdered({ reference, items }: Cart): Refusal {
  const detail = 'An order was placed under this reference, for another cart; a reference is unique per order.'
  return new Refusal('reference-ordered', { detail, reference, lines: items.length })
}
