// Meta's checkout URL: the examples of its page, what is accepted, what is refused and how, what is passed on.
import t from 'tap'
import { MAX_SKU } from '../../../src/cart/cart.ts'
import { Problem } from '../../../src/errors.ts'
import { meta } from '../../../src/transfer/meta/meta.ts'
import { build, merchantFile } from '../../build.ts'
import { cartIn, passedOn, refusalOf } from '../links.ts'

const END = '&reference=r-1'
const MUG = { sku: 'MUG', quantity: 1 }

/** https://developers.facebook.com/documentation/ads-commerce/commerce-platform/setup-checkout-url, of 17 December 2025. */
const TWO = [
  { sku: '12345', quantity: 3 },
  { sku: '23456', quantity: 1 }
]
const DOCUMENTED: [what: string, query: string, cart: object, passedOn?: string][] = [
  ['products', 'products=12345%3A3%2C23456%3A1', { items: TWO }],
  ['products, decoded', 'products=12345:3,23456:1', { items: TWO }],
  ['a coupon', 'products=12345%3A3%2C23456%3A1&coupon=SUMMERSALE20', { items: TWO, codes: ['SUMMERSALE20'] }],
  ['a parameter of the endpoint', 'clear=true&products=12345%3A3%2C23456%3A1', { items: TWO }, 'clear=true'],
  [
    'the full list',
    'products=12345%3A3%2C23456%3A1&coupon=SUMMERSALE20&fbclid=1234567890abcdef&cart_origin=instagram&utm_source=facebook&utm_medium=paid&utm_campaign=2025-spring-sale&utm_content=carousel',
    {
      items: TWO,
      codes: ['SUMMERSALE20'],
      attribution: {
        fbclid: '1234567890abcdef',
        cart_origin: 'instagram',
        utm_source: 'facebook',
        utm_medium: 'paid',
        utm_campaign: '2025-spring-sale',
        utm_content: 'carousel'
      }
    },
    'fbclid=1234567890abcdef&cart_origin=instagram&utm_source=facebook&utm_medium=paid&utm_campaign=2025-spring-sale&utm_content=carousel'
  ],
  [
    'from the shop to the site',
    'products=12345%3A3%2C23456%3A1&utm_source=IGShopping&utm_medium=Social',
    { items: TWO, attribution: { utm_source: 'IGShopping', utm_medium: 'Social' } },
    'utm_source=IGShopping&utm_medium=Social'
  ]
]

t.test("the examples of Meta's page are read as it says", async t => {
  for (const [what, query, cart, query2 = ''] of DOCUMENTED) {
    const { reference, ...found } = cartIn(meta, query)
    t.match(reference, /^[0-9a-f]{32}$/, `${what}: a reference is made`)
    t.strictSame(found, { currency: 'GBP', ...cart }, what)
    t.equal(passedOn(meta, query), query2, `${what}: passed on`)
  }
})

t.test('links are read exactly', async t => {
  const many = Array.from({ length: 500 }, (_, i) => `${i}:1`).join(',')
  const cases: [what: string, query: string, items: object[]][] = [
    [
      'equal ids stay two lines',
      'products=A:1,A:2',
      [
        { sku: 'A', quantity: 1 },
        { sku: 'A', quantity: 2 }
      ]
    ],
    [
      'an id with a plus, a space and others',
      'products=a%2Bb%20c+d%2F%E3%82%BD:9999',
      [{ sku: 'a+b c d/ソ', quantity: 9999 }]
    ],
    ['a name that is escaped', 'pr%6Fducts=MUG:1', [MUG]],
    ['empty parameters, and such as cannot be read', '&&products=MUG:1&a=%zz&=', [MUG]],
    ['an empty coupon', 'products=MUG:1&coupon=', [MUG]],
    ['a coupon without a value', 'products=MUG:1&coupon&cart_origin=', [MUG]],
    ['two that are nothing to us', 'products=MUG:1&Products=THROW:1&product=THROW:1', [MUG]],
    [
      'as many as there may be',
      `products=${many}`,
      Array.from({ length: 500 }, (_, i) => ({ sku: String(i), quantity: 1 }))
    ]
  ]
  for (const [what, query, items] of cases) {
    t.strictSame(cartIn(meta, query + END), { reference: 'r-1', currency: 'GBP', items }, what)
  }
  t.match(cartIn(meta, 'products=MUG:1', { currency: 'JPY' }), { currency: 'JPY' })
})

