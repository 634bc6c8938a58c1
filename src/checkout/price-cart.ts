// Prices a cart from the catalogue. The catalogue's price is charged; a price sent by the app is only compared. Each line that
// cannot be sold says why. The refusal names them all by the sender's own field names, and has the whole cart for the page.
import type { Cart, CartField, Item } from '../cart/cart.ts'
import { isAny, type Limit, Problem, problemFrom, type ValidationErrorCode } from '../errors.ts'
import type { AmountProblem } from '../integrations/payment/provider.ts'
import { type Availability, type Catalogue, isSellable, type Product, priceAt } from '../merchant/catalogue/product.ts'
import { chargedAt, type Merchant, type Way } from '../merchant/merchant.ts'
import { toDecimal, toMinor } from '../money.ts'
import { isForm } from '../transfer/option.ts'

/** Why a line cannot be sold; each leads to `cart-not-sellable`. */
export type LineError = Extract<ValidationErrorCode, 'sku-unknown' | 'out-of-stock' | 'price-missing'>

/** A line of the cart with its product. Amounts are integers in minor units of the cart's currency. */
export type SellableLine = {
  item: Item
  product: Product
  unitPrice: number
  /** The unit price before the sale, if that is higher. */
  regularPrice?: number
  lineTotal: number
  availability: Availability
  /** The unit price that the app sent, if it is readable and different. */
  claimedPrice?: number
  isSellable: true
}

export type PricedLine =
  | SellableLine
  | { item: Item; product: Product | undefined; mistake: LineError; isSellable: false }

/** Lines in the cart's order; the subtotal is absent unless every line can be sold. */
export type PricedCart = { lines: SellableLine[]; subtotal: number } | { lines: PricedLine[]; subtotal: undefined }

export function priceCart(cart: Cart, catalogue: Catalogue, now: Date): PricedCart {
  const lines = cart.items.map(item => priceLine(item, cart.currency, catalogue.product(item.sku), now))
  if (!lines.every(line => line.isSellable)) return { lines, subtotal: undefined }
  return { lines, subtotal: lines.reduce((sum, { lineTotal }) => sum + lineTotal, 0) }
}

function priceLine(item: Item, currency: string, product: Product | undefined, now: Date): PricedLine {
  const offer = product?.offers[currency]
  if (!product || !offer) {
    const isSoldOut = product && !Object.values(product.offers).some(isSellable)
    const mistake = !product ? 'sku-unknown' : isSoldOut ? 'out-of-stock' : 'price-missing'
    return { item, product, isSellable: false, mistake }
  }
  if (!isSellable(offer)) return { item, product, isSellable: false, mistake: 'out-of-stock' }
  const unitPrice = priceAt(offer, now)
  const line: SellableLine = {
    item,
    product,
    isSellable: true,
    unitPrice,
    lineTotal: unitPrice * item.quantity,
    availability: offer.availability
  }
  if (offer.price > unitPrice) line.regularPrice = offer.price
  if (item.price !== undefined) {
    const claimed = toMinor(item.price, currency)
    if (claimed !== undefined && claimed !== unitPrice) line.claimedPrice = claimed
  }
  return line
}

/** What cannot be sold: a line, by its index in the cart, or the cart as a whole. */
type CartError = { field: CartField; line?: number; code: ValidationErrorCode; detail: string; limit?: Limit }

export function cartProblem(
  { reference, items }: Cart,
  found: CartError[],
  { option: { pointer } }: Way
): Problem | undefined {
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
  return problemFrom(mistakes, { detail, bag, reference, lines: items.length })
}

/** A merchant, and the way by which the cart came in. */
type Seller = { merchant: Merchant; way: Way }

/**
 * What in a cart cannot be sold, or is more than the merchant sells in one line.
 * @param isProduct whether a product has a SKU, to say which may have been meant
 */
export function findUnsellable(
  { currency, items }: Cart,
  { merchant: { currencies }, way }: Seller,
  mistakeOf: (item: Item, line: number) => LineError | undefined,
  isProduct?: (sku: string) => boolean
): CartError[] {
  const { option, transfer } = way
  const { maxQuantity } = transfer
  const isSold = currencies.includes(currency)
  const found: CartError[] = []
  items.forEach((item, line) => {
    const code = mistakeOf(item, line)
    if (code === undefined && item.quantity <= maxQuantity) return
    const sku = JSON.stringify(item.sku)
    // A currency that the merchant does not sell in is one error, not one per line.
    if (code !== undefined && (isSold || code !== 'price-missing')) {
      const hint = isProduct && code === 'sku-unknown' && isForm(option) ? plusHint(item.sku, isProduct) : undefined
      const detail = {
        'sku-unknown': `No product has the SKU ${sku}; ${hint ?? 'SKUs are compared exactly.'}`,
        'out-of-stock': `The product ${sku} is out of stock.`,
        'price-missing': `The product ${sku} has no price in ${currency}.`
      }[code]
      found.push({ field: 'sku', line, code, detail })
    }
    if (item.quantity > maxQuantity) {
      const detail = `${item.quantity} units of ${sku}; this merchant sells at most ${maxQuantity} in one line.`
      found.push({ field: 'quantity', line, code: 'quantity-too-large', detail, limit: { units: maxQuantity } })
    }
  })
  if (isSold) return found
  const detail = `This merchant sells in ${currencies.join(', ')}, not in ${currency}.`
  return [...found, { field: 'currency', code: 'currency-not-sold', detail }]
}

