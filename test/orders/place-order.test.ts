// Placing an order: exactly one, at the prices that were shown, or not at all.
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Product } from '../../src/catalogue/product.ts'
import { priceCart } from '../../src/checkout/price-cart.ts'
import { wordsFor } from '../../src/messages/words.ts'
import {
  type Attempt,
  countryOf,
  deliveriesIn,
  deliveryOf,
  isAllSellable,
  type Placing,
  placeOrder,
  quoteFor
} from '../../src/orders/place-order.ts'
import { digestOf } from '../../src/orders/quote.ts'
import { openSqlite } from '../../src/store/sqlite.ts'
import type { Store, StoredCheckout } from '../../src/store/store.ts'
import { newCheckout } from '../store/store-suite.ts'

const EN = wordsFor('en-GB')
const NOW = new Date('2026-11-20T12:00:00.000Z')
const POST = { id: 'post', label: EN.read('Post'), price: 450 }
const VAN = { id: 'van', label: EN.read('Van'), price: 995 }
const RIGHT = { email: 'a@b', name: 'Ada', address1: '12 Square', city: 'London', postcode: 'SW1Y 4JH' }

type Counter = {
  store: Store
  products: Map<string, Product>
  checkout: StoredCheckout
  /** The digest that the page shows now. */
  digest: () => string
  place: (typed?: Record<string, string>, changes?: Partial<Placing>) => Promise<Attempt>
}

async function counter(t: Test, wrap: (store: Store) => Store = store => store): Promise<Counter> {
  const store = openSqlite(join(t.testdir({}), 'test.sqlite'))
  t.teardown(() => store.close())
  const offer = { price: 1250, availability: 'in_stock' } as const
  const products = new Map<string, Product>(
    ['MUG', 'THROW'].map(sku => [sku, { sku, title: `The ${sku}`, offers: { GBP: offer } }])
  )
  const catalogue = { product: (sku: string) => products.get(sku) }
  const deliveries = [POST, VAN]
  const checkout = await store.addCheckout(newCheckout('t1'))
  const digest = () => {
    const { lines } = priceCart(checkout.cart, catalogue, NOW)
    return isAllSellable(lines) ? digestOf(quoteFor(lines, deliveries)) : ''
  }
  const placing = { store: wrap(store), catalogue, now: NOW, deliveries, countries: ['GB', 'FR'] }
  return {
    store,
    products,
    checkout,
    digest,
    place: (typed = {}, changes = {}) => {
      const { country = 'GB' } = typed
      const form = { ...RIGHT, digest: digest(), country, shown: country }
      return placeOrder({ ...placing, ...changes }, checkout, { ...form, ...typed })
    }
  }
}

const sell = ({ products }: Counter, sku: string, offer: object) => {
  const product = products.get(sku)
  const before = product?.offers.GBP
  if (product && before) products.set(sku, { ...product, offers: { GBP: { ...before, ...offer } } })
}

