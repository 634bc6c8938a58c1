// A page that is shown again is made once, and never from what has changed or belongs to another checkout.
import t from 'tap'
import type { Offer, Product } from '../../src/catalogue/product.ts'
import { priceCart } from '../../src/checkout/price-cart.ts'
import { createTranslator } from '../../src/messages/translator.ts'
import { type BlankPage, knownPages } from '../../src/pages/known-pages.ts'
import type { Page } from '../../src/pages/send-page.ts'
import { textOf } from './read-page.ts'
import { openShop } from './shopper.ts'

const SALE = 1_000_000
const OFFER: Offer = { availability: 'in_stock', price: 1250, sale: { price: 1000, from: SALE } }
const MUG: Product = { sku: 'MUG', title: 'Mug', offers: { GBP: OFFER, EUR: OFFER } }
const CART = { reference: 'order-1', currency: 'GBP', items: [{ sku: 'MUG', quantity: 1 }] }
const EN = createTranslator('en-GB')

type Change = Partial<Omit<BlankPage, 'priced'>> & { product?: Product; now?: number }

function blankPage({ product = MUG, now = 0, ...rest }: Change = {}): BlankPage {
  const checkout = { token: 'token', cart: CART }
  const { cart } = rest.checkout ?? checkout
  const priced = priceCart(cart, { product: () => product }, new Date(now))
  return { checkout, priced, translator: EN, lang: undefined, listsLanguages: false, ...rest }
}

function makePage(bag: Page['bag']): Page {
  return { template: 'checkout', title: 'Checkout', view: {}, bag }
}

const BAG = { shape: '', lines: [], values: [], marked: () => ({}) as never }

t.test('a page is made again only if anything of it is another', t => {
  const pages = knownPages()
  const first = pages(blankPage(), () => makePage(BAG))
  const isMade = (change: Change) => pages(blankPage(change), () => makePage(BAG)) !== first
  t.notOk(isMade({}))
  t.notOk(isMade({ now: SALE - 1 }))
  t.equal(
    pages(blankPage(), () => makePage(BAG)),
    first
  )
  const changes: Change[] = [
    { checkout: { token: 'other', cart: CART } },
    { checkout: { token: 'token', cart: { ...CART } } },
    { product: { ...MUG } },
    { product: { ...MUG, offers: { GBP: { availability: 'out_of_stock', price: 1250 } } } },
    { now: SALE },
    { translator: createTranslator('en-GB') },
    { lang: 'en' },
    { listsLanguages: true }
  ]
  for (const change of changes) {
    const known = knownPages()
    const before = known(blankPage(), () => makePage(BAG))
    t.not(
      known(blankPage(change), () => makePage(BAG)),
      before,
      JSON.stringify(change)
    )
  }
  t.end()
})

t.test('a page with a line that no other bag has is made each time', t => {
  const pages = knownPages()
  const first = pages(blankPage(), () => makePage(undefined))
  t.not(
    pages(blankPage(), () => makePage(undefined)),
    first
  )
  t.end()
})

t.test('pages that are shown again have their own bag, language and prices', async t => {
  const { transfer, page, change } = await openShop(t, '1')
  const [one, two] = [
    await transfer([{ sku: 'MUG', quantity: 1 }], '0'.repeat(32)),
    await transfer([{ sku: 'MUG', quantity: 1 }], '1'.repeat(32))
  ]
  const before = (await page(one)).body
  t.equal((await page(one)).body, before)
  t.match((await page(two)).body, `/${two}?`)
  t.notMatch((await page(two)).body, one)
  t.equal((await page(one)).body, before)
  const price = textOf(before).match(/£[\d.]+/)?.[0] ?? ''
  change('MUG', { price: 4321 })
  const after = (await page(one)).body
  t.match(textOf(after), '£43.21')
  t.notMatch(textOf(after), price)
})
