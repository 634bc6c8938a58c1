// Option 1 through the app (contract 2.1, 2.2, 4.1): what is accepted, what is refused and how, what is sent back.
import t, { type Test } from 'tap'
import { jsonDescription } from '../../../src/transfer/json-description/json-description.ts'
import { build, FEED, type MerchantChanges, merchantFile, uuid } from '../../build.ts'
import { countingStore, linesIn, mistakesIn } from '../answers.ts'

const ADDRESS = '/shop/cart'
const JSON_TYPE = { 'content-type': 'application/json' }
const LONG = 'x'.repeat(128)
const ASTRAL = '𝒳'.repeat(128)

/** A valid cart as JSON text, in which each value can be replaced by any text. */
function cart({
  items = '[{"sku":"MUG","quantity":2}]',
  currency = '"GBP"',
  reference = `"${uuid()}"`,
  more = ''
} = {}) {
  return `{"items":${items},"currency":${currency},"reference":${reference}${more}}`
}
const withSku = (sku: string) => cart({ items: `[{"sku":${sku},"quantity":2}]` })
const withQuantity = (quantity: string) => cart({ items: `[{"sku":"MUG","quantity":${quantity}}]` })

async function open(t: Test, changes: MerchantChanges = {}) {
  const { wrap, added } = countingStore()
  const feed = `${FEED}\n${LONG}\tLong\t\tin_stock\t1.00 GBP\t\n${ASTRAL}\tAstral\t\tin_stock\t1.00 GBP\t`
  const { app, store } = await build(t, { merchants: [merchantFile('1', changes)], feed, store: wrap })
  const send = (payload: string | Buffer, headers: Record<string, string> = JSON_TYPE) =>
    app.inject({ method: 'POST', url: ADDRESS, headers, payload })
  const stored = async (reference = uuid()) => (await store.newestCheckout('shop', reference))?.cart
  return { app, send, stored, added }
}

