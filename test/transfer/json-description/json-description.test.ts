// Option 1 through the app (contract 2.1, 2.2, 4.1): what is accepted, what is refused and how, what is sent back.
import t, { type Test } from 'tap'
import { jsonDescription } from '../../../src/transfer/json-description/json-description.ts'
import { build, FEED, type MerchantChanges, merchantFile, uuid } from '../../build.ts'
import { countingStore, mistakesIn } from '../answers.ts'

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
  const sku = '#/items/0/sku'
  const quantity = '#/items/0/quantity'
  type Case = [rule: string, body: string | Buffer, ...mistakes: string[]]
  /** The same mistake in several values of a field. */
  const each = (mistake: string, write: (value: string) => string, values: string[]) =>
    values.map((value): Case => [`${mistake}: ${value}`, write(value), mistake])
  const withItems = (items: string) => cart({ items })
  const withCurrency = (currency: string) => cart({ currency })
  const withReference = (reference: string) => cart({ reference })
  const controls = ['"MUG\\u0000"', '"MUG\\n"', '"\\u007f"', '"\\u0085"']
  const fractions = ['1e-400', '1.5', '1.0000000000000000001', '9999.0000000000000001']
  const uuids = [uuid().slice(1), `${uuid()}0`, `g${uuid().slice(1)}`, `${uuid()}\\n`, 'order-1', '']
  const hyphenated = '0f8fad5b-d9cb-469f-a165-70867728950e'
  const cases: Case[] = [
    ['items missing', `{"currency":"GBP","reference":"${uuid()}"}`, '#/items field-missing'],
    ['items empty', withItems('[]'), '#/items items-empty'],
    ...each('#/items field-type', withItems, ['null', '{"0":{"sku":"MUG","quantity":1}}', '"MUG"']),
    ...each('#/items/0 field-type', withItems, ['[null]', '["MUG"]', '[["MUG",1]]']),
    ['a second item that is null', withItems('[{"sku":"MUG","quantity":1},null]'), '#/items/1 field-type'],
    ['an empty item', withItems('[{}]'), `${sku} field-missing`, `${quantity} field-missing`],
    ...each(`${sku} field-missing`, withItems, ['[{"quantity":1}]', '[{"SKU":"MUG","quantity":1}]']),
    ...each(`${sku} sku-invalid`, withSku, ['""', `"${LONG}x"`, `"${ASTRAL}𝒳"`, ...controls]),
    ...each(`${sku} sku-invalid`, withSku, ['"\\ud83d"', '"\\ude00x"']),
    ...each(`${sku} field-type`, withSku, ['5', 'null', 'true', '["MUG"]', '{}']),
    ['quantity missing', withItems('[{"sku":"MUG"}]'), `${quantity} field-missing`],
    ...each(`${quantity} field-type`, withQuantity, ['"2"', 'null', 'true', '[2]']),
    ...each(`${quantity} quantity-invalid`, withQuantity, ['0', '-0', '-1', '10000', '1e4', '1e400', ...fractions]),
    ['currency missing', `{"items":[{"sku":"MUG","quantity":1}],"reference":"${uuid()}"}`, '#/currency field-missing'],
    ...each('#/currency currency-invalid', withCurrency, ['""', '"gbp"', '"GBP "', '"ZZZ"', '"£"', '"826"']),
    ...each('#/currency field-type', withCurrency, ['826', 'null']),
    ['reference missing', '{"items":[{"sku":"MUG","quantity":1}],"currency":"GBP"}', '#/reference field-missing'],
    ...each('#/reference reference-invalid', value => withReference(`"${value}"`), [...uuids, hyphenated]),
    ...each('#/reference field-type', withReference, ['12345678901234567890123456789012', 'null']),
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
    // encoding: Latin-1, a truncated sequence, an overlong slash, half of a surrogate pair
    ...['caf\xe9', '\xe2\x98', '\xc0\xaf', '\xed\xa0\x80'].map(
      (text): Case => [`bytes of "${text}"`, Buffer.from(withSku(`"${text}"`), 'latin1'), '# encoding-malformed']
    ),
    ['UTF-16 with its BOM', Buffer.from(`\ufeff${cart()}`, 'utf16le'), '# encoding-malformed'],
    // JSON
    ...each('# json-malformed', body => body, ['', ' \n', cart().slice(0, 40), cart() + cart(), 'items[0][sku]=MUG']),
    ...each('# json-malformed', withSku, ['"MUG\0"', '"a\tb"']),
    ...each('# json-malformed', withQuantity, ['02', '+2', '2.', 'NaN', '0x2']),
    ['a trailing comma', withItems('[{"sku":"MUG","quantity":2},]'), '# json-malformed'],
    ['a comment', cart({ more: '/* none */' }), '# json-malformed'],
    ['single quotes', withCurrency("'GBP'"), '# json-malformed'],
    ['two BOMs', `\ufeff\ufeff${cart()}`, '# json-malformed'],
    ['nested 100,000 deep', cart({ more: `,"x":${'['.repeat(100_000)}${']'.repeat(100_000)}` }), '# json-malformed'],
    ...each('# field-type', body => body, [`[${cart()}]`, '"cart"', '1', 'null'])
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
    ['sku with a plus and a space', withSku('"a+b c"'), [{ sku: 'a+b c', quantity: 2 }]],
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
  const { send } = await open(t, { transfer: { maxItems: 2 } })
  t.strictSame(mistakesIn((await send(cart({ items: '[{},null,{"sku":5}]' }))).body), ['too-many-lines'])
})

t.test('the response is a description with the fields of contract 2.2 only', async t => {
  const { send } = await open(t)
  const response = await send(cart())
  t.match(response.headers, { 'content-type': /^application\/json/, 'cache-control': 'no-store' })
  const { body, ...rest } = response.json()
  t.strictSame(rest, { url: 'http://127.0.0.1:3000/shop/checkout', httpMethod: 'POST' })
  t.match(body, /^token=[A-Za-z0-9]{22,64}$/)
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
