// What a refused bag has instead of the fields that are missing is named: each case with the exact answer.
import t from 'tap'
import type { Pointer } from '../../src/cart/cart.ts'
import { Problem } from '../../src/errors.ts'
import { readWithHints } from '../../src/transfer/field-hints.ts'
import { formPost } from '../../src/transfer/form-post/form-post.ts'
import { transferOptions } from '../../src/transfer/index.ts'
import type { TransferOption } from '../../src/transfer/option.ts'
import { queryGet } from '../../src/transfer/query-get/query-get.ts'
import { build, merchantFile } from '../build.ts'
import { unescapeHtml } from './answers.ts'

const UUID = '0f8fad5bd9cb469fa16570867728950e'
const END = `currency=GBP&reference=${UUID}`
const REST = { currency: 'GBP', reference: UUID }
const BAG = { items: [{ sku: 'MUG', quantity: 1 }], ...REST }

const FIELDS_1 = 'option 1 names its fields "#/items/0/sku", "#/items/0/quantity", "#/currency", "#/reference".'
const FIELDS_2A = 'option 2A names its fields "items[0][sku]", "items[0][quantity]", "currency", "reference".'
const FIELDS_2B = 'option 2B names its fields "item_0_sku", "item_0_quantity", "currency", "reference".'

const REQUIRED = 'This field is required.'
const UNPAIRED = '1 SKUs and 0 quantities came; index-free fields pair up in the order sent.'
const EMPTY = 'A cart holds at least one item.'

/** The mistakes of a refusal, each as its pointer and detail; none if the bag is taken. */
function mistakesOf(option: TransferOption, sent: string, all = transferOptions): [pointer: string, detail: string][] {
  try {
    readWithHints(option, all, Buffer.from(sent), {
      maxItems: 500,
      maxQuantity: 9999,
      settings: { currency: 'GBP' },
      warn: () => {}
    })
    return []
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return error.mistakes.map(({ pointer, detail }) => [pointer, detail])
  }
}

const option = (name: string) => transferOptions.find(one => one.name === name) as TransferOption

type Case = [what: string, sent: string | object, ...mistakes: [pointer: string, detail: string][]]