t.test('a cart that breaks the contract is refused, and nothing of it is stored', async t => {
  const { send, added } = await open(t)
  const hyphenated = '0f8fad5b-d9cb-469f-a165-70867728950e'
  const sku = '#/items/0/sku'
  const quantity = '#/items/0/quantity'
  const cases: [rule: string, body: string | Buffer, ...mistakes: string[]][] = [
    // items
    ['items missing', `{"currency":"GBP","reference":"${uuid()}"}`, '#/items field-missing'],
    ['items empty', cart({ items: '[]' }), '#/items items-empty'],
    ['items null', cart({ items: 'null' }), '#/items field-type'],
    ['items as an object', cart({ items: '{"0":{"sku":"MUG","quantity":1}}' }), '#/items field-type'],
    ['items as a string', cart({ items: '"MUG"' }), '#/items field-type'],
    ['an item that is null', cart({ items: '[{"sku":"MUG","quantity":1},null]' }), '#/items/1 field-type'],
    ['an item that is a string', cart({ items: '["MUG"]' }), '#/items/0 field-type'],
    ['an item that is an array', cart({ items: '[["MUG",1]]' }), '#/items/0 field-type'],
    ['an empty item', cart({ items: '[{}]' }), `${sku} field-missing`, `${quantity} field-missing`],
    // sku
    ['sku missing', cart({ items: '[{"quantity":1}]' }), `${sku} field-missing`],
    ['sku in upper case', cart({ items: '[{"SKU":"MUG","quantity":1}]' }), `${sku} field-missing`],
    ['sku empty', withSku('""'), `${sku} sku-invalid`],
    ['sku of 129 characters', withSku(`"${LONG}x"`), `${sku} sku-invalid`],
    ['sku of 129 code points', withSku(`"${ASTRAL}𝒳"`), `${sku} sku-invalid`],
    ['sku with NUL', withSku('"MUG\\u0000"'), `${sku} sku-invalid`],
    ['sku with a line feed', withSku('"MUG\\n"'), `${sku} sku-invalid`],
    ['sku with DEL', withSku('"\\u007f"'), `${sku} sku-invalid`],
    ['sku with a C1 control', withSku('"\\u0085"'), `${sku} sku-invalid`],
    ['sku with a lone high surrogate', withSku('"\\ud83d"'), `${sku} sku-invalid`],
    ['sku with a lone low surrogate', withSku('"\\ude00x"'), `${sku} sku-invalid`],
    ['sku as a number', withSku('5'), `${sku} field-type`],
    ['sku null', withSku('null'), `${sku} field-type`],
    ['sku as a boolean', withSku('true'), `${sku} field-type`],
    ['sku as an array', withSku('["MUG"]'), `${sku} field-type`],
    ['sku as an object', withSku('{}'), `${sku} field-type`],
    // quantity
    ['quantity missing', cart({ items: '[{"sku":"MUG"}]' }), `${quantity} field-missing`],
    ['quantity as a string', withQuantity('"2"'), `${quantity} field-type`],
    ['quantity null', withQuantity('null'), `${quantity} field-type`],
    ['quantity as a boolean', withQuantity('true'), `${quantity} field-type`],
    ['quantity as an array', withQuantity('[2]'), `${quantity} field-type`],
    ['quantity 0', withQuantity('0'), `${quantity} quantity-invalid`],
    ['quantity -0', withQuantity('-0'), `${quantity} quantity-invalid`],
    ['quantity -1', withQuantity('-1'), `${quantity} quantity-invalid`],
    ['quantity 10000', withQuantity('10000'), `${quantity} quantity-invalid`],
    ['quantity 1e4', withQuantity('1e4'), `${quantity} quantity-invalid`],
    ['quantity 1e400', withQuantity('1e400'), `${quantity} quantity-invalid`],
    ['quantity 1e-400', withQuantity('1e-400'), `${quantity} quantity-invalid`],
    ['quantity 1.5', withQuantity('1.5'), `${quantity} quantity-invalid`],
    ['quantity a hair past 1', withQuantity('1.0000000000000000001'), `${quantity} quantity-invalid`],
    ['quantity a hair past 9999', withQuantity('9999.0000000000000001'), `${quantity} quantity-invalid`],
    // currency
    ['currency missing', `{"items":[{"sku":"MUG","quantity":1}],"reference":"${uuid()}"}`, '#/currency field-missing'],
    ['currency empty', cart({ currency: '""' }), '#/currency currency-invalid'],
    ['currency in lower case', cart({ currency: '"gbp"' }), '#/currency currency-invalid'],
    ['currency with a space', cart({ currency: '"GBP "' }), '#/currency currency-invalid'],
    ['currency unknown', cart({ currency: '"ZZZ"' }), '#/currency currency-invalid'],
    ['currency as a symbol', cart({ currency: '"£"' }), '#/currency currency-invalid'],
    ['currency as a numeric code', cart({ currency: '"826"' }), '#/currency currency-invalid'],
    ['currency as a number', cart({ currency: '826' }), '#/currency field-type'],
    ['currency null', cart({ currency: 'null' }), '#/currency field-type'],
    // reference
    ['reference missing', '{"items":[{"sku":"MUG","quantity":1}],"currency":"GBP"}', '#/reference field-missing'],
    ['reference empty', cart({ reference: '""' }), '#/reference reference-invalid'],
    ['reference of 36 characters', cart({ reference: `"${hyphenated}"` }), '#/reference reference-invalid'],
    ['reference of 31 digits', cart({ reference: `"${uuid().slice(1)}"` }), '#/reference reference-invalid'],
    ['reference of 33 digits', cart({ reference: `"${uuid()}0"` }), '#/reference reference-invalid'],
    ['reference with a g', cart({ reference: `"g${uuid().slice(1)}"` }), '#/reference reference-invalid'],
    ['reference with a line feed', cart({ reference: `"${uuid()}\\n"` }), '#/reference reference-invalid'],
    ['reference that is not a UUID', cart({ reference: '"order-1"' }), '#/reference reference-invalid'],
    ['reference as a number', cart({ reference: '12345678901234567890123456789012' }), '#/reference field-type'],
    ['reference null', cart({ reference: 'null' }), '#/reference field-type'],
    // repeated fields
    ['items twice', cart({ more: ',"items":[]' }), '#/items field-repeated'],
    ['currency twice', cart({ more: ',"currency":"USD"' }), '#/currency field-repeated'],
    ['currency twice, identical', cart({ more: ',"currency":"GBP"' }), '#/currency field-repeated'],
    ['reference twice', cart({ more: `,"reference":"${uuid(2)}"` }), '#/reference field-repeated'],
    ['sku twice', cart({ items: '[{"sku":"MUG","sku":"THROW","quantity":1}]' }), `${sku} field-repeated`],
    [
      'sku twice, one name escaped',
      cart({ items: '[{"sku":"MUG","\\u0073ku":"MUG","quantity":1}]' }),
      `${sku} field-repeated`
    ],
    ['quantity twice', cart({ items: '[{"sku":"MUG","quantity":1,"quantity":2}]' }), `${quantity} field-repeated`],
    [
      'quantity three times',
      cart({ items: '[{"quantity":1,"sku":"MUG","quantity":1,"quantity":1}]' }),
      `${quantity} field-repeated`
    ],
    // encoding
    ['a Latin-1 byte', Buffer.from(withSku('"caf\xe9"'), 'latin1'), '# encoding-malformed'],
    ['a truncated UTF-8 sequence', Buffer.from(withSku('"\xe2\x98"'), 'latin1'), '# encoding-malformed'],
    ['an overlong slash', Buffer.from(withSku('"\xc0\xaf"'), 'latin1'), '# encoding-malformed'],
    ['a surrogate encoded as UTF-8', Buffer.from(withSku('"\xed\xa0\x80"'), 'latin1'), '# encoding-malformed'],
    ['UTF-16 with its BOM', Buffer.from(`\ufeff${cart()}`, 'utf16le'), '# encoding-malformed'],
    ['a raw NUL', withSku('"MUG\0"'), '# json-malformed'],
    // JSON
    ['no body', '', '# json-malformed'],
    ['only whitespace', ' \n', '# json-malformed'],
    ['half a body', cart().slice(0, 40), '# json-malformed'],
    ['two bodies', cart() + cart(), '# json-malformed'],
    ['a trailing comma', cart({ items: '[{"sku":"MUG","quantity":2},]' }), '# json-malformed'],
    ['a comment', cart({ more: '/* none */' }), '# json-malformed'],
    ['single quotes', cart({ currency: "'GBP'" }), '# json-malformed'],
    ['a raw tab in a string', withSku('"a\tb"'), '# json-malformed'],
    ['a form', 'items[0][sku]=MUG', '# json-malformed'],
    ['quantity 02', withQuantity('02'), '# json-malformed'],
    ['quantity +2', withQuantity('+2'), '# json-malformed'],
    ['quantity 2.', withQuantity('2.'), '# json-malformed'],
    ['quantity NaN', withQuantity('NaN'), '# json-malformed'],
    ['quantity 0x2', withQuantity('0x2'), '# json-malformed'],
    ['two BOMs', `\ufeff\ufeff${cart()}`, '# json-malformed'],
    ['nested 100,000 deep', cart({ more: `,"x":${'['.repeat(100_000)}${']'.repeat(100_000)}` }), '# json-malformed'],
    ['an array', `[${cart()}]`, '# field-type'],
    ['a string', '"cart"', '# field-type'],
    ['a number', '1', '# field-type'],
    ['null', 'null', '# field-type']
  ]
  for (const [rule, body, ...mistakes] of cases) {
    const response = await send(body)
    t.match(response, { statusCode: 400, headers: { 'content-type': 'application/problem+json' } }, rule)
    t.strictSame(mistakesIn(response.body), mistakes, `${rule}: ${mistakes}`)
  }
  t.equal(added(), 0, 'nothing is stored')
})

