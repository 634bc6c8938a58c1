// The only way in: a cart becomes a checkout, gets its existing one, or is refused as a whole.
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Cart, Item } from '../../src/cart/cart.ts'
import type { NewCheckout, StoredCheckout } from '../../src/checkout/checkout-store.ts'
import { type OpenedCheckout, openCheckout } from '../../src/checkout/open-checkout.ts'
import { Problem } from '../../src/errors.ts'
import type { Product } from '../../src/merchant/catalogue/product.ts'
import type { Merchant } from '../../src/merchant/merchant.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite-store.ts'
import type { Store } from '../../src/store/store.ts'
import { formPost } from '../../src/transfer/form-post/form-post.ts'
import { jsonDescription } from '../../src/transfer/json-description/json-description.ts'
import type { TransferOption } from '../../src/transfer/option.ts'
import { anyContext, catalogueOf } from '../any-context.ts'
import { anyMerchant, anyWay } from '../any-merchant.ts'

const START = Date.parse('2026-11-20T10:00:00.000Z')
const DAY = 24 * 60 * 60 * 1000

const OPTION: TransferOption = {
  ...jsonDescription,
  pointer: (field, line) => (line === undefined ? field : `${field} ${line}`)
}

const MERCHANT = anyMerchant({
  currencies: ['GBP', 'EUR'],
  ways: [anyWay({}, OPTION)]
})

const ITEMS: Item[] = [
  { sku: 'MUG', quantity: 2 },
  { sku: 'THROW', quantity: 1 }
]
const OTHER: Item[] = [{ sku: 'THROW', quantity: 3 }]

const cartOf = (items = ITEMS, reference = 'order-1', currency = 'GBP'): Cart => ({ reference, currency, items })

type Shop = {
  store: Store
  /** The current products; a test may change them. */
  products: Map<string, Product>
  open: (cart?: Cart, changes?: Partial<Merchant>) => Promise<OpenedCheckout>
  tick: (milliseconds: number) => void
}

function shop(t: Test): Shop {
  const store = openSqlite(join(t.testdir({}), 'test.sqlite'))
  t.teardown(() => store.close())
  const offer = { price: 1250, availability: 'in_stock' } as const
  const sold: Product[] = [
    { sku: 'MUG', title: 'Sea-glass mug', offers: { GBP: offer, USD: offer } },
    { sku: 'THROW', title: 'Herring throw', offers: { GBP: offer } },
    { sku: 'LAMP', title: 'Brass "lantern"', offers: { GBP: { ...offer, availability: 'out_of_stock' } } },
    { sku: 'DOLLAR', title: 'Dollar only', offers: { USD: offer } }
  ]
  const products = new Map(sold.map(product => [product.sku, product]))
  let now = START
  const context = anyContext({ store, catalogue: catalogueOf(products), clock: () => new Date(now) })
  return {
    store,
    products,
    open: (cart = cartOf(), changes = {}) => {
      const merchant = { ...MERCHANT, ...changes }
      return openCheckout({ ...context, merchant, way: merchant.ways[0] }, cart)
    },
    tick: milliseconds => {
      now += milliseconds
    }
  }
}

/** The refusal that a promise is rejected with. */
async function problemFrom(t: Test, promise: Promise<unknown>): Promise<Problem> {
  const problem = await promise.then(
    () => undefined,
    error => error
  )
  if (!(problem instanceof Problem)) return t.fail(`not refused: ${problem}`) as never
  return problem
}

t.test('a cart becomes a checkout, which is stored', async t => {
  const { store, open } = shop(t)
  const { checkout, isRepeat } = await open(cartOf(), { checkout: { ...MERCHANT.checkout, expiresAfterMinutes: 90 } })
  t.equal(isRepeat, false)
  t.strictSame(checkout, {
    token: checkout.token,
    merchantId: 'shop',
    option: '1',
    cart: cartOf(),
    createdAt: '2026-11-20T10:00:00.000Z',
    expiresAt: '2026-11-20T11:30:00.000Z'
  })
  t.strictSame(await store.findCheckout('shop', checkout.token), checkout)
})

