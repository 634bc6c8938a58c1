// Pricing is exact, uses only the catalogue's prices, and gives a total only if every line can be sold.
import { deepStrictEqual, equal } from 'node:assert/strict'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import type { Cart, Item } from '../../src/cart/cart.ts'
import { priceCart } from '../../src/checkout/price-cart.ts'
import type { Availability, Catalogue, Offer, Product } from '../../src/merchant/catalogue/product.ts'
import { MAX_PRICE } from '../../src/money.ts'

const NOW = new Date('2026-11-20T10:00:00.000Z')

const offer = (price: number, availability: Availability = 'in_stock'): Offer => ({ price, availability })
const product = (sku: string, offers: Record<string, Offer>): Product => ({ sku, title: `The ${sku}`, offers })
const catalogueOf = (...products: Product[]): Catalogue => {
  const bySku = new Map(products.map(product => [product.sku, product]))
  return { product: sku => bySku.get(sku) }
}
const cartOf = (items: Item[], currency = 'GBP'): Cart => ({ reference: 'order-1', currency, items })

const MUG = product('MUG', { GBP: offer(1250) })
const YEN = product('YEN', { JPY: offer(1250) })
const DINAR = product('DINAR', { BHD: offer(1250) })
const PREORDER = product('PREORDER', { GBP: offer(100, 'preorder') })
const BACKORDER = product('BACKORDER', { GBP: offer(200, 'backorder') })
const SOLD_OUT = product('SOLD_OUT', { GBP: offer(300, 'out_of_stock') })
const DOLLAR = product('DOLLAR', { USD: offer(400) })
const DOLLAR_SOLD_OUT = product('DOLLAR_SOLD_OUT', { USD: offer(400, 'out_of_stock') })
const TWO_WAYS = product('TWO_WAYS', { GBP: offer(500, 'out_of_stock'), USD: offer(600) })
const FREE = product('FREE', { GBP: offer(0) })
const SALE = product('SALE', { GBP: { ...offer(8000), sale: { price: 6495 } } })
const from = NOW.getTime() + 1
const LATER_SALE = product('LATER_SALE', { GBP: { ...offer(8000), sale: { price: 6495, from } } })
const catalogue = catalogueOf(
  ...[MUG, YEN, DINAR, PREORDER, BACKORDER, SOLD_OUT, DOLLAR, DOLLAR_SOLD_OUT, TWO_WAYS, FREE, SALE, LATER_SALE]
)

t.test('a line has the price, availability and mistake of its product', async t => {
  const cases: [string, string, number, object][] = [
    ['MUG', 'GBP', 2, { isSellable: true, unitPrice: 1250, lineTotal: 2500, availability: 'in_stock', product: MUG }],
    ['FREE', 'GBP', 3, { isSellable: true, unitPrice: 0, lineTotal: 0 }],
    ['SALE', 'GBP', 1, { isSellable: true, unitPrice: 6495, lineTotal: 6495 }],
    ['LATER_SALE', 'GBP', 1, { isSellable: true, unitPrice: 8000, lineTotal: 8000 }],
    ['PREORDER', 'GBP', 1, { isSellable: true, availability: 'preorder' }],
    ['BACKORDER', 'GBP', 1, { isSellable: true, availability: 'backorder' }],
    ['TWO_WAYS', 'USD', 1, { isSellable: true, unitPrice: 600 }],
    ['TWO_WAYS', 'GBP', 1, { isSellable: false, mistake: 'out-of-stock', product: TWO_WAYS }],
    ['SOLD_OUT', 'GBP', 1, { isSellable: false, mistake: 'out-of-stock' }],
    ['DOLLAR', 'GBP', 1, { isSellable: false, mistake: 'price-missing', product: DOLLAR }],
    ['DOLLAR_SOLD_OUT', 'GBP', 1, { isSellable: false, mistake: 'out-of-stock' }],
    ['mug', 'GBP', 1, { isSellable: false, mistake: 'sku-unknown', product: undefined }],
    ['MUG ', 'GBP', 1, { isSellable: false, mistake: 'sku-unknown' }],
    ['__proto__', 'GBP', 1, { isSellable: false, mistake: 'sku-unknown' }]
  ]
  for (const [sku, currency, quantity, line] of cases) {
    const item = { sku, quantity }
    const priced = priceCart(cartOf([item], currency), catalogue, NOW)
    t.match(priced.lines, [{ item, ...line }], `${sku} in ${currency}`)
    const { lineTotal } = priced.lines[0] as { lineTotal?: number }
    t.strictSame(priced, { lines: priced.lines, subtotal: lineTotal }, 'its total is the subtotal')
  }
})