t.test('an order holds the lines at their prices now, the delivery, and what was typed', async t => {
  const { place, store } = await counter(t)
  const attempt = await place({ delivery: 'van', country: 'FR', phone: '5' })
  const order = 'order' in attempt ? attempt.order : undefined
  t.strictSame(attempt, {
    outcome: 'placed',
    order: {
      merchantId: 'shop',
      token: 't1',
      reference: 'order-1',
      currency: 'GBP',
      lines: [
        { sku: 'MUG', title: 'The MUG', quantity: 2, unitPrice: 1250, lineTotal: 2500 },
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
  const here = await counter(t)
  const lines = priceCart(here.checkout.cart, { product: sku => here.products.get(sku) }, NOW).lines
  const digest = isAllSellable(lines) ? digestOf(quoteFor(lines, [])) : ''
  const attempt = await here.place({ digest, delivery: 'van' }, { deliveries: [] })
  t.match(attempt, { outcome: 'placed', order: { subtotal: 3750, total: 3750 } })
  t.notOk('delivery' in ('order' in attempt ? attempt.order : {}))
})

t.test('a change is seen before mistakes are, and mistakes before an order is placed', async t => {
  const here = await counter(t)
  const digest = here.digest()
  t.match(await here.place({ email: '' }), { outcome: 'mistaken', mistakes: [{ field: 'email' }] })
  t.match(await here.place({ country: 'FR', postcode: '', city: '' }), {
    mistakes: [{ field: 'postcode' }, { field: 'city' }]
  })
  sell(here, 'THROW', { price: 1 })
  const changed = await here.place({ digest, email: '' })
  t.match(changed, { outcome: 'changed', changed: [false, true], priced: { subtotal: 2501 } })
  sell(here, 'MUG', { availability: 'out_of_stock' })
  t.match(await here.place({ digest, email: '' }), { outcome: 'unsellable', priced: { subtotal: undefined } })
  here.products.clear()
  t.match(await here.place({ digest }), { outcome: 'unsellable' })
  t.equal(await here.store.findOrder('shop', 't1'), undefined)
})

t.test('a form without a digest agrees to nothing', async t => {
  const { checkout, products, store } = await counter(t)
  const catalogue = { product: (sku: string) => products.get(sku) }
  const placing = { store, catalogue, now: NOW, deliveries: [], countries: ['GB'] }
  t.match(await placeOrder(placing, checkout, RIGHT), { outcome: 'changed', changed: [true, true] })
})

t.test('placed twice, or many times at once, it is one order: the first', async t => {
  const { place } = await counter(t)
  const attempts = await Promise.all(
    Array.from({ length: 20 }, (_, i) => place({ name: `Ada ${i}`, delivery: i % 2 ? 'van' : 'post' }))
  )
  for (const attempt of attempts) t.strictSame(attempt, attempts[0])
  t.match(attempts[0], { outcome: 'placed', order: { customer: { address: { name: 'Ada 0' } } } })
  t.strictSame(await place({ name: 'Eve' }), attempts[0])
})

t.test('a checkout that is superseded meanwhile is told so, and nothing is placed', async t => {
  const { place, store } = await counter(t)
  await store.addCheckout(newCheckout('t2', { items: [{ sku: 'MUG', quantity: 9 }] }))
  t.strictSame(await place(), { outcome: 'superseded' })
  t.equal(await store.findOrder('shop', 't1'), undefined)
})

t.test('a number that another order has is not given twice', async t => {
  let taken = ''
  const tried: string[] = []
  const here = await counter(t, store => ({
    ...store,
    placeOrder: order => {
      const number = tried.length < 2 ? taken : order.number
      tried.push(number)
      return store.placeOrder({ ...order, number })
    }
  }))
  const other = await here.store.addCheckout(newCheckout('t2', { reference: 'order-2' }))
  const first = await placeOrder(
    {
      store: here.store,
      catalogue: { product: sku => here.products.get(sku) },
      now: NOW,
      deliveries: [POST, VAN],
      countries: ['GB']
    },
    other,
    { ...RIGHT, digest: here.digest() }
  )
  if (first.outcome !== 'placed') throw new Error(first.outcome)
  taken = first.order.number
  const second = await here.place()
  t.strictSame(tried.slice(0, 2), [taken, taken])
  t.equal(tried.length, 3)
  t.match(second, { outcome: 'placed', order: { number: tried[2], token: 't1' } })
  t.strictSame(await here.store.findOrder('shop', 't2'), first.order, 'and the other order is untouched')
})

t.test('delivery methods in a currency are those that have a price in it', t => {
  const methods = [
    { id: 'post', label: 'Post', prices: { GBP: 450, JPY: 0 } },
    { id: 'van', label: 'Van', prices: { GBP: 995 } }
  ]
  t.strictSame(deliveriesIn(methods, 'GBP', EN), [POST, VAN])
  t.strictSame(deliveriesIn(methods, 'JPY', EN), [{ ...POST, price: 0 }])
  t.strictSame(deliveriesIn(methods, 'EUR', EN), [])
  t.end()
})

t.test('what was chosen, or the first', t => {
  const countries = ['GB', 'FR']
  t.strictSame(
    ['FR', 'GB', 'DE', '', undefined].map(country => countryOf(country === undefined ? {} : { country }, countries)),
    ['FR', 'GB', 'GB', 'GB', 'GB']
  )
  t.strictSame(
    ['van', 'post', 'x', undefined].map(delivery =>
      deliveryOf(delivery === undefined ? {} : { delivery }, [POST, VAN])
    ),
    [VAN, POST, POST, POST]
  )
  t.equal(deliveryOf({ delivery: 'van' }, []), undefined)
  t.end()
})
