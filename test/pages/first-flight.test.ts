// A whole checkout page, with form, style sheet and headers, compressed as a proxy does it, fits into the first TCP flight in
// every language (DECISIONS.md, "The checkout page").
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { languages } from '../../src/messages/messages.ts'
import { generateFeed } from '../bench/generated-feed.ts'
import { buildListening, type MerchantChanges, merchantFile, uuid } from '../build.ts'
import { answerTo } from '../raw-http.ts'
import { malformedTags, valuesOf } from './read-page.ts'

/** Ten segments of 1,460 bytes: what a server sends before it waits for an acknowledgement (RFC 6928). */
const FIRST_FLIGHT = 14_600

/** As long as those of the shared feed are on average: only their size matters. */
const PRODUCTS = Array.from({ length: 20 }, (_, i) => [
  `sku-${i}-`.padEnd(18, 'x'),
  `Title ${i} `.padEnd(19, 'x'),
  `https://images.shopifycdn.example/photos/${i}-`.padEnd(68, 'x'),
  'in_stock',
  '50.00 USD'
])
const COLUMNS = ['id', 'title', 'image_link', 'availability', 'price']
const feedOf = (columns: string[], values: string[]) =>
  [[...COLUMNS, ...columns], ...PRODUCTS.map(product => [...product, ...values])].map(row => row.join('\t')).join('\n')
const FEED = feedOf([], [])

/** An order of that day arrives within two months, on weekdays with long names, above all in Arabic. */
const LONG_DATES = '2026-10-27'

const UNION = 'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK'.split(' ')
const EVERY = Object.keys(languages)

/** A demo merchant with all its texts, links and settings, on https, but with the products above. */
function demoMerchant(changes: MerchantChanges): object {
  const file = join(import.meta.dirname, '../../config/harbour.json')
  const { name, locale, locales, countries, delivery, payment, theme, links, checkout } = JSON.parse(
    readFileSync(file, 'utf8')
  )
  const texts = { name, locale, locales, countries, delivery, payment, links, checkout }
  const logo = 'https://cdn.example/harbour/logo.svg'
  const publicUrl = 'https://shop.example/app'
  return merchantFile('2A', { ...texts, publicUrl, currencies: ['USD'], theme: { ...theme, logo }, ...changes })
}

const merchants: [string, MerchantChanges, feed: string][] = [
  ['Harbour Goods, which delivers to three countries', {}, FEED],
  ['27 countries', { countries: UNION }, FEED],
  ['a choice of 62 states', { countries: ['US', 'CA', 'GB'] }, FEED],
  ['a colour and a size on each line', {}, feedOf(['color', 'size'], ['Indigo', 'M'])]
]
for (const [what, changes, feed] of merchants) {
  t.test(`${what}: the page fits into the first flight`, async t => {
    const { app, store, merchants, port, tick } = await buildListening(t, { merchants: [demoMerchant(changes)], feed })
    tick(Date.parse(LONG_DATES) - Date.parse('2026-11-20'))
    const items = PRODUCTS.map(([sku = '']) => ({ sku, quantity: 12, price: '50.00' }))
    const reference = uuid(0xffff)
    const { url = '', body = '' } =
      merchants[0]?.ways[0].option.request({ items, currency: 'USD', reference }, '/app/cart') ?? {}
    const headers = { 'content-type': FORM }
    t.equal((await app.inject({ method: 'POST', url, headers, payload: body })).statusCode, 200)
    const { token } = (await store.newestCheckout('shop', reference)) as { token: string }

    const ways = {
      'the response to the transfer': post(url, body),
      'POST with the token': post('/app/checkout', `token=${token}`),
      'GET with the token': `GET /app/checkout/${token} HTTP/1.1\r\nHost: shop.example\r\n\r\n`
    }
    for (const language of EVERY) {
      for (const [way, request] of Object.entries(ways)) {
        const answer = await answerTo(port, request.replace('\r\n', `\r\nAccept-Language: ${language}\r\n`))
        const [head = '', page = ''] = answer.split(/(?<=\r\n\r\n)/)
        // As config/deploy/nginx has it.
        const bytes = head.length + gzipSync(page, { level: 5 }).length
        t.match(
          answer,
          /^HTTP\/1\.1 200 .*\r\nKeep-Alive: .*<style>.*<form .*<\/html>\s*$/is,
          `${language}, ${way}: complete`
        )
        t.match(answer, `<html lang="${language}`)
        t.equal(valuesOf(answer, 'data-sku').length, PRODUCTS.length)
        t.equal(valuesOf(answer, 'src').length, PRODUCTS.length + 1, 'the pictures and the logo')
        t.ok(bytes <= FIRST_FLIGHT, `${language}, ${way}: ${bytes} bytes`)
      }
    }
  })
}

t.test(
  'the page of ten lines has less than 11,600 bytes unpacked, and its markup is well-formed, folded too',
  async t => {
    for (const locale of ['en-GB', 'ar']) {
      const locales = EVERY.filter(language => !locale.startsWith(language))
      const file = demoMerchant({ locale, locales, currencies: ['GBP'] })
      const { app, merchants } = await buildListening(t, { merchants: [file], feed: String(generateFeed(80)) })
      const items = Array.from({ length: 10 }, (_, i) => ({ sku: `SKU-${i * 7 + 1}`, quantity: 1 }))
      const request = merchants[0]?.ways[0].option.request({ items, currency: 'GBP', reference: uuid() }, '/app/cart')
      const headers = { 'content-type': FORM }
      const { body } = await app.inject({ method: 'POST', url: '/app/cart', headers, payload: String(request?.body) })
      t.match(valuesOf(body, 'data-more')[0], '+6')
      t.strictSame(malformedTags(body), [])
      const { length } = Buffer.from(body)
      if (locale === 'en-GB') t.ok(length < 11_600, `${length} bytes`)
    }
  }
)

const FORM = 'application/x-www-form-urlencoded'

function post(path: string, body: string): string {
  const headers = `Host: shop.example\r\nContent-Type: ${FORM}\r\nContent-Length: ${Buffer.byteLength(body)}`
  return `POST ${path} HTTP/1.1\r\n${headers}\r\n\r\n${body}`
}
