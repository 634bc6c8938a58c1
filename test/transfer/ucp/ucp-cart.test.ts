// What is read of the JSON of a UCP cart: values at its limits, what is refused and where, and what came along.
import t from 'tap'
import type { Cart } from '../../../src/cart/cart.ts'
import { Problem } from '../../../src/errors.ts'
import { ucp } from '../../../src/transfer/ucp/ucp.ts'
import { readUcpCart } from '../../../src/transfer/ucp/ucp-cart.ts'

const settings = { currency: 'GBP' }
const countries = { GBP: ['GB'], EUR: ['DE', 'FR'], USD: [] }

const read = (body: object | string) =>
  readUcpCart(Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)), {
    maxItems: 3,
    maxQuantity: 20,
    settings,
    countries
  })

const line = (item: unknown, quantity: unknown = 1) => ({ line_items: [{ item, quantity }] })
const withText = (text: string) => `{"line_items":[${text}]}`

/** What a refusal names: `pointer code`. */
function mistakesOf(body: object | string): string[] {
  try {
    read(body)
    return []
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return error.mistakes.length > 0 ? error.mistakes.map(({ pointer, code }) => `${pointer} ${code}`) : [error.code]
  }
}

t.test('lines are read in their order, under a new reference each time', async t => {
  const sent = {
    line_items: [
      { quantity: 2, item: { id: 'A' } },
      { item: { id: 'B', title: 5 }, quantity: 1 }
    ]
  }
  const { reference, ...cart } = read(sent)
  t.match(reference, /^[\da-f]{32}$/)
  t.not(read(sent).reference, reference)
  t.strictSame(cart, {
    currency: 'GBP',
    items: [
      { sku: 'A', quantity: 2 },
      { sku: 'B', quantity: 1 }
    ]
  })
  t.match(read(withText('{"item":{"id":"A"},"quantity":20e-1}')).items, [{ quantity: 2 }])
})

const REFUSED: [body: object | string, mistakes: string[]][] = [
  ['', ['# json-malformed']],
  ['[]', ['# field-type']],
  ['null', ['# field-type']],
  ['{"line_items":[]} x', ['# json-malformed']],
  [{}, ['$.line_items field-missing']],
  [{ line_items: {} }, ['$.line_items field-type']],
  [{ line_items: [] }, ['$.line_items items-empty']],
  ['{"line_items":[],"line_items":[{"item":{"id":"A"},"quantity":1}]}', ['$.line_items field-repeated']],
  ['{"line_items":5,"line_items":5,"line_items":5}', ['$.line_items field-repeated']],
  [{ line_items: [1, { item: 2, quantity: 1 }] }, ['$.line_items[0] field-type', '$.line_items[1].item field-type']],
  [line({}), ['$.line_items[0].item.id field-missing']],
  [line({ id: 5 }), ['$.line_items[0].item.id field-type']],
  [line({ id: '' }), ['$.line_items[0].item.id sku-invalid']],
  [{ line_items: [{ item: { id: 'A' } }] }, ['$.line_items[0].quantity field-missing']],
  [line({ id: 'A' }, '2'), ['$.line_items[0].quantity field-type']],
  [line({ id: 'A' }, 0), ['$.line_items[0].quantity quantity-invalid']],
  [line({ id: 'A' }, 2 ** 53 - 1), ['$.line_items[0].quantity quantity-invalid']],
  [withText('{"item":{"id":"A"},"quantity":1.5}'), ['$.line_items[0].quantity quantity-invalid']],
  [withText('{"item":{"id":"A"},"quantity":1,"quantity":2}'), ['$.line_items[0].quantity field-repeated']],
  [withText('{"item":{"id":"A","id":"B"},"quantity":1}'), ['$.line_items[0].item.id field-repeated']],
  [{ line_items: Array(4).fill(5) }, ['too-many-lines']],
  [line({ id: 'A' }, 1).line_items.concat(Array(9000).fill(0)), ['body-too-large']]
]

t.test('what is wrong is named by its JSONPath', async t => {
  for (const [body, mistakes] of REFUSED) t.strictSame(mistakesOf(body), mistakes, JSON.stringify(body).slice(0, 80))
})