t.test('contract mistakes are all reported together, and before catalogue mistakes', async t => {
  const { send, added } = await open(t)
  const items = '[{"sku":"NONE","quantity":"2"},{"sku":"","quantity":0},7,{"sku":"LAMP","sku":"MUG"}]'
  const response = await send(cart({ items, currency: '"usd"', reference: '5' }))
  t.equal(response.statusCode, 400)
  t.strictSame(
    mistakesIn(response.body).sort(),
    [
      '#/currency currency-invalid',
      '#/items/0/quantity field-type',
      '#/items/1/quantity quantity-invalid',
      '#/items/1/sku sku-invalid',
      '#/items/2 field-type',
      '#/items/3/quantity field-missing',
      '#/items/3/sku field-repeated',
      '#/reference field-type'
    ].sort()
  )
  t.match(response.json(), { detail: '8 mistakes in the cart; nothing of it was taken.' })
  t.equal(added(), 0)
})

t.test('catalogue mistakes are all reported together, each with its SKU', async t => {
  const { send, added } = await open(t)
  const skus = ['MUG', 'NONE', 'LAMP', 'mug', ' MUG', 'MUG\u200b', 'DOLLAR', 'NONE']
  const items = JSON.stringify(skus.map(sku => ({ sku, quantity: 1 })))
  const response = await send(cart({ items }))
  t.equal(response.statusCode, 422)
  t.match(response.json(), {
    type: /cart-not-sellable$/,
    errors: [
      { pointer: '#/items/1/sku', code: 'sku-unknown', sku: 'NONE' },
      { pointer: '#/items/2/sku', code: 'out-of-stock', sku: 'LAMP' },
      { pointer: '#/items/3/sku', code: 'sku-unknown', sku: 'mug' },
      { pointer: '#/items/4/sku', code: 'sku-unknown', sku: ' MUG' },
      { pointer: '#/items/5/sku', code: 'sku-unknown', sku: 'MUG\u200b' },
      { pointer: '#/items/6/sku', code: 'price-missing', sku: 'DOLLAR' },
      { pointer: '#/items/7/sku', code: 'sku-unknown', sku: 'NONE' }
    ]
  })
  const elsewhere = await send(
    cart({ currency: '"USD"', items: '[{"sku":"MUG","quantity":1},{"sku":"NO","quantity":1}]' })
  )
  t.equal(elsewhere.statusCode, 422, 'a currency that this merchant does not sell in')
  t.strictSame(mistakesIn(elsewhere.body), ['#/items/1/sku sku-unknown', '#/currency currency-not-sold'])
  t.equal(added(), 0)
})

