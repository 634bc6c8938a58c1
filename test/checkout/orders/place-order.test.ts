// Placing an order: exactly one, at the prices shown, or none. The digest of what a shopper agrees to changes with every price,
// line and delivery method, and has the prices.
import { join } from 'node:path'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import type { StoredCheckout } from '../../../src/checkout/checkout-store.ts'
import type { Order } from '../../../src/checkout/orders/order.ts'
import { orderFormOf, readEntry } from '../../../src/checkout/orders/order-form.ts'
import {
  type CheckedOrder,
  checkOrder,
  isDigestOf,
  placeOrder,
  type Quote,
  quoteDigest,
  shownPrices
} from '../../../src/checkout/orders/place-order.ts'
import { priceCart } from '../../../src/checkout/price-cart.ts'
import type { Product } from '../../../src/merchant/catalogue/product.ts'
import type { DeliveryMethod } from '../../../src/merchant/merchant.ts'
import { MAX_PRICE } from '../../../src/money.ts'
import { openSqlite } from '../../../src/store/sqlite/sqlite-store.ts'
import type { Store } from '../../../src/store/store.ts'
import { anyContext, catalogueOf } from '../../any-context.ts'
import { anyMerchant } from '../../any-merchant.ts'
import { newCheckout } from '../../store/store-suite.ts'

const NOW = new Date('2026-11-20T12:00:00.000Z')
const POST: DeliveryMethod = { id: 'post', label: 'Post', price: 450 }
const VAN: DeliveryMethod = { id: 'van', label: { en: 'Van', de: 'Transporter' }, price: 995 }
const VALID = { email: 'a@b.example', name: 'Ada', address1: '12 Square', city: 'London', postcode: 'SW1Y 4JH' }

type Counter = {
  store: Store
  products: Map<string, Product>
  checkout: StoredCheckout
  /** The digest that the page has now. */
  digest: () => string
  place: (
    typed?: Record<string, string>,
    checkout?: StoredCheckout,
    language?: string
  ) => Promise<Exclude<CheckedOrder, { outcome: 'ready' }> | Awaited<ReturnType<typeof placeOrder>>>
}

type Parts = { wrap?: (store: Store) => Store; deliveries?: DeliveryMethod[] }

async function counter(t: Test, { wrap = store => store, deliveries = [POST, VAN] }: Parts = {}): Promise<Counter> {
  const store = openSqlite(join(t.testdir({}), 'test.sqlite'))
  t.teardown(() => store.close())
  const offer = { price: 1250, availability: 'in_stock' } as const
  const products = new Map<string, Product>(
    ['MUG', 'THROW'].map(sku => [sku, { sku, title: `The ${sku}`, offers: { GBP: offer } }])
  )
  products.set('MUG', { sku: 'MUG', title: 'The MUG', variant: 'Green · L', offers: { GBP: offer } })
  const catalogue = catalogueOf(products)
  const merchant = anyMerchant({ countries: { GBP: ['GB', 'FR'] }, delivery: { GBP: deliveries } })
  const context = anyContext({ merchant, catalogue, store: wrap(store) })
  const first = await store.addCheckout(newCheckout('t1'))
  const digest = () => {
    const priced = priceCart(first.cart, catalogue, NOW)
    return priced.subtotal === undefined ? '' : quoteDigest({ lines: priced.lines, deliveries })
  }
  return {
    store,
    products,
    checkout: first,
    digest,
    place: async (typed = {}, checkout = first, language = 'en-GB') => {
      const { country = 'GB' } = typed
      const values = { ...VALID, digest: digest(), country, shown: country, ...typed }
      const entry = readEntry(orderFormOf(merchant), values, 'GBP')
      const checked = checkOrder(context, checkout, entry, language, NOW)
      return checked.outcome === 'ready' ? placeOrder(context, checked.order) : checked
    }
  }
}

const sell = ({ products }: Counter, sku: string, offer: object) => {
  const product = products.get(sku)
  const before = product?.offers.GBP
  if (product && before) products.set(sku, { ...product, offers: { GBP: { ...before, ...offer } } })
}