const entry = (sent: string) =>
  `${JSON.stringify(sent)} is not an id, a colon and a quantity, such as "12345:3"; an id has no "," and no ":".`
const quantity = (sent: string) =>
  `${JSON.stringify(sent)} is not a quantity; it is 1 to 9999 in digits alone, without sign, space, leading zero or fraction.`

t.test('whatever breaks the grammar is refused, and every entry of it named', async t => {
  const cases: [query: string, ...mistakes: [where: string, detail: string | RegExp][]][] = [
    ['', ['products items-empty', 'A cart holds at least one item.']],
    ['products', ['products items-empty', 'A cart holds at least one item.']],
    ['products=A:1,', ['products[1] value-malformed', entry('')]],
    ['products=,A:1', ['products[0] value-malformed', entry('')]],
    ['products=A:1,,B:1', ['products[1] value-malformed', entry('')]],
    ['products=A', ['products[0] value-malformed', entry('A')]],
    ['products=A:1:2', ['products[0] value-malformed', entry('A:1:2')]],
    ['products=A%253A3', ['products[0] value-malformed', entry('A%3A3')]],
    ['products=:1', ['products[0] sku-invalid', /^"" is empty/]],
    [`products=${'x'.repeat(MAX_SKU + 1)}:1`, ['products[0] sku-invalid', /longer than 128 characters/]],
    ['products=A%07:1', ['products[0] sku-invalid', /^"A\\u0007" holds a control character/]],
    ['products=A:', ['products[0] quantity-invalid', quantity('')]],
    ['products=A:01', ['products[0] quantity-invalid', quantity('01')]],
    ['products=A:+1', ['products[0] quantity-invalid', quantity(' 1')]],
    ['products=A:1.5', ['products[0] quantity-invalid', quantity('1.5')]],
    ['products=A:0', ['products[0] quantity-invalid', /"0" is out of range/]],
    ['products=A:10000', ['products[0] quantity-invalid', /"10000" is out of range/]],
    ['products=A:1%', ['products encoding-malformed', /a % that two/]],
    ['products=%FF:1', ['products encoding-malformed', /not UTF-8: 0xFF/]],
    ['products=A:1&products=A:1', ['products field-repeated', /more than once/]],
    ['products=A:1&%zz=1', ['%zz encoding-malformed', /^The name holds/]],
    ['products=A:1&coupon=A&coupon=A', ['coupon field-repeated', /more than once/]],
    ['products=A:1&coupon=%zz', ['coupon encoding-malformed', /a % that two/]],
    ['products=A:1&coupon=A%0A', ['coupon encoding-malformed', 'The value holds a control character.']],
    [
      `products=A:1&coupon=${'x'.repeat(256)}`,
      ['coupon value-malformed', 'A code has at most 255 characters; this one has 256.']
    ],
    ['products=A:1&reference=', ['reference reference-invalid', /is empty/]],
    ['products=A:1&reference=a%FF', ['reference encoding-malformed', /not UTF-8/]],
    [
      'products=A:1,B,C:0,:x',
      ['products[1] value-malformed', entry('B')],
      ['products[2] quantity-invalid', /out of range/],
      ['products[3] sku-invalid', /empty/],
      ['products[3] quantity-invalid', quantity('x')]
    ]
  ]
  for (const [query, ...mistakes] of cases) {
    const found = refusalOf(meta, query)
    t.match(found, mistakes, query)
    t.equal(found.length, mistakes.length, query)
  }
  const many = `products=${'A:1,'.repeat(500)}A:1`
  t.throws(() => cartIn(meta, many), { code: 'too-many-lines', message: /has 501 lines/ })
})