t.test('a cart that keeps the contract is stored exactly as sent', async t => {
  const { send, stored } = await open(t)
  const mug = (quantity: number) => [{ sku: 'MUG', quantity }]
  const cases: [rule: string, body: string | Buffer, items: object[]][] = [
    ['quantity 1', withQuantity('1'), mug(1)],
    ['quantity 9999', withQuantity('9999'), mug(9999)],
    ['quantity 2.0', withQuantity('2.0'), mug(2)],
    ['quantity 20e-1', withQuantity('20e-1'), mug(2)],
    ['quantity 0.2E+1', withQuantity('0.2E+1'), mug(2)],
    ['quantity 9.999e3', withQuantity('9.999e3'), mug(9999)],
    ['sku of 128 characters', withSku(`"${LONG}"`), [{ sku: LONG, quantity: 2 }]],
    ['sku of 128 code points', withSku(`"${ASTRAL}"`), [{ sku: ASTRAL, quantity: 2 }]],
    ['sku with spaces around it', withSku('" a+b c "'), [{ sku: ' a+b c ', quantity: 2 }]],
    ['sku in other scripts', withSku('"ソ-☕"'), [{ sku: 'ソ-☕', quantity: 2 }]],
    ['sku with JSON escapes', withSku('"\\u30bd-\\u2615"'), [{ sku: 'ソ-☕', quantity: 2 }]],
    [
      'sku with markup',
      withSku('"<script>alert(\\"sku\\")<\\/script>"'),
      [{ sku: '<script>alert("sku")</script>', quantity: 2 }]
    ],
    [
      'lines in the order sent; one SKU on two lines',
      cart({ items: '[{"sku":"THROW","quantity":1},{"sku":"MUG","quantity":2},{"quantity":3,"sku":"THROW"}]' }),
      [
        { sku: 'THROW', quantity: 1 },
        { sku: 'MUG', quantity: 2 },
        { sku: 'THROW', quantity: 3 }
      ]
    ],
    ['a BOM', `\ufeff${cart()}`, mug(2)],
    ['whitespace around it', ` \r\n\t${cart()}\n`, mug(2)],
    [
      'extra fields',
      cart({ more: ',"location":{"lat":1.5},"userId":null,"Items":5,"":1,"__proto__":{"items":5}' }),
      mug(2)
    ],
    ['extra fields, repeated', cart({ more: ',"a":1,"a":2,"b":{"sku":1,"sku":2}' }), mug(2)],
    ['an extra field nested 1,000 deep', cart({ more: `,"x":${'['.repeat(1000)}${']'.repeat(1000)}` }), mug(2)],
    ['an extra field with a number out of range', cart({ more: ',"x":1e999999' }), mug(2)],
    ['an extra field with half a surrogate pair', cart({ more: ',"x":"\\ud83d"' }), mug(2)],
    ['extra fields in an item', cart({ items: '[{"name":"Mug","sku":"MUG","quantity":2,"tags":[{}]}]' }), mug(2)],
    ...['12.50', '"12.50"', 'null', '[]', '{}', '-1', '"\\u0000"', '1e999'].map((price): [string, string, object[]] => [
      `a price of ${price}, which is not in contract 2.1`,
      cart({ items: `[{"sku":"MUG","quantity":2,"price":${price},"price":0}]` }),
      mug(2)
    ])
  ]
  for (const [i, [rule, body, items]] of cases.entries()) {
    const reference = uuid(i + 1)
    const text = Buffer.from(body.toString().replace(uuid(), reference))
    const response = await send(text)
    t.equal(response.statusCode, 200, rule)
    t.strictSame(await stored(reference), { reference, currency: 'GBP', items }, `${rule}: stored as sent`)
  }
})