const cases: Record<string, Case[]> = {
  1: [
    ['a bag', BAG],
    ['a bag with other fields', { ...BAG, cart: { sku: 'MUG' }, item_0_sku: 'MUG' }],
    [
      'the names of 2A',
      { 'items[0][sku]': 'MUG', 'items[0][quantity]': 1, ...REST },
      [
        '#/items',
        `${REQUIRED} There are fields named "items[0][sku]", "items[0][quantity]", as option 2A has them; ${FIELDS_1}`
      ]
    ],
    [
      'the names of 2B',
      { item_0_sku: 'MUG', item_0_quantity: 1, item_1_sku: 'MUG', ...REST },
      [
        '#/items',
        `${REQUIRED} There are fields named "item_0_sku", "item_0_quantity", as option 2B has them; ${FIELDS_1}`
      ]
    ],
    [
      'a form of 2A',
      `items%5B0%5D%5Bsku%5D=MUG&items[0][quantity]=1&${END}`,
      [
        '#',
        'The body is not JSON that can be read: expected a value, found "i" at line 1, column 1. ' +
          'The body is a form; option 1 takes application/json. There are fields named "items[0][sku]", ' +
          `"items[0][quantity]", "currency", "reference", as option 2A has them; ${FIELDS_1}`
      ]
    ],
    [
      'a form of 2B',
      `${END}&item_0_sku=MUG&item_0_quantity=1`,
      [
        '#',
        'The body is not JSON that can be read: expected a value, found "c" at line 1, column 1. ' +
          'The body is a form; option 1 takes application/json. There are fields named "currency", "reference", ' +
          `"item_0_sku", "item_0_quantity", as option 2B has them; ${FIELDS_1}`
      ]
    ],
    [
      'broken JSON',
      '{"items":[}',
      ['#', 'The body is not JSON that can be read: expected a value, found "}" at line 1, column 11.']
    ],
    [
      'the bag in a field',
      { cart: BAG },
      [
        '#/items',
        `${REQUIRED} There are fields named "#/cart/items/0/sku", "#/cart/items/0/quantity", "#/cart/currency", ` +
          `"#/cart/reference"; ${FIELDS_1}`
      ],
      ['#/currency', REQUIRED],
      ['#/reference', REQUIRED]
    ],
    [
      'the bag in a list',
      [{ sku: 'MUG', quantity: 1 }],
      ['#', `The body must be an object, not an array. There are fields named "#/0/sku", "#/0/quantity"; ${FIELDS_1}`]
    ],
    [
      'a line at the top',
      { sku: 'MUG', quantity: 1, ...REST },
      ['#/items', `${REQUIRED} There are fields named "sku", "quantity"; ${FIELDS_1}`]
    ],
    [
      'items as an object',
      { ...BAG, items: { sku: 'MUG', quantity: 1 } },
      [
        '#/items',
        `This must be an array, not an object. There are fields named "#/items/sku", "#/items/quantity"; ${FIELDS_1}`
      ]
    ],
    ['items as text', { ...BAG, items: 'MUG' }, ['#/items', 'This must be an array, not the string "MUG".']],
    ['no items', { ...BAG, items: [] }, ['#/items', EMPTY]],
    ['a line as text', { ...BAG, items: ['MUG'] }, ['#/items/0', 'An item must be an object, not the string "MUG".']],
    [
      'other names in every line, and case',
      { items: [1, 2].map(count => ({ id: 'MUG', count })), currency: 'GBP', Reference: UUID },
      [
        '#/items/0/sku',
        `${REQUIRED} There are fields named "#/items/0/id", "#/items/0/count", "Reference"; ${FIELDS_1}`
      ],
      ...['#/items/0/quantity', '#/items/1/sku', '#/items/1/quantity', '#/reference'].map(
        (pointer): [string, string] => [pointer, REQUIRED]
      )
    ],
    [
      'another name, and another mistake',
      { ...REST, items: [{ SKU: 'MUG', quantity: '1' }] },
      ['#/items/0/sku', `${REQUIRED} There are fields named "#/items/0/SKU"; ${FIELDS_1}`],
      ['#/items/0/quantity', 'This must be a number, such as 2, not the string "1".']
    ],
    [
      'a mistake that no other name explains',
      { ...BAG, items: [{ sku: 'MUG', quantity: '1', qty: 1 }] },
      ['#/items/0/quantity', 'This must be a number, such as 2, not the string "1".']
    ],
    ['nothing else', { items: BAG.items, currency: 'GBP' }, ['#/reference', REQUIRED]],
    [
      'nothing that could be the reference',
      { items: [{ ...BAG.items[0], price: '1.00' }], currency: 'GBP', customer: { email: 'a@b.example' } },
      ['#/reference', REQUIRED]
    ],
    [
      'what could be the reference, but nothing below it',
      { items: [{ ...BAG.items[0], price: '1.00' }], currency: 'GBP', ref: UUID, customer: { email: 'a@b.example' } },
      ['#/reference', `${REQUIRED} There are fields named "ref"; ${FIELDS_1}`]
    ],
    [
      'what could be a SKU, and such as could not',
      { items: [{ id: 'MUG', quantity: 1 }], ...REST, sku: 'MUG', customer: { email: 'a@b.example' } },
      ['#/items/0/sku', `${REQUIRED} There are fields named "#/items/0/id", "sku"; ${FIELDS_1}`]
    ],
    [
      'names that are escaped in a pointer',
      { items: [{ 'a/b~c': 'MUG', quantity: 1 }], ...REST, 'd/e~f': 1 },
      ['#/items/0/sku', `${REQUIRED} There are fields named "#/items/0/a~1b~0c", "d/e~f"; ${FIELDS_1}`]
    ],
    [
      'JSON nested too deeply',
      `${'['.repeat(1025)}${']'.repeat(1025)}`,
      ['#', 'The body is not JSON that can be read: it is nested too deeply, more than 1024 levels.']
    ]
  ],
  '2A': [
    ['a bag', `items[0][sku]=MUG&items[0][quantity]=1&${END}`],
    ['a bag with other fields', `item_0_sku=MUG&items[][name]=Mug&items[][sku]=MUG&items[][quantity]=1&${END}`],
    [
      'the names of 2B',
      `item_0_sku=MUG&item_0_quantity=1&${END}`,
      ['items', `${EMPTY} There are fields named "item_0_sku", "item_0_quantity", as option 2B has them; ${FIELDS_2A}`]
    ],
    [
      'JSON',
      BAG,
      ['currency', REQUIRED],
      ['reference', REQUIRED],
      [
        'items',
        `${EMPTY} The body is JSON; option 2A takes application/x-www-form-urlencoded. There are fields named ` +
          `"#/items/0/sku", "#/items/0/quantity", "currency", "reference", as option 1 has them; ${FIELDS_2A}`
      ]
    ],
    [
      'JSON without a field',
      {},
      ['currency', REQUIRED],
      ['reference', REQUIRED],
      ['items', `${EMPTY} The body is JSON; option 2A takes application/x-www-form-urlencoded.`]
    ],
    [
      'other names',
      `productId=MUG&qty=1&${END}`,
      ['items', `${EMPTY} There are fields named "productId", "qty"; ${FIELDS_2A}`]
    ],
    [
      'the names of 2B, and others, up to five',
      'a=1&b=1&c=1&d=1&item_0_sku=MUG&item_0_quantity=1&reference=r&currency=GBP',
      [
        'items',
        `${EMPTY} There are fields named "item_0_sku", "item_0_quantity", as option 2B has them, and "a", "b", "c"; ${FIELDS_2A}`
      ]
    ],
    [
      'another case',
      `items[0][SKU]=MUG&items[0][quantity]=1&items[1][SKU]=MUG&Reference=${UUID}&currency=GBP`,
      ['items[0][sku]', `${REQUIRED} There are fields named "items[0][SKU]", "Reference"; ${FIELDS_2A}`],
      ['reference', REQUIRED]
    ],
    [
      'a malformed index, named once',
      'items[x][sku]=MUG&Items=5&currency=GBP',
      ['items[x][sku]', '"x" is not an index; indexes are 0, 1, 2 and so on, without leading zeros.'],
      ['reference', `${REQUIRED} There are fields named "Items"; ${FIELDS_2A}`]
    ],
    [
      'long names, and such as cannot be read or shown',
      `${'n'.repeat(60)}=1&caf%E9=1&%zz=1&<b>%0A=1&${END}`,
      ['caf%E9', 'The name holds bytes that are not UTF-8: 0xE9 at offset 3, counted from 0.'],
      ['%zz', 'The name holds a % that two hexadecimal digits do not follow.']
    ],
    [
      'long names, and such as should not be shown',
      `${'n'.repeat(60)}=1&<b>%0A=1&=1&${END}`,
      ['items', `${EMPTY} There are fields named "${'n'.repeat(47)}…", "<b>\\n"; ${FIELDS_2A}`]
    ],
    [
      'another name in the index-free form',
      `items[][sku]=MUG&items[][qty]=1&customer[email]=a&${END}`,
      ['items', `${UNPAIRED} There are fields named "items[][qty]"; ${FIELDS_2A.replaceAll('[0]', '[]')}`]
    ],
    [
      'a quantity too few, and another field',
      `items[][sku]=MUG&items[][sku]=CUP&items[][quantity]=1&note=a&${END}`,
      ['items', UNPAIRED.replace('1 SKUs and 0 quantities', '2 SKUs and 1 quantities')]
    ],
    ['a quantity too few, and nothing else', `items[][sku]=MUG&customer[email]=a&${END}`, ['items', UNPAIRED]],
    ['nothing else', END, ['items', EMPTY]],
    [
      'nothing that could be the reference',
      'items[0][sku]=MUG&items[0][quantity]=1&items[0][name]=Mug&customer[email]=a&currency=GBP',
      ['reference', REQUIRED]
    ],
    [
      'what could be the reference, but nothing below it',
      'items[0][sku]=MUG&items[0][quantity]=1&items[0][name]=Mug&customer[email]=a&ref=r&currency=GBP',
      ['reference', `${REQUIRED} There are fields named "ref"; ${FIELDS_2A}`]
    ],
    [
      'what could be a SKU',
      `items[0][id]=MUG&items[0][quantity]=1&customer[email]=a&ref=r&${END}`,
      ['items[0][sku]', `${REQUIRED} There are fields named "items[0][id]", "ref"; ${FIELDS_2A}`]
    ]
  ],
  '2B': [
    ['a bag', `item_0_sku=MUG&item_0_quantity=1&${END}`],
    ['a bag with other fields', `items[0][sku]=MUG&item_total_quantity=1&item_0_sku=MUG&item_0_quantity=1&${END}`],
    [
      'the names of 2A',
      `items[0][sku]=MUG&items[0][quantity]=1&items[0][price]=1.00&${END}`,
      [
        'items',
        `${EMPTY} There are fields named "items[0][sku]", "items[0][quantity]", "items[0][price]", as option 2A has them; ${FIELDS_2B}`
      ]
    ],
    [
      'its index-free names',
      `items%5B%5D%5Bsku%5D=MUG&items[][quantity]=1&${END}`,
      [
        'items',
        `${EMPTY} There are fields named "items[][sku]", "items[][quantity]", as option 2A has them; ${FIELDS_2B}`
      ]
    ],
    [
      'JSON in a field',
      `cart=${encodeURIComponent(JSON.stringify(BAG))}`,
      ['currency', REQUIRED],
      ['reference', REQUIRED],
      ['items', `${EMPTY} There are fields named "cart"; ${FIELDS_2B}`]
    ],
    [
      'other names, of which five are named',
      `product_id=MUG&amount=1&utm_source=app&a=1&b=1&c=1&${END}`,
      ['items', `${EMPTY} There are fields named "product_id", "amount", "utm_source", "a", "b"; ${FIELDS_2B}`]
    ],
    [
      'what could be the reference',
      'item_0_sku=MUG&item_0_quantity=1&item_0_name=Mug&ref=r&currency=GBP',
      ['reference', `${REQUIRED} There are fields named "ref"; ${FIELDS_2B}`]
    ],
    [
      'a link of Meta’s',
      `products=MUG%3A1&fbclid=1&${END}`,
      ['items', `${EMPTY} There are fields named "products", as option meta has them, and "fbclid"; ${FIELDS_2B}`]
    ]
  ],
  meta: [
    ['a bag', 'products=MUG:1&fbclid=1'],
    ['nothing else', '', ['products', EMPTY]],
    [
      'an entry without a quantity',
      'products=MUG&item_0_quantity=1',
      ['products[0]', '"MUG" is not an id, a colon and a quantity, such as "12345:3"; an id has no "," and no ":".']
    ],
    [
      'the names of 2B',
      `item_0_sku=MUG&item_0_quantity=1&${END}`,
      [
        'products',
        `${EMPTY} There are fields named "item_0_sku", "item_0_quantity", "currency", "reference", as option 2B has them; option meta names its fields "products".`
      ]
    ],
    [
      'another name',
      'items=MUG:1&coupon=A',
      ['products', `${EMPTY} There are fields named "items", "coupon"; option meta names its fields "products".`]
    ]
  ],
  permalink: [
    ['a bag', 'MUG:1?products=MUG:1'],
    ['a bag in its query', '?products=MUG:1&item_0_sku=MUG', ['items', EMPTY]]
  ]
}

