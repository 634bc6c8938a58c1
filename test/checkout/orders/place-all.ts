// Run as a process: places an order from each of the given checkouts in the given database, one per line on stdin.
// For each it prints the number of the order and the name of its shopper.
import { createInterface } from 'node:readline'
import type { StoredCheckout } from '../../../src/checkout/checkout-store.ts'
import { orderFormOf, readEntry } from '../../../src/checkout/orders/order-form.ts'
import { checkOrder, placeOrder, quoteDigest } from '../../../src/checkout/orders/place-order.ts'
import { priceCart } from '../../../src/checkout/price-cart.ts'
import { readEnvironment } from '../../../src/environment.ts'
import type { Product } from '../../../src/merchant/catalogue/product.ts'
import { openExistingStore } from '../../../src/start/open-store.ts'
import { anyContext } from '../../any-context.ts'

const [url = '', name = '', ...tokens] = process.argv.slice(2)
const store = await openExistingStore(readEnvironment({ DATABASE_URL: url }))
const now = new Date('2026-11-20T12:00:00.000Z')
const offers: Product['offers'] = { GBP: { price: 1250, availability: 'in_stock' } }
const catalogue = { product: (sku: string): Product => ({ sku, title: sku, offers }), products: () => [] }
const context = anyContext({ store, catalogue })
const typed = { email: 'a@b.example', name, address1: '1 A', city: 'C', postcode: 'W1A 1AA' }

const checkouts = await Promise.all(tokens.map(token => store.findCheckout('shop', token)))
process.stdout.write('ready\n')
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
for (const checkout of checkouts as StoredCheckout[]) {
  const priced = priceCart(checkout.cart, catalogue, now)
  const digest = priced.subtotal === undefined ? '' : quoteDigest({ lines: priced.lines, deliveries: [] })
  await lines.next()
  const entry = readEntry(orderFormOf(context.merchant), { ...typed, digest }, checkout.cart.currency)
  const checked = checkOrder(context, checkout, entry, 'en-GB', now)
  const attempt = checked.outcome === 'ready' ? await placeOrder(context, checked.order) : checked
  const result =
    'order' in attempt ? `${attempt.order.number} ${attempt.order.customer?.address.name}` : attempt.outcome
  process.stdout.write(`${result}\n`)
}
await store.close()
process.stdin.destroy()
