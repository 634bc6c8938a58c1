// The hook: a cart is POSTed to the shop, signed, and the shop's answer is read.
import t from 'tap'
import type { Cart } from '../../../../src/cart/cart.ts'
import { CartRefused, ShopDown, ShopFailed } from '../../../../src/integrations/destination/destination.ts'
import { hook, readRefusal } from '../../../../src/integrations/destination/hook/hook.ts'
import type { DestinationRoute } from '../../../../src/integrations/destination/shop-page.ts'
import { httpFetch } from '../../../../src/integrations/outgoing/http-client.ts'
import { reported } from '../../../reported.ts'
import { openOwnShop, SHOP_SECRET, type ShopAnswer } from '../own-shop.ts'

const NOW = new Date('2026-11-20T10:00:00.789Z')
const CART = {
  reference: 'order-1',
  currency: 'GBP',
  items: [
    { sku: 'MUG', quantity: 2, price: '1.00' },
    { sku: 'ソ-☕', quantity: 1 }
  ]
}

function open(url: string, secret = SHOP_SECRET, cart: Cart = CART) {
  const signal = AbortSignal.timeout(10_000)
  return hook.open(cart, { settings: { url }, key: 'a-key', signal, fetch: httpFetch, clock: () => NOW, secret })
}

t.test('the cart arrives whole and signed, under its key', async t => {
  const shop = await openOwnShop(t)
  t.match(await open(shop.url), { lines: CART.items, currency: 'GBP', url: /\/checkout\?cart=a-key$/ })
  t.match(shop.received, [
    {
      cart: { type: 'cart.transfer', key: 'a-key', ...CART },
      headers: {
        'content-type': 'application/json',
        'idempotency-key': 'a-key',
        'webhook-id': 'a-key',
        'webhook-timestamp': String(Date.parse('2026-11-20T10:00:00Z') / 1000)
      }
    }
  ])
  await t.rejects(open(shop.url, `whsec_${'A'.repeat(32)}`), {
    constructor: ShopFailed,
    message: 'it answered 401: does it have the same secret, and the right time?'
  })
})

t.test('codes and attribution arrive with the cart, and only if it has them', async t => {
  const shop = await openOwnShop(t)
  const brought = { codes: ['SUMMER10'], attribution: { utm_source: 'a&b' } }
  await open(shop.url, SHOP_SECRET, { ...CART, ...brought })
  await open(shop.url)
  const sent = { type: 'cart.transfer', key: 'a-key', ...CART }
  t.strictSame(
    shop.received.map(({ cart }) => cart),
    [{ ...sent, ...brought }, sent]
  )
})

t.test('a 422 refuses what it names', async t => {
  const shop = await openOwnShop(t)
  const refuse = (...errors: object[]) => shop.answer(() => ({ status: 422, json: { title: 'no', errors } }))
  refuse(
    { pointer: '#/items/0/sku', code: 'out-of-stock', detail: 'Back in May.' },
    { pointer: '#/items/0/quantity', code: 'quantity-too-large', limit: 1 },
    { pointer: '#/items/1/quantity', code: 'quantity-too-large', limit: 0, detail: 'None left.' },
    { pointer: '#/currency', code: 'currency-not-sold' }
  )
  const refusal = await open(shop.url).catch((error: unknown) => error)
  t.type(refusal, CartRefused)
  t.strictSame((refusal as CartRefused).mistakes, [
    { field: 'sku', line: 0, code: 'out-of-stock', detail: 'The shop says of "MUG": Back in May.' },
    {
      field: 'quantity',
      line: 0,
      code: 'quantity-too-large',
      limit: { units: 1 },
      detail: 'The shop says of "MUG": quantity-too-large'
    },
    { field: 'sku', line: 1, code: 'out-of-stock', detail: 'The shop says of "ソ-☕": None left.' },
    { field: 'currency', code: 'currency-not-sold', detail: 'The shop says of "GBP": currency-not-sold' }
  ])
})