t.test('an order has the lines at current prices, the delivery, and what the shopper typed', async t => {
  const { place, store } = await counter(t)
  const attempt = await place({ delivery: 'van', country: 'FR', postcode: '75001', phone: '12345' })
  const order = 'order' in attempt ? attempt.order : undefined
  t.strictSame(attempt, {
    outcome: 'placed',
    isRepeat: false,
    order: {
      merchantId: 'shop',
      token: 't1',
      reference: 'order-1',
      currency: 'GBP',
      lines: [
        { sku: 'MUG', title: 'The MUG', variant: 'Green · L', quantity: 2, unitPrice: 1250, lineTotal: 2500 },
        { sku: 'THROW', title: 'The THROW', quantity: 1, unitPrice: 1250, lineTotal: 1250 }
      ],
      subtotal: 3750,
      delivery: { ...VAN, label: 'Van' },
      total: 4745,
      customer: {
        email: 'a@b.example',
        phone: '12345',
        country: 'FR',
        address: { name: 'Ada', address1: '12 Square', city: 'London', postcode: '75001' }
      },
      language: 'en-GB',
      placedAt: NOW.toISOString(),
      number: order?.number,
      secret: order?.secret
    }
  })
  t.match(order?.secret, /^[0-9a-f]{32}$/)
  t.strictSame(await store.findOrder('shop', 't1'), order)
})

t.test('an order has the language of the page, and its delivery is called what it was called there', async t => {
  const { place } = await counter(t)
  const order = { language: 'de-AT', delivery: { id: 'van', label: 'Transporter' } }
  t.match(await place({ delivery: 'van' }, undefined, 'de-AT'), { order })
})

t.test('an order has what came along with the cart, which changes nothing of what is charged', async t => {
  const { place, checkout } = await counter(t)
  const extras = { attribution: { utm_source: 'instagram' }, codes: ['WELCOME10'] }
  const came = { ...checkout, cart: { ...checkout.cart, ...extras, buyer: { email: 'gave@it.example' } } }
  const { order } = (await place({ delivery: 'post' }, came)) as { order: Order }
  t.match(order, { ...extras, subtotal: 3750, total: 4200, customer: { email: 'a@b.example' } })
  t.match(await place({ delivery: 'post' }), { outcome: 'placed', isRepeat: true, order })
})

t.test('without delivery methods there is no delivery and no charge', async t => {
  const { place } = await counter(t, { deliveries: [] })
  const attempt = await place({ delivery: 'van' })
  t.match(attempt, { outcome: 'placed', order: { subtotal: 3750, total: 3750 } })
  t.notOk('delivery' in ('order' in attempt ? attempt.order : {}))
})

t.test('changed prices are reported before mistakes, and mistakes before an order is placed', async t => {
  const here = await counter(t)
  const digest = here.digest()
  t.match(await here.place({ email: '' }), { outcome: 'mistaken', mistakes: [{ field: 'email' }] })
  t.match(await here.place({ country: 'FR', postcode: '', city: '' }), {
    mistakes: [{ field: 'postcode' }, { field: 'city' }]
  })
  sell(here, 'THROW', { price: 1 })
  const changed = await here.place({ digest, email: '' })
  const shown = { lines: [1250, 1250], deliveries: [450, 995] }
  t.match(changed, { outcome: 'changed', shown, priced: { subtotal: 2501 } })
  sell(here, 'MUG', { availability: 'out_of_stock' })
  t.match(await here.place({ digest, email: '' }), { outcome: 'unsellable', priced: { subtotal: undefined } })
  here.products.clear()
  t.match(await here.place({ digest }), { outcome: 'unsellable' })
  t.equal(await here.store.findOrder('shop', 't1'), undefined)
})

t.test('a form without a digest counts as changed prices, and what they were is unknown', async t => {
  const { place } = await counter(t)
  t.match(await place({ digest: '' }), {
    outcome: 'changed',
    shown: { lines: undefined, deliveries: undefined }
  })
})

t.test('placing repeatedly, even at once, gives one order: the first', async t => {
  const { place } = await counter(t)
  const attempts = await Promise.all(
    Array.from({ length: 20 }, (_, i) => place({ name: `Ada ${i}`, delivery: i % 2 ? 'van' : 'post' }))
  )
  t.match(attempts[0], { outcome: 'placed', isRepeat: false, order: { customer: { address: { name: 'Ada 0' } } } })
  const repeat = { ...attempts[0], isRepeat: true }
  for (const attempt of attempts.slice(1)) t.strictSame(attempt, repeat)
  t.strictSame(await place({ name: 'Eve' }), repeat)
})