for (const [name, rows] of Object.entries(cases)) {
  for (const [what, sent, ...mistakes] of rows) {
    t.test(`option ${name}, ${what}`, async t => {
      t.strictSame(mistakesOf(option(name), typeof sent === 'string' ? sent : JSON.stringify(sent)), mistakes)
    })
  }
}

t.test('an option that takes neither JSON nor a form says what came, and the others know its names', async t => {
  const pointer: Pointer = (field, line) => (line === undefined ? `my-${field}` : `my-${field}-${line + 1}`)
  const text: TransferOption = { ...queryGet, name: 'X', encoding: 'text/plain', pointer }
  const all = [text, ...transferOptions]
  const fields = 'option X names its fields "my-sku-1", "my-quantity-1", "my-currency", "my-reference".'
  t.match(mistakesOf(text, JSON.stringify({ x: 1 }), all).at(-1), [
    'items',
    `${EMPTY} The body is JSON; option X takes text/plain. There are fields named "x"; ${fields}`
  ])
  t.match(mistakesOf(text, 'x=1', all).at(-1), [
    'items',
    `${EMPTY} The body is a form; option X takes text/plain. There are fields named "x"; ${fields}`
  ])
  t.match(mistakesOf(text, 'MUG 1', all).at(-1), ['items', EMPTY])
  t.match(mistakesOf(formPost, 'my-sku-2=MUG', all).at(-1), [
    'items',
    /There are fields named "my-sku-2", as option X has them;/
  ])
})