/** With more spaces than that, only the SKU with a plus for each is looked for: the choices double with each. */
const MAX_SPACES = 4

/** What to say of a SKU if one or more of its spaces are a plus in that of a product: a form reads a bare `+` as a space. */
function plusHint(sku: string, isProduct: (sku: string) => boolean): string | undefined {
  const [first = '', ...others] = sku.split(' ')
  const joined = (heads: string[], part: string) => heads.flatMap(head => [`${head}+${part}`, `${head} ${part}`])
  const similar = others.length > MAX_SPACES ? [sku.replaceAll(' ', '+')] : others.reduce(joined, [first])
  const meant = similar.find(isProduct)
  return meant && `there is a product ${JSON.stringify(meant)}: a plus is sent as %2B, as + is a space in a form.`
}

/** What in a priced cart cannot be sold, or is more than the merchant sells. */
export function cartMistakes(
  cart: Cart,
  { lines, subtotal }: PricedCart,
  seller: Seller,
  isProduct?: (sku: string) => boolean
): CartError[] {
  const { currency } = cart
  const mistakeOf = (_: Item, i: number) => (lines[i]?.isSellable === false ? lines[i].mistake : undefined)
  const found = findUnsellable(cart, seller, mistakeOf, isProduct)
  const wrongTotal = subtotal === undefined ? undefined : totalError(subtotal, currency, seller.merchant)
  return wrongTotal ? [...found, wrongTotal] : found
}

const AMOUNT_MISTAKES = {
  least: { code: 'total-too-small', takes: 'takes at least' },
  most: { code: 'total-too-large', takes: 'takes at most' },
  exact: { code: 'total-inexact', takes: 'cannot charge exactly that; the nearest is' }
} as const

/** What is wrong with a total that exceeds the merchant's limit, or that no delivery method makes payable. */
function totalError(subtotal: number, currency: string, merchant: Merchant): CartError | undefined {
  const { maxTotal, delivery, countries, payment } = merchant
  const limit = maxTotal?.[currency]
  const amount = (minor: number) => `${toDecimal(minor, currency)} ${currency}`
  if (limit !== undefined && subtotal > limit) {
    const most = `this merchant sells at most ${toDecimal(limit, currency)} at once.`
    const detail = `The goods cost ${amount(subtotal)}; ${most}`
    return { field: 'items', code: 'total-too-large', detail, limit: { minor: limit, currency } }
  }
  if (!payment) return undefined
  const methods = (delivery[currency] ?? []).filter(
    ({ countries: only }) => only?.some(country => countries[currency]?.includes(country)) ?? true
  )
  const prices = methods.length === 0 ? [0] : methods.map(method => chargedAt(subtotal, method).price)
  const problems = prices.map(price => unpayable(subtotal + price, currency, merchant))
  const [problem] = problems
  if (!problem || problems.includes(undefined)) return undefined
  const { code, takes } = AMOUNT_MISTAKES[problem.breaks]
  // For the first method, which the page would choose.
  const delivered = prices[0] ? `, with delivery ${amount(subtotal + prices[0])}` : ''
  const right = `${payment.provider.title} ${takes} ${amount(problem.nearest)}.`
  const detail = `The goods cost ${amount(subtotal)}${delivered}; ${right}`
  const bound = { minor: problem.nearest, currency }
  return { field: 'items', code, detail, ...(problem.breaks !== 'exact' && { limit: bound }) }
}

/** Why an order of this total, in minor units, could not be paid. A total of 0 need not be. */
export function unpayable(total: number, currency: string, { payment }: Merchant): AmountProblem | undefined {
  return total === 0 ? undefined : payment?.provider.checkAmount(total, currency)
}

/** One reference, one order: another cart under it is refused, without the order number. */
export function alreadyOrdered({ reference, items }: Cart): Problem {
  const detail = 'An order was placed under this reference, for another cart; a reference is unique per order.'
  return new Problem('reference-ordered', { detail, reference, lines: items.length })
}