t.test('if the checkout was superseded meanwhile, nothing is placed', async t => {
  const { place, store } = await counter(t)
  await store.addCheckout(newCheckout('t2', { items: [{ sku: 'MUG', quantity: 9 }] }))
  t.strictSame(await place(), { outcome: 'superseded' })
  t.equal(await store.findOrder('shop', 't1'), undefined)
})

t.test('a number that is already taken is replaced by another', async t => {
  let taken = ''
  const attempted: string[] = []
  const wrap = (store: Store): Store => ({
    ...store,
    placeOrder: (order, ...rest) => {
      const number = taken !== '' && attempted.length < 2 ? taken : order.number
      if (taken !== '') attempted.push(number)
      return store.placeOrder({ ...order, number }, ...rest)
    }
  })
  const here = await counter(t, { wrap })
  const other = await here.store.addCheckout(newCheckout('t2', { reference: 'order-2' }))
  const first = await here.place({}, other)
  if (first.outcome !== 'placed') throw new Error(first.outcome)
  taken = first.order.number
  const second = await here.place()
  t.strictSame(attempted.slice(0, 2), [taken, taken])
  t.equal(attempted.length, 3)
  t.match(second, { outcome: 'placed', order: { number: attempted[2], token: 't1' } })
  t.strictSame(await here.store.findOrder('shop', 't2'), first.order, 'the other order is untouched')
})

const line = (sku: string, quantity: number, unitPrice: number): Quote['lines'][number] => ({
  item: { sku, quantity },
  unitPrice
})

const MUG = line('MUG', 2, 1250)
const CLOCK = line('CLOCK', 1, 12_000)
const QUOTE: Quote = { lines: [MUG, CLOCK, MUG], deliveries: [POST] }
const DIGEST = quoteDigest(QUOTE)

t.test('the same quote has the same digest, in letters and digits', t => {
  const same = {
    lines: QUOTE.lines.map(quoted => ({ ...quoted, item: { ...quoted.item, price: '1.00' }, title: 'x' })),
    deliveries: [{ ...POST }]
  }
  t.equal(quoteDigest(same), DIGEST, 'price claims and extra properties of a line do not matter')
  t.match(DIGEST, /^[0-9a-f]{32}yqX99cXyqZci$/)
  t.end()
})

t.test('any other price, line or delivery is another quote', t => {
  const cases: [string, Partial<Quote>][] = [
    ['a price', { lines: [MUG, { ...CLOCK, unitPrice: 12_001 }, MUG] }],
    ['every price', { lines: [MUG, CLOCK, MUG].map(quoted => ({ ...quoted, unitPrice: 7 })) }],
    ['a quantity', { lines: [line('MUG', 3, 1250), CLOCK, MUG] }],
    ['a SKU', { lines: [line('mug', 2, 1250), CLOCK, MUG] }],
    ['one line more', { lines: [MUG, CLOCK, MUG, MUG] }],
    ['one line fewer', { lines: [MUG, CLOCK] }],
    ['no delivery', { deliveries: [] }],
    ['one method more', { deliveries: [POST, { ...POST, id: 'van' }] }],
    ['another method', { deliveries: [{ ...POST, id: 'van' }] }],
    ['another delivery price', { deliveries: [{ ...POST, price: 451 }] }]
  ]
  for (const [what, change] of cases) {
    const quote = { ...QUOTE, ...change }
    t.not(quoteDigest(quote), DIGEST, what)
    t.notOk(isDigestOf(DIGEST, quote), what)
  }
  t.ok(isDigestOf(DIGEST, QUOTE))
  const renamed = { ...QUOTE, deliveries: [{ ...POST, label: 'Paket' }] }
  t.equal(quoteDigest(renamed), DIGEST, 'a label in another language is the same quote')
  t.end()
})