t.test('the same cart again gets its checkout, whatever has changed in the catalogue since', async t => {
  const { products, open, tick } = shop(t)
  const first = await open()
  const sellOut = (sku: string) => {
    const product = products.get(sku) as Product
    products.set(sku, { ...product, offers: { GBP: { price: 1250, availability: 'out_of_stock' } } })
  }
  const changes: [string, () => void, Partial<Merchant>?][] = [
    ['nothing has changed', () => {}],
    ['a minute later', () => tick(60_000)],
    ['through another option', () => {}, { ways: [anyWay({}, formPost)] }],
    ['sold out', () => sellOut('MUG')],
    ['no longer in the catalogue', () => products.clear()],
    ['the currency is no longer sold in', () => {}, { currencies: ['EUR'] }]
  ]
  for (const [what, change, terms] of changes) {
    change()
    const again = await open(cartOf(), terms)
    t.strictSame([again.checkout, again.isRepeat], [first.checkout, true], what)
  }
})

t.test('the same cart twenty times at once gets one checkout, and all but one are repeats', async t => {
  const { open } = shop(t)
  const opened = await Promise.all(Array.from({ length: 20 }, () => open()))
  t.equal(new Set(opened.map(({ checkout }) => checkout.token)).size, 1)
  t.equal(opened.filter(({ isRepeat }) => !isRepeat).length, 1)
})

/** Places an order from a checkout, with no amounts. */
async function placeFrom(store: Store, checkout: StoredCheckout): Promise<void> {
  const { token, merchantId, cart } = checkout
  const { reference, currency } = cart
  const customer = { email: 'a@b', country: 'GB', address: {} }
  const amounts = { currency, lines: [], subtotal: 0, total: 0 }
  await store.placeOrder({ number: 'N', merchantId, token, reference, ...amounts, customer, placedAt: 'now' })
}

t.test('an ordered reference stays taken: the same cart always gets its checkout, another cart is refused', async t => {
  const here = shop(t)
  const { checkout } = await here.open()
  await placeFrom(here.store, checkout)
  for (const days of [0, 1, 400]) {
    here.tick(days * DAY)
    t.match(await here.open(), { checkout: { token: checkout.token, orderNumber: 'N' }, isRepeat: true })
    for (const cart of [cartOf(OTHER), cartOf(ITEMS.toReversed()), cartOf([{ sku: 'GONE', quantity: 1 }])]) {
      const problem = await problemFrom(t, here.open(cart))
      t.match(problem, { code: 'reference-ordered', reference: 'order-1', lines: cart.items.length, mistakes: [] })
      t.notMatch(JSON.stringify(problem), checkout.token)
    }
  }
  t.match(await here.store.newestCheckout('shop', 'order-1'), { token: checkout.token, cart: cartOf() })
  t.equal((await here.open(cartOf(OTHER), { id: 'other' })).isRepeat, false, 'only at its own merchant')
})

t.test('that also holds if the order is placed between pricing the cart and storing it', async t => {
  for (const [what, cart] of Object.entries({ same: cartOf(), other: cartOf(OTHER) })) {
    await t.test(what, async t => {
      const { store, products, open } = shop(t)
      const { checkout } = await open()
      const context = anyContext({
        merchant: MERCHANT,
        store: {
          ...store,
          addCheckout: async (opened: NewCheckout) => {
            await placeFrom(store, checkout)
            return store.addCheckout(opened)
          }
        },
        catalogue: catalogueOf(products),
        clock: () => new Date(START)
      })
      const opening = openCheckout({ ...context, way: MERCHANT.ways[0] }, cart)
      if (what === 'same') t.match(await opening, { checkout: { token: checkout.token }, isRepeat: true })
      else t.match(await problemFrom(t, opening), { code: 'reference-ordered' })
    })
  }
})

t.test('every unsellable line is reported, in order, with SKU and pointer', async t => {
  const { open } = shop(t)
  const skus = ['GONE', 'MUG', 'LAMP', 'DOLLAR', ' "x"\n', 'GONE']
  const problem = await problemFrom(t, open(cartOf(skus.map(sku => ({ sku, quantity: 1 })))))
  t.match(problem, {
    code: 'cart-not-sellable',
    message: '5 things in the cart cannot be sold; nothing of it was taken.',
    reference: 'order-1',
    lines: 6
  })
  const unknown = (sku: string) => `No product has the SKU ${sku}; SKUs are compared exactly.`
  const mistakes = [
    ['sku 0', 'sku-unknown', 'GONE', unknown('"GONE"')],
    ['sku 2', 'out-of-stock', 'LAMP', 'The product "LAMP" is out of stock.'],
    ['sku 3', 'price-missing', 'DOLLAR', 'The product "DOLLAR" has no price in GBP.'],
    ['sku 4', 'sku-unknown', ' "x"\n', unknown('" \\"x\\"\\n"')],
    ['sku 5', 'sku-unknown', 'GONE', unknown('"GONE"')]
  ].map(([pointer, code, sku, detail]) => ({ pointer, code, sku, detail }))
  t.strictSame(problem.mistakes, mistakes)
})