t.test('only the beginning of a body is looked at', async t => {
  const many = `${'a&'.repeat(1000)}productId=MUG&${END}`
  t.strictSame(mistakesOf(option('2A'), many), [['items', `${EMPTY} There are fields named "a"; ${FIELDS_2A}`]])
  const deep = `{"sku":${'{"a":'.repeat(900)}1${'}'.repeat(900)}}`
  const [[, detail] = []] = mistakesOf(option('1'), deep)
  t.equal(detail, `${REQUIRED} There are fields named "#/sku/a/a/a/a/a/a/a/a"; ${FIELDS_1}`)
  const [[, long] = []] = mistakesOf(option('1'), JSON.stringify({ x: 'x'.repeat(70_000) }))
  t.equal(long, REQUIRED)
})

t.test('a shopper reads of an empty bag; only the technical details have names', async t => {
  const { app } = await build(t, { merchants: [merchantFile('2A')] })
  const response = await app.inject({
    method: 'POST',
    url: '/shop/cart',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: `item_0_sku=MUG&item_0_quantity=1&${END}`
  })
  t.equal(response.statusCode, 400)
  const [, shown = '', details = ''] = response.body.split(/<main>|<details/)
  t.match(shown, 'Your bag is empty')
  t.notMatch(shown, /item_0|option|field/)
  t.match(unescapeHtml(details), `There are fields named "item_0_sku", "item_0_quantity", as option 2B has them; `)
})
