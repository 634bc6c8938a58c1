// Products of several feeds on pages: in the language of the page where a feed has it, and in orders as the page had them.

import t, { type Test } from 'tap'
import { orderData } from '../../src/checkout/orders/order.ts'
import type { FeedCatalogue } from '../../src/merchant/catalogue/followed-feed.ts'
import { merchantFile, uuid } from '../build.ts'
import { linesOf } from './read-page.ts'
import { type Form, formOf, openShop } from './shopper.ts'

const HEAD = 'id\ttitle\tprice\tavailability\tcolor'

const FEEDS = {
  'feed.tsv': [HEAD, 'MUG\tBlue mug\t10 GBP\tin_stock\tBlue', 'BOX\tBox\t5 GBP\tin_stock\t'].join('\n'),
  'de.tsv': [HEAD, 'MUG\tBlauer Becher\t12 EUR\tin_stock\tBlau', 'HUT\tHut\t7 GBP\tin_stock\tRot'].join('\n'),
  'fr.tsv': [HEAD, 'LIT\tLit\t8 GBP\tout_of_stock\t'].join('\n')
}

const BAG = ['MUG', 'BOX', 'HUT'].map(sku => ({ sku, quantity: 1 }))

function openTitled(t: Test) {
  const feed = ['feed.tsv', { feed: 'de.tsv', language: 'de' }, { feed: 'fr.tsv', language: 'fr' }]
  const file = merchantFile('2B', { locales: ['de-DE', 'fr'], currencies: ['GBP', 'EUR'] })
  return openShop(t, '2B', {}, { merchants: [{ ...file, catalogue: { feed } }], feeds: FEEDS })
}

/** Title and variant of each line, after the language that it is marked with. */
function titlesOf(body: string): string[] {
  return linesOf(body).map(line => {
    const [, lang = '', title] = /<p(?: lang=(\w+))?>([^<]*)/.exec(line) ?? []
    const [, variant = ''] = /<p class=ref(?: lang=\w+)?>([^<]*)/.exec(line) ?? []
    return [lang, title?.trim(), variant.trim()].filter(Boolean).join(' ')
  })
}

const ENGLISH = ['Blue mug Blue', 'Box', 'de Hut Rot']
const GERMAN = ['Blauer Becher Blau', 'en Box', 'Hut Rot']
const FRENCH = ['en Blue mug Blue', 'en Box', 'de Hut Rot']

t.test(
  'a title is in the language of the page, else of the shop, else of the first feed, and marked if it is another',
  async t => {
    const { get, transfer, submit } = await openTitled(t)
    const path = `/shop/checkout/${await transfer(BAG)}`
    const shown = await get(path, 'en')
    t.strictSame(titlesOf(shown.body), ENGLISH)
    t.strictSame(titlesOf((await get(path, 'de')).body), GERMAN)
    t.strictSame(titlesOf((await get(path, 'fr')).body), FRENCH)
    t.strictSame(titlesOf((await get(`${path}?lang=de`, 'en')).body), GERMAN, 'by a link')
    t.strictSame(titlesOf((await submit(formOf(shown.body) as Form, { lang: 'de' }, 'en')).body), GERMAN, 'by a button')
  }
)

t.test('a refused bag has the titles of the language too', async t => {
  const { get } = await openTitled(t)
  const query = 'item_0_sku=LIT&item_0_quantity=1&item_1_sku=MUG&item_1_quantity=1&currency=GBP&reference=r'
  const { statusCode, body } = await get(`/shop/cart?${query}`, 'de')
  t.equal(statusCode, 422)
  t.match(body, /<p lang=fr>Lit.*<p>Blauer Becher/s)
})

t.test('an order has the titles of the page; its confirmation those of its own language', async t => {
  const { get, transfer, submit, store } = await openTitled(t)
  const token = await transfer(BAG)
  const shown = await get(`/shop/checkout/${token}`, 'de')
  const { headers } = await submit(formOf(shown.body) as Form, undefined, 'de')
  const order = await store.findOrder('shop', token)
  const lines = [{ title: 'Blauer Becher', variant: 'Blau' }, { title: 'Box' }, { title: 'Hut', variant: 'Rot' }]
  t.match(order && orderData(order), { lines })
  const address = String(headers.location)
  t.strictSame(titlesOf((await get(address, 'de')).body), GERMAN)
  t.strictSame(titlesOf((await get(address.replace('&lang=de', ''), 'en')).body), ENGLISH)
})

t.test('a product that is called something else since it was ordered is called what the order has', async t => {
  const { get, transfer, submit, catalogues } = await openTitled(t)
  const token = await transfer([BAG[0], BAG[2]] as typeof BAG, uuid(2))
  const shown = await get(`/shop/checkout/${token}`, 'de')
  const { headers } = await submit(formOf(shown.body) as Form, undefined, 'de')
  const catalogue = catalogues[0] as FeedCatalogue
  const { product } = catalogue
  catalogue.product = sku => {
    const found = product(sku)
    return found && { ...found, title: 'Other', texts: { de: { title: 'Anderes' } } }
  }
  t.match(titlesOf((await get(String(headers.location), 'de')).body), [/Blauer Becher Blau/, /Hut Rot/])
})