t.test('things are sold by the piece, and any other unit is refused', async t => {
  const of = (unit: unknown) => mistakesOf(line({ id: 'A', quantity_unit: unit }))
  for (const unit of [{ unit: 'C62' }, { unit: 'C62', scale: 0, display_text: 'each' }]) t.strictSame(of(unit), [])
  for (const unit of [{}, 5, null, { unit: 'KGM', scale: 2 }, { unit: 'C62', scale: 1 }, { unit: 'C62', scale: '0' }]) {
    t.strictSame(of(unit), ['$.line_items[0].item.quantity_unit quantity-unit-mismatch'], JSON.stringify(unit))
  }
})

const CURRENCIES: [context: unknown, currency: string][] = [
  [undefined, 'GBP'],
  ['EUR', 'GBP'],
  [{ currency: 'EUR' }, 'EUR'],
  [{ currency: 'USD', address_country: 'DE' }, 'USD'],
  [{ currency: 'JPY', address_country: 'FR' }, 'EUR'],
  [{ currency: 'constructor', address_country: 'XX' }, 'GBP'],
  [{ currency: ['EUR'], address_country: 'GB' }, 'GBP']
]

t.test('the currency is the one asked for, or that of the country, or that of the way', async t => {
  const sent = line({ id: 'A' })
  for (const [context, currency] of CURRENCIES) t.equal(read({ ...sent, context }).currency, currency)
})

t.test('buyer, place, language and attribution come along; what cannot be theirs is left out', async t => {
  const {
    reference: _,
    items: __,
    ...came
  } = read({
    ...line({ id: 'A' }),
    buyer: { first_name: 'Ada', last_name: 'King', email: 'ada@example.com', phone_number: '+442079460000', age: 36 },
    context: { address_country: 'GB', address_locality: 'Whitby', postal_code: 'YO21', language: 'en-GB' },
    attribution: { utm_source: 'google', 'not a name': 'x', gclid: 5 }
  })
  t.strictSame(came, {
    currency: 'GBP',
    buyer: {
      email: 'ada@example.com',
      phone: '+442079460000',
      country: 'GB',
      address: { name: 'Ada King', city: 'Whitby', postcode: 'YO21' }
    },
    language: 'en-GB',
    attribution: { utm_source: 'google' }
  })
  const odd = { buyer: { email: 'a\u0000b', first_name: '\ud800' }, context: { language: 'x, y' }, attribution: [] }
  t.strictSame(Object.keys(read({ ...line({ id: 'A' }), ...odd })), ['reference', 'currency', 'items'])
})

t.test('the request of a platform has all of it', async t => {
  const cart: Cart = {
    reference: 'r',
    currency: 'EUR',
    items: [{ sku: 'A', quantity: 2 }],
    buyer: { email: 'ada@example.com', country: 'DE', address: { name: 'Ada King', postcode: '10115' } },
    attribution: { utm_source: 'google' },
    language: 'de'
  }
  const { method, url, headers, body } = ucp.request(cart, 'https://shop.example/ucp')
  t.match([method, url], ['POST', 'https://shop.example/ucp/carts'])
  t.match(headers, [{ value: 'application/json' }, { name: 'UCP-Agent', value: /^profile="https:\/\/[^"]+"$/ }])
  const { reference, ...found } = read(String(body))
  t.strictSame({ ...found, reference: 'r' }, cart)
  t.ok(reference)
})

t.test('the request plays the first platform that needs no signature, or else the first', async t => {
  const signs = (name: string) => ({
    profile: `https://${name}.example/`,
    authentication: { type: 'signature' as const }
  })
  const agent = (...platforms: { profile: string }[]) => {
    const { headers } = ucp.request({ reference: 'r', currency: 'GBP', items: [] }, '', { platforms })
    return headers.at(-1)?.value
  }
  t.equal(agent(signs('a'), { profile: 'https://b.example/' }), 'profile="https://b.example/"')
  t.equal(agent(signs('a'), signs('b')), 'profile="https://a.example/"')
})