t.test('a 422 that names nothing of the cart is a failure, which names the field', async t => {
  const shop = await openOwnShop(t)
  const sku = { pointer: '#/items/0/sku', code: 'out-of-stock' }
  const most = { pointer: '#/items/0/quantity', code: 'quantity-too-large' }
  const CODES = 'give sku-unknown, out-of-stock, price-missing, currency-not-sold or quantity-too-large'
  const LIST = 'give a list of at least one error, an object with pointer and code'
  const PLACES = 'give "#/currency", "#/items/<line>/sku" or "#/items/<line>/quantity" of a line that was sent'
  const LIMIT = 'give how many units of the SKU it sells, a whole number'
  const cases: [json: unknown, message: string][] = [
    [null, 'the body is of the wrong type; give an object with errors'],
    [{ title: 'no' }, `errors is missing; ${LIST}`],
    [{ errors: [] }, `errors is empty; ${LIST}`],
    [{ errors: { 0: sku } }, `errors is of the wrong type; ${LIST}`],
    [{ errors: [sku, null] }, 'errors[1] is of the wrong type; give an object with pointer and code'],
    [{ errors: [sku, { ...sku, code: 'gone' }] }, `errors[1].code is "gone"; ${CODES}`],
    [{ errors: [{ pointer: '#/items/0/sku' }] }, `errors[0].code is missing; ${CODES}`],
    [{ errors: [{ ...sku, pointer: 0 }] }, 'errors[0].pointer is 0; give text such as "#/items/0/sku"'],
    [{ errors: [{ ...sku, detail: ['a'] }] }, 'errors[0].detail is of the wrong type; give text, or leave it out'],
    [{ errors: [most] }, `errors[0].limit is missing; ${LIMIT}`],
    [{ errors: [{ ...most, limit: '1' }] }, `errors[0].limit is "1"; ${LIMIT}`],
    [{ errors: [{ ...most, limit: -1 }] }, `errors[0].limit is -1; ${LIMIT}`],
    [{ errors: [{ ...most, limit: 2 }] }, 'errors[0].limit is 2; give fewer than the 2 of "MUG" that were sent'],
    [{ errors: [{ ...sku, pointer: '#/items/2/sku' }] }, `errors[0].pointer is "#/items/2/sku"; ${PLACES}`],
    [{ errors: [{ ...sku, pointer: '/items/0/sku' }] }, `errors[0].pointer is "/items/0/sku"; ${PLACES}`]
  ]
  for (const [json, message] of cases) {
    shop.answer(() => ({ status: 422, json }))
    await t.rejects(open(shop.url), { constructor: ShopFailed, message: `its 422 is wrong: ${message}` })
  }
})

t.test('a limit is about all units of a SKU', async t => {
  const [item] = CART.items
  const refusal = readRefusal(
    { errors: [{ pointer: '#/items/1/quantity', code: 'quantity-too-large', limit: 3 }] },
    {
      ...CART,
      items: [item, item] as Cart['items']
    }
  )
  t.match(refusal.mistakes, [{ line: 1, limit: { units: 3 } }])
})

t.test('anything else is a failure, and nothing of the answer is quoted', async t => {
  const shop = await openOwnShop(t)
  const cases: [name: string, answer: ShopAnswer, message: RegExp][] = [
    ['a server error', { status: 500, text: 's3cret' }, /^it answered 500$/],
    ['a redirect, which is not followed', { status: 302, text: '' }, /^it answered 302; redirects are not followed$/],
    ['nothing new', { status: 304, text: '' }, /^it answered 304$/],
    ['no content', { status: 204, text: '' }, /^it answered 204 with something that is not JSON$/],
    ['no JSON', { text: '<!doctype html>s3cret' }, /^it answered 200 with something that is not JSON$/],
    ['nothing', { text: '' }, /something that is not JSON/],
    ['too much', { text: `"${'a'.repeat(1024 * 1024)}"` }, /^its answer has more than \d+ bytes$/],
    ['the connection is cut', 'cuts', /fetch failed/]
  ]
  for (const [name, answer, message] of cases) {
    shop.answer(() => answer)
    await t.rejects(open(shop.url), { message }, name)
  }
  for (const [status, kind] of [
    [499, ShopFailed],
    [500, ShopDown]
  ] as const) {
    shop.answer(() => ({ status }))
    await t.rejects(open(shop.url), { constructor: kind, message: `it answered ${status}` })
  }
})

t.test('its address is checked at start', async t => {
  const anywhere: DestinationRoute = { answer: 'page', path: '', currencies: ['EUR'] }
  const check = (url: string, route = anywhere) => reported(report => hook.check({ url }, route, report))
  for (const url of ['https://shop.example/carts?from=app', 'http://127.0.0.1:4000/', 'http://192.168.1.2/']) {
    t.strictSame(check(url), [], url)
  }
  for (const url of [
    'shop.example',
    'ftp://shop.example/',
    'http://shop.example/',
    'https://ada:s3cret@shop.example/'
  ]) {
    t.match(check(url), [{ key: ['url'], problem: /^(?!.*s3cret).*; give one such as "https:/ }], url)
  }
  const route: DestinationRoute = {
    answer: 'page',
    origin: 'https://app.shop.example',
    path: '/bags',
    currencies: ['EUR']
  }
  for (const url of ['https://app.shop.example/bags', 'https://app.shop.example/bags/cart']) {
    t.match(check(url, route), [{ key: ['url'], problem: /below publicUrl, which is this server; give one/ }])
  }
  t.strictSame(check('https://app.shop.example/bagshop', route), [])
})