t.test('a reference is 32 hexadecimal digits, compared case-insensitively', async t => {
  const { send, added } = await open(t)
  const lower = 'abcdef00000000000000000000000001'
  const first = await send(cart({ reference: `"${lower}"` }))
  const again = await send(cart({ reference: `"${lower.toUpperCase()}"` }))
  t.strictSame([first.statusCode, again.statusCode], [200, 200])
  t.strictSame(again.json(), first.json())
  t.equal(added(), 1)
  for (const digit of ['0', 'f']) t.equal((await send(cart({ reference: `"${digit.repeat(32)}"` }))).statusCode, 200)
})

t.test('the 36-character form of a UUID is accepted if the merchant file allows it', async t => {
  const { send, added } = await open(t, { transfer: { acceptHyphenated: true } })
  const hyphenated = '0f8fad5b-d9cb-469f-a165-70867728950e'
  const first = await send(cart({ reference: `"${hyphenated}"` }))
  const again = await send(cart({ reference: `"${hyphenated.replaceAll('-', '').toUpperCase()}"` }))
  t.strictSame([first.statusCode, again.statusCode], [200, 200])
  t.strictSame(again.json(), first.json(), 'hyphens and case do not matter')
  t.equal(added(), 1)
})

t.test('more lines than maxItems get 413, whatever else is wrong with them', async t => {
  const { send, added } = await open(t, { transfer: { maxItems: 2 } })
  const cases: [name: string, items: string, status: number][] = [
    ['two of two', '[{"sku":"MUG","quantity":1},{"sku":"MUG","quantity":1}]', 200],
    ['three of two', '[{"sku":"MUG","quantity":1},{"sku":"MUG","quantity":1},{"sku":"MUG","quantity":1}]', 413],
    ['three of two, all broken', '[{},null,{"sku":5}]', 413]
  ]
  for (const [name, items, status] of cases) {
    const response = await send(cart({ items }))
    t.equal(response.statusCode, status, name)
    if (status === 413) t.strictSame(mistakesIn(response.body), ['too-many-lines'], name)
  }
  t.equal(added(), 1)
})

