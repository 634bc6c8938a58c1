// Placing an order: exactly one, at the prices shown, or none.
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Product } from '../../src/catalogue/product.ts'
import type { StoredCheckout } from '../../src/checkout/checkout-store.ts'
import { priceCart } from '../../src/checkout/price-cart.ts'
import type { DeliveryMethod } from '../../src/merchant/merchant.ts'
import { orderFormOf, readEntry } from '../../src/orders/order-form.ts'
import { type PlaceOrderResult, placeOrder } from '../../src/orders/place-order.ts'
import { quoteDigest } from '../../src/orders/quote.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite-store.ts'
import type { Store } from '../../src/store/store.ts'
import { anyMerchant } from '../any-merchant.ts'
import { newCheckout } from '../store/store-suite.ts'

const NOW = new Date('2026-11-20T12:00:00.000Z')
const POST: DeliveryMethod = { id: 'post', label: 'Post', price: 450 }
const VAN: DeliveryMethod = { id: 'van', label: { en: 'Van', de: 'Transporter' }, price: 995 }
const VALID = { email: 'a@b', name: 'Ada', address1: '12 Square', city: 'London', postcode: 'SW1Y 4JH' }

type Counter = {
  store: Store
  products: Map<string, Product>
  checkout: StoredCheckout
  /** The digest that the page has now. */
  digest: () => string
  place: (typed?: Record<string, string>, checkout?: StoredCheckout) => Promise<PlaceOrderResult>
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
  const catalogue = { product: (sku: string) => products.get(sku) }
  const merchant = anyMerchant({ countries: ['GB', 'FR'], delivery: { GBP: deliveries } })
  const shop = { merchant, store: wrap(store), catalogue, clock: () => NOW }
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
    place: (typed = {}, checkout = first) => {
      const { country = 'GB' } = typed
      const values = { ...VALID, digest: digest(), country, shown: country, ...typed }
      return placeOrder(shop, checkout, readEntry(orderFormOf(merchant), values, 'GBP'), NOW)
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
  const attempt = await place({ delivery: 'van', country: 'FR', phone: '5' })
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
        email: 'a@b',
        phone: '5',
        country: 'FR',
        address: { name: 'Ada', address1: '12 Square', city: 'London', postcode: 'SW1Y 4JH' }
      },
      placedAt: NOW.toISOString(),
      number: order?.number
    }
  })
  t.strictSame(await store.findOrder('shop', 't1'), order)
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
