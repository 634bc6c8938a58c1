// No page has anything of another: pages of bags, languages, forms and states drawn at random, shown in random order by
// one server, are byte for byte what a server that has shown nothing else shows.

import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { LightMyRequestResponse } from 'fastify'
import { pino } from 'pino'
import t from 'tap'
import { buildApp } from '../../src/app.ts'
import type { Item } from '../../src/cart/cart.ts'
import type { FeedCatalogue } from '../../src/merchant/catalogue/followed-feed.ts'
import type { Merchant } from '../../src/merchant/merchant.ts'
import { build, FEED, merchantFile, uuid } from '../build.ts'
import { ADA, type Form, formOf } from './shopper.ts'

const SETTINGS = {
  locale: 'en-GB',
  locales: ['de', 'ja', 'ar'],
  countries: ['GB', 'US', 'JP'],
  delivery: [
    {
      id: 'post',
      label: { en: 'Post', de: 'Post', ja: '郵便', ar: 'بريد' },
      price: '4.50',
      freeFrom: '60',
      days: [2, 3]
    },
    { id: 'bike', label: 'Bike', price: '9.50', countries: ['GB'] }
  ],
  links: { contact: 'mailto:help@shop.example', terms: 'https://shop.example/terms' }
}
const SHOPS = [
  merchantFile('2A', { ...SETTINGS, checkout: { taxText: 'With VAT.' } }),
  merchantFile('2B', { ...SETTINGS, id: 'other', name: 'Café', publicUrl: '/other', payment: { text: 'Cash' } })
]
/** A second picture and a variant, beside products on sale, sent later, with no picture, and with markup in their titles. */
const PRODUCTS = `${FEED}\nJUG\tJug\tpictures/jug.svg\tin_stock\t12.50 GBP\t`
const SKUS = ['MUG', 'JUG', 'THROW', 'CLOCK', 'BASKET', 'ROPE', 'ソ-☕', '<script>alert("sku")</script>']

const languages = fc.constantFrom('en-GB', 'ar')
const items = fc.uniqueArray(
  fc.record({
    sku: fc.constantFrom(...SKUS),
    quantity: fc.integer({ min: 1, max: 3 }),
    price: fc.constantFrom('12.50', '80')
  }),
  { selector: ({ sku }) => sku, minLength: 1, maxLength: 3 }
)
/** What is typed in a form and which button sends it; without an email, no order is placed. */
const typed = fc.record(
  {
    name: fc.constantFrom(ADA.name, ''),
    city: fc.string({ unit: 'grapheme', maxLength: 5 }),
    organization: fc.constantFrom(ADA.organization, ''),
    country: fc.constantFrom(...SETTINGS.countries),
    delivery: fc.constantFrom('post', 'bike'),
    look: fc.constantFrom('', '1'),
    lang: fc.constantFrom('de', 'ar'),
    langs: fc.constant('')
  },
  { requiredKeys: [] }
)
const visits = fc.array(
  fc.record({
    language: languages,
    way: fc.oneof(fc.constantFrom('page', 'transfer'), fc.constant('page'), typed),
    lang: fc.constantFrom('', '', '?lang=ja')
  }),
  { minLength: 1, maxLength: 2 }
)
const bags = fc.array(
  fc.record({
    shop: fc.nat(1),
    items,
    fate: fc.constantFrom('open', 'open', 'open', 'placed', 'replaced', 'unknown SKU'),
    visits
  }),
  { minLength: 3, maxLength: 5 }
)
const changes = fc.array(
  fc.record({
    sku: fc.constantFrom(...SKUS),
    offer: fc.constantFrom({ price: 9900 }, { price: 1, sale: { price: 1 } }, { availability: 'out_of_stock' as const })
  }),
  { maxLength: 2 }
)

/** The order in which pages are shown: of 20 at most. */
const places = fc.array(fc.nat(), { minLength: 20, maxLength: 20 })

