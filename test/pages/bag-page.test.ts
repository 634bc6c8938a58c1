// A page that is put together of a skeleton and its bag is the same as one that is rendered whole.
import t from 'tap'
import type { Product } from '../../src/catalogue/product.ts'
import { priceCart } from '../../src/checkout/price-cart.ts'
import type { Merchant } from '../../src/merchant/merchant.ts'
import { orderFormOf, readEntry } from '../../src/orders/order-form.ts'
import { bagPage } from '../../src/pages/bag-page.ts'
import { checkoutView } from '../../src/pages/checkout-view.ts'
import { type Page, pageData, renderPage } from '../../src/pages/send-page.ts'
import { openStorefront, type Storefront } from '../../src/pages/storefront.ts'
import { textEngine } from '../../src/pages/template-engine.ts'
import { build, merchantFile } from '../build.ts'

type Bag = {
  items: [sku: string, quantity: number, price?: string][]
  reference?: string
  currency?: string
  language?: string
  lang?: string
  page?: Partial<Page>
}

const offers: Product['offers'] = {
  GBP: { availability: 'in_stock', price: 1250 },
  EUR: { availability: 'backorder', price: 990, sale: { price: 900 } }
}
const catalogue = {
  product: (sku: string) => (sku === 'GONE' ? undefined : { sku, title: `Tea “${sku}” & 'more'`, offers })
}

/** The page of a bag, to be put together, and as it is rendered whole. */
function pageOf(storefront: Storefront & { merchant: Merchant }, { items, page = {}, ...bag }: Bag) {
  const { reference = 'order-1', currency = 'GBP', language = 'en', lang } = bag
  const { merchant, known } = storefront
  const { translator } = storefront.languageFor({ headers: { 'accept-language': language } })
  const lines = items.map(([sku, quantity, price]) => ({ sku, quantity, ...(price !== undefined && { price }) }))
  const cart = { reference, currency, items: lines }
  const entry = readEntry(orderFormOf(merchant), {}, currency)
  const state = { entry, mistakes: [], shown: undefined, isRefused: false, lang }
  const priced = priceCart(cart, catalogue, new Date(0))
  const checkout = { cart, token: `token-${reference.length}` }
  const view = checkoutView(checkout, priced, merchant, translator, state, known)
  const whole: Page = { template: 'checkout', title: 'Checkout', view, address: '/checkout/token', ...page }
  return { translator, joined: { ...whole, bag: bagPage(view, translator.locale) }, whole }
}

async function openShop(t: Parameters<typeof build>[0]) {
  const post = { id: 'post', label: { en: 'Post', ar: 'البريد', ja: '郵便' }, price: { GBP: '4.50', EUR: '5.00' } }
  const bike = { id: 'bike', label: 'Vélo – vite', price: { GBP: '9.50', EUR: '9.90' }, days: [1, 3] }
  const { merchants, app } = await build(t, {
    merchants: [
      merchantFile('2A', {
        locale: 'en-GB',
        locales: ['ja-JP', 'ar'],
        currencies: ['GBP', 'EUR'],
        countries: ['GB', 'CA'],
        delivery: [{ ...post, freeFrom: { GBP: '100', EUR: '100' } }, bike],
        checkout: { taxText: 'Prices include VAT – of course.' }
      })
    ]
  })
  const [merchant] = merchants as [Merchant]
  return { app, storefront: { ...openStorefront(merchant), merchant } }
}

t.test('bags of every kind have the page that is rendered whole', async t => {
  const { app, storefront } = await openShop(t)
  const { eta } = textEngine()
  const bags: Bag[] = [
    { items: [['A', 1]] },
    { items: [['B', 2]], reference: `<&"'>` },
    { items: [['A', 40]] },
    { items: Array.from({ length: 9 }, (_, i) => [`SKU-${i}`, i + 1] as [string, number]) },
    { items: [['A', 1]], currency: 'EUR' },
    { items: [['A', 1]], language: 'ja' },
    { items: [['A', 1]], language: 'ar', lang: 'ar' },
    { items: [['A', 1]], page: { sheet: 'extra' } },
    { items: [['A', 1]], page: { listsLanguages: true } },
    { items: [['A', 1]], page: { title: 'Other' } }
  ]
  for (const bag of [...bags, ...bags]) {
    const { translator, joined, whole } = pageOf(storefront, bag)
    const html = eta.render('checkout', pageData(storefront, translator, whole))
    t.ok(joined.bag)
    t.equal(renderPage(app, storefront, translator, joined).toString(), html, JSON.stringify(bag))
  }
})

t.test('a page with a line that no other bag has, or that cannot be sold, is rendered whole', async t => {
  const { storefront } = await openShop(t)
  t.equal(pageOf(storefront, { items: [['A', 1, '0.01']] }).joined.bag, undefined)
  t.equal(pageOf(storefront, { items: [['GONE', 1]] }).joined.bag, undefined)
})