t.test('ids are made of SKUs by a rule', async t => {
  const cases: [itemId: string, id: string, sku: string | undefined][] = [
    ['SKU_{sku}', 'SKU_MUG', 'MUG'],
    ['SKU_{sku}', 'SKU_SKU_', 'SKU_'],
    ['SKU_{sku}', 'MUG', undefined],
    ['SKU_{sku}', 'SKU_', undefined],
    ['{sku}_{number}', 'db1_56', 'db1'],
    ['{sku}_{number}', 'db1_2_56', 'db1_2'],
    ['{sku}_{number}', 'db1_x', undefined],
    ['{sku}.gb', 'MUG.gb', 'MUG'],
    ['{sku}.gb', 'MUG-gb', undefined],
    ['({sku})', '(M\nUG)', undefined]
  ]
  for (const [itemId, id, sku] of cases) {
    const query = `products=${encodeURIComponent(id)}:1${END}`
    if (sku !== undefined) t.match(cartIn(meta, query, { itemId }), { items: [{ sku }] }, `${itemId}: ${id}`)
    else t.match(refusalOf(meta, query, { itemId }), [['products[0] sku-invalid']], `${itemId}: ${id}`)
  }
  t.match(refusalOf(meta, 'products=MUG:1', { itemId: '{sku}_{number}' }), [
    ['products[0] sku-invalid', '"MUG" is not an id such as "MUG_0" (transfer.itemId).']
  ])
  const cart = { reference: 'r-1', currency: 'GBP', items: [{ sku: '$& {sku}', quantity: 1 }] }
  const settings = { itemId: 'SKU_{sku}_{number}' }
  const { url } = meta.request(cart, '', settings)
  t.strictSame(cartIn(meta, url.slice(1), settings), cart, 'and written by it')
})

t.test('a rule that makes ids with a comma or a colon stops the start', async t => {
  const file = merchantFile('meta', { transfer: { itemId: 'a:{sku}' } })
  await t.rejects(build(t, { merchants: [file] }), {
    message: /transfer\.itemId: it is "a:\{sku\}"; give one without "," and ":", as Meta supports no ids that have them/
  })
  for (const itemId of ['sku', '{sku}{sku}', '{number}_{sku}', '{sku}{number}', '{sku}1{number}', '{sku}_{id}']) {
    await t.rejects(build(t, { merchants: [merchantFile('permalink', { transfer: { itemId } })] }), {
      message: /transfer\.itemId: it is ".*"; give how the ids in the links are made of SKUs/
    })
  }
  for (const itemId of ['{sku}', 'gid://shop/{sku}', '{sku}_{number}.x']) {
    await t.resolves(build(t, { merchants: [merchantFile('permalink', { transfer: { itemId } })] }), itemId)
  }
})

t.test('a query is passed on without what is ours, secret or malformed', async t => {
  const cases: [query: string, passedOn: string][] = [
    ['products=A:1&coupon=B&reference=r', ''],
    ['a=1&products=A:1&a=2&utm_source=x%20y+z', 'a=1&a=2&utm_source=x+y+z'],
    ['access_token=1&Password=1&api-key=1&auth=1&x-authorization=1&session_id=1&author=me', 'author=me'],
    ['lang=de&attempt=1&order=1&buyer=1&language=de', 'language=de'],
    ['a=%zz&%zz=1&=1&b=%0D%0AX%3A', 'b=%0D%0AX%3A']
  ]
  for (const [query, expected] of cases) t.equal(passedOn(meta, query), expected, query)
})

t.test("the platform's half writes what Meta does", async t => {
  const cart = {
    reference: 'r-1',
    currency: 'GBP',
    items: [
      { sku: "12 3'45", quantity: 3, price: '12.50' },
      { sku: '23456', quantity: 1 }
    ],
    attribution: { fbclid: 'a&b', cart_origin: 'instagram' },
    codes: ['SUMMER']
  }
  t.strictSame(meta.request(cart, 'https://shop.example/cart?clear=true'), {
    method: 'GET',
    url: 'https://shop.example/cart?clear=true&products=12%203%2745%3A3%2C23456%3A1&coupon=SUMMER&fbclid=a%26b&cart_origin=instagram&reference=r-1',
    headers: []
  })
})

t.test('an id that Meta cannot write is refused before it is sent', async t => {
  const items = [MUG, { sku: 'A:1,B', quantity: 2 }, { sku: 'a,b', quantity: 1 }]
  const send = () => meta.request({ reference: 'r-1', currency: 'GBP', items }, '')
  t.throws(send, Problem)
  t.throws(send, {
    code: 'contract-broken',
    mistakes: [
      { pointer: 'products[1]', code: 'sku-invalid', sku: 'A:1,B' },
      { pointer: 'products[2]', code: 'sku-invalid', sku: 'a,b' }
    ]
  })
})