t.test('the body limit fits maxItems lines at their longest, and larger bodies are refused', async t => {
  const { send, added } = await open(t, { transfer: { maxItems: 1 } })
  const escaped = `"${'\\ud835\\udcb3'.repeat(128)}"`
  const longest = await send(withSku(escaped))
  t.equal(longest.statusCode, 200, 'a SKU of 128 code points, each written as two escapes')
  const response = await send(cart({ more: `,"x":"${'x'.repeat(100_000)}"` }))
  t.match(response, { statusCode: 413, headers: { 'content-type': 'application/problem+json' } })
  t.strictSame(mistakesIn(response.body), ['body-too-large'])
  t.equal(added(), 1)
})

t.test('the Content-Type must be application/json; parameters are ignored', async t => {
  const { app, added } = await open(t)
  const cases: [type: string | undefined, status: number][] = [
    ['application/json', 200],
    ['application/json; charset=utf-8', 200],
    ['application/json;charset=UTF-8;x=y', 200],
    ['application/json ; charset=iso-8859-1', 200], // the bytes are read as UTF-8 anyway
    ['application/json;', 200],
    ['Application/JSON', 200],
    [undefined, 415],
    ['', 415],
    ['text/json', 415],
    ['text/plain', 415],
    ['application/jsonp', 415],
    ['application/json5', 415],
    ['application/x-json', 415],
    ['application/problem+json', 415],
    ['application/*', 415],
    ['application', 415],
    ['json', 415],
    ['application/json, text/plain', 415],
    ['text/plain; application/json', 415],
    ['application/x-www-form-urlencoded', 415],
    ['multipart/form-data; boundary=x', 415]
  ]
  for (const [type, status] of cases) {
    const headers = type === undefined ? {} : { 'content-type': type }
    const response = await app.inject({ method: 'POST', url: ADDRESS, headers, payload: Buffer.from(cart()) })
    t.equal(response.statusCode, status, `${type}: ${status}`)
    if (status === 200) continue
    t.strictSame(mistakesIn(response.body), ['media-type-unsupported'], `${type}`)
    const bare = await app.inject({ method: 'POST', url: ADDRESS, headers })
    t.equal(bare.statusCode, 415, `${type}: without a body too`)
  }
  t.equal(added(), 1, 'only one cart was stored')
})

t.test('the address accepts only POST', async t => {
  const { app } = await open(t)
  for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const) {
    const response = await app.inject({ method, url: ADDRESS })
    t.match(response, { statusCode: 405, headers: { allow: 'POST' } }, method)
  }
})

t.test('Origin, Referer, Accept and Cookie are no reason to refuse a request, and its query is ignored', async t => {
  const { app, send } = await open(t)
  const cases: Record<string, string>[] = [
    { origin: 'null' },
    { origin: 'https://elsewhere.example', 'sec-fetch-site': 'cross-site' },
    { referer: 'https://elsewhere.example/' },
    { accept: 'text/html' },
    { cookie: 'token=other' }
  ]
  for (const headers of cases) {
    t.equal((await send(cart(), { ...JSON_TYPE, ...headers })).statusCode, 200, JSON.stringify(headers))
  }
  const url = `${ADDRESS}?currency=%zz&x=${'x'.repeat(3000)}`
  t.equal((await app.inject({ method: 'POST', url, headers: JSON_TYPE, payload: cart() })).statusCode, 200)
})

