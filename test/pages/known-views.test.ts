// What pages have in common is made once, and nothing that belongs to one bag or has changed is shown in another.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import type { Product } from '../../src/catalogue/product.ts'
import { priceCart } from '../../src/checkout/price-cart.ts'
import { createTranslator, type Translator } from '../../src/messages/translator.ts'
import { orderFormOf, readEntry } from '../../src/orders/order-form.ts'
import { checkoutView, type FormState } from '../../src/pages/checkout-view.ts'
import { knownLines, knownViews } from '../../src/pages/known-views.ts'
import { anyMerchant } from '../any-merchant.ts'
import { openShop } from './shopper.ts'

const SALE = 1_000_000
const MUG: Product = {
  sku: 'MUG',
  title: 'Mug',
  variant: 'Blue',
  image: 'https://a.example/1.jpg',
  offers: {
    GBP: { availability: 'in_stock', price: 1250, sale: { price: 1000, from: SALE } },
    EUR: { availability: 'in_stock', price: 1250 }
  }
}
const EN = createTranslator('en-GB')

type Change = {
  product?: Partial<Product>
  price?: number
  quantity?: number
  /** How many lines are before it. */
  at?: number
  claim?: string
  currency?: string
  id?: string
  translator?: Translator
  state?: Partial<FormState>
  /** In milliseconds since 1970. */
  now?: number
}

/** Shows bags of one line. @returns a function that shows another, with this changed */
function shows() {
  const lines = knownLines()
  const known = new Map<string, ReturnType<typeof knownViews>>()
  return ({
    product,
    price,
    quantity = 1,
    at = 0,
    claim,
    currency = 'GBP',
    id = 'shop',
    translator = EN,
    state,
    now = 0
  }: Change = {}) => {
    const merchant = anyMerchant({ id, path: `/${id}` })
    const views = known.get(id) ?? knownViews(lines, id)
    known.set(id, views)
    const offers = price === undefined ? MUG.offers : { GBP: { availability: 'in_stock' as const, price } }
    // A catalogue gives the same product again, unless something of it has changed.
    const found = product || price !== undefined ? { ...MUG, offers, ...product } : MUG
    const catalogue = { product: (sku: string) => (sku === 'MUG' ? found : { ...found, sku }) }
    const others = Array.from({ length: at }, (_, i) => ({ sku: `MUG-${i}`, quantity: 1 }))
    const items = [...others, { sku: 'MUG', quantity, ...(claim !== undefined && { price: claim }) }]
    const cart = { reference: 'order-1', currency, items }
    const entry = readEntry(orderFormOf(merchant), {}, currency)
    const all = { entry, mistakes: [], shown: undefined, isRefused: false, ...state }
    const checkout = { cart, token: 'token' }
    return checkoutView(checkout, priceCart(cart, catalogue, new Date(now)), merchant, translator, all, views)
  }
}

t.test('a line that was shown before is the same object again, and so are the fields of an empty form', async t => {
  const show = shows()
  const before = show()
  const again = show({ claim: '12.50' })
  t.equal(again.lines[0], before.lines[0])
  t.equal(again.form?.contact, before.form?.contact)
})

t.test('a line with anything else in it is another', async t => {
  const changes: Change[] = [
    { product: { title: 'Cup' } },
    { product: { variant: 'Red' } },
    { product: { image: 'https://a.example/2.jpg' } },
    { price: 1300 },
    { product: { offers: { GBP: { availability: 'preorder', price: 1250 } } } },
    { product: { offers: { GBP: { availability: 'in_stock', price: 1500, sale: { price: 1250 } } } } },
    { quantity: 2 },
    { at: 20 },
    { currency: 'EUR' },
    { claim: '11.00' },
    { id: 'other' },
    { translator: createTranslator('de-DE') },
    { now: SALE },
    { state: { shown: { lines: [1100], deliveries: [] } } }
  ]
  for (const change of changes) {
    const show = shows()
    const before = show()
    const fresh = shows()(change)
    const other = show(change)
    t.not(other.lines.at(-1), before.lines[0], JSON.stringify(change))
    t.strictSame(other.lines, fresh.lines, JSON.stringify(change))
  }
})

t.test('no more than 10,000 lines are remembered', async t => {
  const show = shows()
  const before = show()
  const price = { availability: 'in_stock' as const, price: 1 }
  for (let i = 1; i < 10_000; i++) show({ product: { offers: { GBP: { ...price, price: i } } } })
  t.equal(show().lines[0], before.lines[0])
  show({ quantity: 2 })
  t.not(show().lines[0], before.lines[0])
})

t.test('what was typed is in no form but its own', async t => {
  const show = shows()
  const before = show()
  const values = { email: 'ada@shop.example' }
  const entry = readEntry(orderFormOf(anyMerchant()), values, 'GBP')
  t.equal(show({ state: { entry } }).form?.contact[0]?.value, 'ada@shop.example')
  t.equal(show().form?.contact, before.form?.contact)
  t.equal(before.form?.contact[0]?.value, '')
})

t.test('a shop’s own template of a line has all that its page has, for each bag anew', async t => {
  const views = mkdtempSync(join(tmpdir(), 'cart-transfer-line-'))
  t.teardown(() => rmSync(views, { recursive: true }))
  writeFileSync(
    join(views, 'line.eta'),
    '<li data-sku="<%= it.sku %>" data-quantity=<%= it.quantity %>><%= it.reference %>/<%= it.itemCount %>'
  )
  const { transfer, page } = await openShop(t, '2A', { views })
  const [one, two] = [
    await transfer([{ sku: 'MUG', quantity: 1 }], 'first'),
    await transfer([{ sku: 'MUG', quantity: 1 }], 'second')
  ]
  t.match((await page(one)).body, '>first/1 item')
  t.match((await page(two)).body, '>second/1 item')
})