type Ask = { method: 'GET' | 'POST'; url: string; payload?: string; headers: Record<string, string> }

/** What a browser gets, without the moment at which it does. */
function shown({ statusCode, headers: { date: _, ...headers }, body }: LightMyRequestResponse) {
  return { statusCode, headers, body }
}

t.test('a page is what a server shows that has shown nothing else', async t => {
  const { merchants, catalogues, store, clock, changeOffer } = await build(t, { merchants: SHOPS, feed: PRODUCTS })
  const original = Object.fromEntries(SKUS.map(sku => [sku, catalogues[0]?.product(sku)?.offers.GBP ?? {}]))
  const parts = merchants.map((merchant, i) => ({ merchant, catalogue: catalogues[i] as FeedCatalogue }))
  const open = () =>
    buildApp({ merchants: parts, store, clock, logger: pino({ level: 'silent' }), fetch, bodyMemory: 1e8 })
  const app = await open()
  let references = 0

  await fc.assert(
    fc.asyncProperty(bags, changes, places, async (bags, changes, places) => {
      for (const sku of SKUS) changeOffer(sku, original[sku] ?? {})
      const asks: Ask[] = []
      for (const { shop, items, fate, visits } of bags) {
        const merchant = merchants[shop] as Merchant
        const cart = { items, currency: 'GBP', reference: uuid(++references) }
        const transfer = (sent: Item[]): Ask => {
          const { option, path } = merchant
          const { method, url, headers = [], body } = option.request({ ...cart, items: sent }, `${path}/cart`)
          return {
            method: method as 'GET',
            url,
            headers: Object.fromEntries(headers.map(({ name, value }) => [name, value])),
            ...(body !== undefined && { payload: body })
          }
        }
        if (fate === 'unknown SKU') {
          const refused = transfer([...items, { sku: 'NOBODY', quantity: 1, price: '1' }])
          for (const { language } of visits) asks.push(inLanguage(refused, language))
          continue
        }
        const { action, fields } = formOf((await app.inject(transfer(items))).body) as Form
        const page: Ask = { method: 'GET', url: action.slice(0, -1), headers: {} }
        const post = (typed: Record<string, string>): Ask => ({
          method: 'POST',
          url: action,
          payload: `${new URLSearchParams({ ...fields, ...typed })}`,
          headers: { 'content-type': 'application/x-www-form-urlencoded' }
        })
        let confirmation: Ask | undefined
        if (fate === 'placed') {
          const { headers } = await app.inject(post(ADA))
          confirmation = { ...page, url: String(headers.location) }
        }
        if (fate === 'replaced') await app.inject(transfer([{ sku: 'BASKET', quantity: 9, price: '1' }]))
        for (const { language, way, lang } of visits) {
          if (typeof way === 'object') asks.push(inLanguage(post({ ...way, email: '' }), language))
          // A bag that was replaced would be another checkout.
          else if (way === 'transfer' && fate !== 'replaced') asks.push(inLanguage(transfer(items), language))
          else asks.push(inLanguage({ ...page, url: page.url + lang }, language))
          if (confirmation) asks.push(inLanguage(confirmation, language))
        }
      }
      for (const { sku, offer } of changes) changeOffer(sku, offer)

      const order = asks.map((ask, i) => ({ ask, place: Number(places[i]) })).toSorted((a, b) => a.place - b.place)
      for (const { ask } of order) {
        const fresh = await open()
        const page = shown(await app.inject(ask))
        const alone = shown(await fresh.inject(ask))
        await fresh.close()
        assert.deepEqual(page, alone)
      }
    }),
    // What was shown before is part of the case, so that no smaller one would fail alike.
    { numRuns: 25, endOnFailure: true }
  )
  await app.close()
})

function inLanguage(ask: Ask, language: string): Ask {
  return { ...ask, headers: { ...ask.headers, 'accept-language': language } }
}