t.test('the response is a description with the fields of contract 2.2 only', async t => {
  const { send } = await open(t)
  const response = await send(cart())
  t.match(response.headers, { 'content-type': /^application\/json/, 'cache-control': 'no-store' })
  const { body, ...rest } = response.json()
  t.strictSame(rest, { url: 'http://127.0.0.1:3000/shop/checkout', httpMethod: 'POST' })
  t.match(body, /^token=[A-Za-z0-9_-]{22,64}$/)
})

t.test(
  'the description has the headers and cookies of the merchant file, every field of 2.2 and no others',
  async t => {
    const description = {
      httpMethod: 'GET',
      headers: [{ name: 'X-Channel', value: 'app' }],
      cookies: [
        { name: 'channel', value: 'app', path: '/', isSecure: true, isHttpOnly: false, expiresAfterMinutes: 60 },
        { name: 'fixed', value: '1', expireDate: '2027-01-31T12:00:00+01:00' },
        { name: 'session', value: '2' }
      ]
    }
    const { send } = await open(t, { publicUrl: 'https://shop.example/shop', transfer: { description } })
    const { url, ...rest } = (await send(cart())).json()
    t.match(url, /^https:\/\/shop\.example\/shop\/checkout\/[A-Za-z0-9_-]{22,64}$/)
    t.strictSame(rest, {
      httpMethod: 'GET',
      cookies: [
        {
          name: 'channel',
          value: 'app',
          expireDate: '2026-11-20T11:00:00Z',
          isHttpOnly: false,
          isSecure: true,
          path: '/'
        },
        { name: 'fixed', value: '1', expireDate: '2027-01-31T11:00:00Z' },
        { name: 'session', value: '2' }
      ],
      headers: [{ name: 'X-Channel', value: 'app' }]
    })
  }
)

t.test('the described request opens a page with exactly the lines sent', async t => {
  for (const httpMethod of ['POST', 'GET'] as const) {
    const { app, send } = await open(t, { transfer: { description: { httpMethod } } })
    const items = [
      { sku: 'THROW', quantity: 3 },
      { sku: ' a+b c ', quantity: 1 },
      { sku: 'THROW', quantity: 1 }
    ]
    const { url, body } = (await send(cart({ items: JSON.stringify(items) }))).json()
    const page = await app.inject({
      method: httpMethod,
      url: new URL(url).pathname,
      ...(body && { payload: body, headers: { 'content-type': 'application/x-www-form-urlencoded' } })
    })
    t.equal(page.statusCode, 200, httpMethod)
    t.strictSame(linesIn(page.body), items, httpMethod)
  }
})

t.test('the description has the same length for a bag of any size', async t => {
  const { send } = await open(t)
  const items = Array.from({ length: 200 }, () => ({ sku: 'MUG', quantity: 1 }))
  const large = (await send(cart({ items: JSON.stringify(items) }))).json()
  const small = (await send(cart({ reference: `"${uuid(2)}"` }))).json()
  t.equal(JSON.stringify(large).length, JSON.stringify(small).length)
})

t.test("the platform's half writes the fields of contract 2.1 and no others", async t => {
  const items = [
    { sku: ' "a" ', quantity: 1, price: '12.50' },
    { sku: 'ソ', quantity: 9999 }
  ]
  t.strictSame(jsonDescription.request({ reference: uuid(), currency: 'GBP', items }, 'https://shop.example/cart'), {
    method: 'POST',
    url: 'https://shop.example/cart',
    headers: [{ name: 'Content-Type', value: 'application/json' }],
    body: `{"items":[{"sku":" \\"a\\" ","quantity":1},{"sku":"ソ","quantity":9999}],"currency":"GBP","reference":"${uuid()}"}`
  })
})