t.test('the prices shown are in the digest, whatever they are now', t => {
  const shown = { lines: [1250, 12_000, 1250], deliveries: [450] }
  t.strictSame(shownPrices(DIGEST, QUOTE), shown)
  const dearer = [MUG, CLOCK, MUG].map(quoted => ({ ...quoted, unitPrice: 99_999 }))
  t.strictSame(shownPrices(DIGEST, { lines: dearer, deliveries: [{ ...POST, price: 0 }] }), shown)
  const extremes = { lines: [line('A', 1, 0), line('B', 1, MAX_PRICE)], deliveries: [] }
  t.strictSame(shownPrices(quoteDigest(extremes), extremes), { lines: [0, MAX_PRICE], deliveries: [] })
  t.strictSame(shownPrices(DIGEST, { ...QUOTE, deliveries: [] }), { ...shown, deliveries: undefined }, 'another count')
  t.strictSame(shownPrices(DIGEST, { ...QUOTE, lines: [MUG] }), { ...shown, lines: undefined })
  t.end()
})

t.test('different carts never share a digest, however their values are joined', t => {
  const quotes: Quote[] = [
    { lines: [line('A","B', 1, 1)], deliveries: [] },
    { lines: [line('A', 11, 1)], deliveries: [] },
    { lines: [line('A', 1, 11)], deliveries: [] },
    { lines: [line('A,1', 1, 1)], deliveries: [] },
    { lines: [], deliveries: [{ id: 'A', price: 1 }] }
  ]
  t.equal(new Set(quotes.map(quoteDigest)).size, quotes.length)
  t.end()
})

t.test('prices in a forged digest are between nothing and the largest price, or are not read at all', t => {
  const hash = DIGEST.slice(0, 32)
  const lines = ['', 'x', `${hash}1X2`, `${hash}1X2X3X4`, `${hash}gjdgxsX1X1Z1`, `${hash}zzzzzzX1X1`, `${hash}1XX1Z1`]
  for (const forged of [
    ...lines,
    `${hash}1XAX1`,
    `${hash}1X1.5X1`,
    `${hash}X1X1X1`,
    `${hash}1X١X1`,
    `${hash}1-1-1_1`
  ]) {
    t.equal(shownPrices(forged, QUOTE).lines, undefined, forged)
  }
  t.strictSame(shownPrices(`${hash}000001XgjdgxrX0Z9`, QUOTE), { lines: [1, MAX_PRICE, 0], deliveries: [9] })
  const wrong = ['', 'gjdgxs', 'zzzzzz', '0000001', 'A', '1.5', ' 1', 'X', 'Z', '١']
  const price = fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: 0, max: MAX_PRICE }).map(minor => minor.toString(36)) },
    { weight: 1, arbitrary: fc.constantFrom(...wrong) }
  )
  fc.assert(
    fc.property(fc.tuple(price, price, price), prices => {
      const { lines } = shownPrices(`${hash}${prices.join('X')}`, QUOTE)
      const expected = prices.some(text => wrong.includes(text))
        ? undefined
        : prices.map(text => Number.parseInt(text, 36))
      return `${lines}` === `${expected}`
    })
  )
  t.end()
})

t.test('a digest is letters and digits, at most 400, and holds the prices as long as there is room', t => {
  const price = fc.integer({ min: 0, max: MAX_PRICE })
  const lines = fc.array(fc.record({ item: fc.record({ sku: fc.string(), quantity: fc.nat() }), unitPrice: price }), {
    maxLength: 900,
    size: 'max'
  })
  const deliveries = fc.array(fc.record({ id: fc.string(), price }), { maxLength: 3 })
  fc.assert(
    fc.property(fc.record({ lines, deliveries }), quote => {
      const digest = quoteDigest(quote)
      const shown = shownPrices(digest, quote)
      const isRoomy = quote.lines.length <= 40
      return (
        /^[A-Za-z0-9]{32,400}$/.test(digest) &&
        isDigestOf(digest, quote) &&
        (!isRoomy || `${shown.lines}` === `${quote.lines.map(({ unitPrice }) => unitPrice)}`)
      )
    }),
    { numRuns: 50 }
  )
  const many = Array.from({ length: 900 }, (_, i) => line(`S${i}`, 9999, i))
  const digest = quoteDigest({ lines: many, deliveries: [POST] })
  t.match(digest, /^[0-9a-f]{32}$/, 'no room: only the hash')
  t.strictSame(shownPrices(digest, { lines: many, deliveries: [POST] }), { lines: undefined, deliveries: undefined })
  t.end()
})