t.test('more units than the merchant sells in a line, and goods that cost more than it sells at once', async t => {
  const { open } = shop(t)
  const limits: Partial<Merchant> = { ways: [anyWay({ maxQuantity: 3 }, OPTION)], maxTotal: { GBP: 5000, EUR: 1 } }
  const opened = await open(
    cartOf([{ sku: 'MUG', quantity: 3 }, ...OTHER.map(item => ({ ...item, quantity: 1 }))]),
    limits
  )
  t.equal(opened.isRepeat, false, 'exactly as many, for exactly as much')

  const items = [
    { sku: 'MUG', quantity: 4 },
    { sku: 'THROW', quantity: 3 },
    { sku: 'MUG', quantity: 9999 }
  ]
  const problem = await problemFrom(t, open(cartOf(items, 'order-2'), limits))
  const limit = { units: 3 }
  const most = 'this merchant sells at most'
  const tooMany = { code: 'quantity-too-large', sku: 'MUG', limit }
  t.strictSame(problem.mistakes, [
    { ...tooMany, pointer: 'quantity 0', detail: `4 units of "MUG"; ${most} 3 in one line.` },
    { ...tooMany, pointer: 'quantity 2', detail: `9999 units of "MUG"; ${most} 3 in one line.` },
    {
      pointer: 'items',
      code: 'total-too-large',
      detail: `The goods cost 125075.00 GBP; ${most} 50.00 at once.`,
      limit: { minor: 5000, currency: 'GBP' }
    }
  ])
  t.match(problem.bag, [
    { mistake: 'quantity-too-large', limit },
    { mistake: undefined },
    { mistake: 'quantity-too-large' }
  ])

  const gone = await problemFrom(t, open(cartOf([{ sku: 'GONE', quantity: 4 }], 'order-2'), limits))
  t.match(gone.mistakes, [{ code: 'sku-unknown' }, { code: 'quantity-too-large' }], 'the cost is not known')
  t.match(gone.bag, [{ mistake: 'sku-unknown' }])
  t.equal((await open(cartOf(items, 'order-2'))).isRepeat, false, 'without limits')
  t.equal((await open(cartOf(items, 'order-2'), limits)).isRepeat, true, 'what was accepted stays accepted')
})

t.test('a currency that the merchant does not sell in is one mistake, not one per line', async t => {
  const { open } = shop(t)
  const currency = { pointer: 'currency', code: 'currency-not-sold' }
  const cases: [string, string[], object[]][] = [
    ['lines with a price in it', ['MUG', 'DOLLAR'], [currency]],
    ['a line without a price in it', ['MUG', 'THROW'], [currency]],
    ['unknown and sold out too', ['GONE', 'THROW', 'LAMP'], [{ sku: 'GONE' }, { sku: 'LAMP' }, currency]]
  ]
  for (const [what, skus, expected] of cases) {
    const items = skus.map(sku => ({ sku, quantity: 1 }))
    const { code, mistakes } = await problemFrom(t, open(cartOf(items, 'order-1', 'USD')))
    t.equal(code, 'cart-not-sellable')
    t.match(mistakes, expected, what)
    t.equal(mistakes.length, expected.length)
  }
  const { message, mistakes } = await problemFrom(t, open(cartOf(ITEMS, 'order-1', 'USD')))
  t.equal(message, '1 thing in the cart cannot be sold; nothing of it was taken.')
  t.match(mistakes, [{ detail: 'This merchant sells in GBP, EUR, not in USD.' }])
})

t.test('a refused cart changes nothing in the store', async t => {
  const { store, open } = shop(t)
  await problemFrom(t, open(cartOf([{ sku: 'LAMP', quantity: 1 }])))
  t.equal(await store.newestCheckout('shop', 'order-1'), undefined)

  const { checkout } = await open()
  await problemFrom(t, open(cartOf([...ITEMS, { sku: 'GONE', quantity: 1 }])))
  await problemFrom(t, open(cartOf(ITEMS, 'order-1', 'USD')))
  t.strictSame(await store.newestCheckout('shop', 'order-1'), checkout, 'the earlier checkout is not superseded')
})