t.test('claims are compared in the currency of the cart, and never used', async t => {
  const cases: [sku: string, currency: string, price: string, other?: number][] = [
    ['MUG', 'GBP', '12.50'],
    ['MUG', 'GBP', '12.5'],
    ['MUG', 'GBP', '0012.50'],
    ['MUG', 'GBP', '12.49', 1249],
    ['MUG', 'GBP', '1250', 125_000],
    ['MUG', 'GBP', '0', 0],
    ['YEN', 'JPY', '1250'],
    ['YEN', 'JPY', '1251', 1251],
    ['DINAR', 'BHD', '1.25'],
    ['DINAR', 'BHD', '12.50', 12_500],
    ['SALE', 'GBP', '80.00', 8000],
    ['SALE', 'GBP', '64.95'],
    ...['12,51', '£12.51', '', '12.505', '-12.51', '1e1'].map((text): [string, string, string] => ['MUG', 'GBP', text])
  ]
  for (const [sku, currency, price, claimedPrice] of cases) {
    const { lines } = priceCart(cartOf([{ sku, quantity: 1, price }], currency), catalogue, NOW)
    t.match(lines, [{ isSellable: true, claimedPrice }], `${sku}: "${price}"`)
  }
})

const currencies = fc.constantFrom('JPY', 'GBP', 'BHD')
const price = fc.oneof(fc.integer({ min: 0, max: MAX_PRICE }), fc.constant(MAX_PRICE), fc.constant(0))
const sellable = fc.constantFrom<Availability>('in_stock', 'preorder', 'backorder')
const claim = fc.oneof(fc.string(), fc.integer({ min: 0 }).map(String), fc.constantFrom('12.50', '0', '9'.repeat(30)))

/** A cart, and the offers of the products `P0`, `P1` and so on, all in one currency. */
type Priced = { currency: string; offers: Offer[]; items: Item[] }

const carts = (availability: fc.Arbitrary<Availability>): fc.Arbitrary<Priced> =>
  fc
    .tuple(currencies, fc.array(fc.record({ price, availability }), { minLength: 1, maxLength: 8 }))
    .chain(([currency, offers]) =>
      fc.record({
        currency: fc.constant(currency),
        offers: fc.constant(offers),
        items: fc.array(
          fc
            .tuple(fc.nat(offers.length - 1), fc.integer({ min: 1, max: 9999 }), fc.option(claim))
            .map(([i, quantity, price]) => ({ sku: `P${i}`, quantity, ...(price !== null && { price }) })),
          { minLength: 1, maxLength: 40 }
        )
      })
    )

const priceAll = ({ currency, offers, items }: Priced) => {
  const products = offers.map((offer, i) => product(`P${i}`, { [currency]: offer }))
  return priceCart(cartOf(items, currency), catalogueOf(...products), NOW)
}
const offerOf = ({ offers }: Priced, { sku }: Item) => offers[Number(sku.slice(1))] as Offer

/** Checks a property on many carts, and reports the smallest that breaks it. */
function holds<T>(t: Test, carts: fc.Arbitrary<T>, check: (cart: T) => void): void {
  const result = fc.check(fc.property(carts, check))
  t.notOk(result.failed, fc.defaultReportMessage(result) ?? `held for ${result.numRuns} carts`)
}

t.test(
  'the lines are those of the cart, in order, and the total is the exact sum of unit price times quantity',
  async t => {
    holds(t, carts(sellable), cart => {
      const exact = cart.items.map(item => BigInt(offerOf(cart, item).price) * BigInt(item.quantity))
      const { lines, subtotal = -1 } = priceAll(cart)
      deepStrictEqual(
        lines.map(({ item }) => item),
        cart.items
      )
      const totals = lines.map(line => (line.isSellable ? BigInt(line.lineTotal) : -1n))
      deepStrictEqual(totals, exact)
      equal(
        BigInt(subtotal),
        exact.reduce((sum, total) => sum + total, 0n)
      )
    })
  }
)

t.test('the catalogue’s price is used whatever the claim', async t => {
  const prices = (priced: Priced) => {
    const { lines, subtotal } = priceAll(priced)
    return { subtotal, units: lines.map(line => line.isSellable && line.unitPrice) }
  }
  holds(t, carts(sellable), cart => {
    const unclaimed = { ...cart, items: cart.items.map(({ sku, quantity }) => ({ sku, quantity })) }
    const catalogued = cart.items.map(item => offerOf(cart, item).price)
    deepStrictEqual(prices(cart), prices(unclaimed))
    deepStrictEqual(prices(cart).units, catalogued)
  })
})

t.test('with an unsellable line there is no total, but the others keep their prices', async t => {
  const withUnsellable = fc.tuple(carts(sellable), fc.nat(), fc.constantFrom('UNKNOWN', 'SOLD_OUT'))
  holds(t, withUnsellable, ([cart, at, sku]) => {
    const { currency, offers } = cart
    const items = cart.items.toSpliced(at % (cart.items.length + 1), 0, { sku, quantity: 1 })
    const products = offers.map((offer, i) => product(`P${i}`, { [currency]: offer }))
    const soldOut = product('SOLD_OUT', { [currency]: offer(1, 'out_of_stock') })
    const { lines, subtotal } = priceCart(cartOf(items, currency), catalogueOf(...products, soldOut), NOW)
    const sold = lines.filter(({ isSellable }) => isSellable)
    deepStrictEqual([subtotal, lines.length], [undefined, items.length])
    deepStrictEqual(sold, priceAll(cart).lines)
  })
})
