// Option 2A through the app (contract 2.3, 4.2): what is accepted, what is refused and how, what is sent back.
import t, { type Test } from 'tap'
import { formPost } from '../../../src/transfer/form-post/form-post.ts'
import { build, type MerchantChanges, merchantFile } from '../../build.ts'
import { countingStore, linesIn, mistakesIn } from '../answers.ts'
import { type BrokenForm, brokenForms, FORM_FEED, formWriter, unsellableForms, validForms } from '../form-cases.ts'

const ADDRESS = '/shop/cart'
const TYPE = 'application/x-www-form-urlencoded'

const name = (field: string, line: number | string) => `items[${line}][${field}]`
const encodedName = (field: string, line: number | string) => `items%5B${line}%5d%5b${field}%5D`
const { line, cart } = formWriter(name)
const mug = line('MUG', 2)
const oneMug = { sku: 'MUG', quantity: 2 }

/** Fields of lines with index-free names. */
const indexFree = (...fields: [field: string, value: string | number][]) =>
  fields.map(([field, value]) => `items[][${field}]=${value}`)

async function open(t: Test, changes: MerchantChanges = {}) {
  const { wrap, added } = countingStore()
  const built = await build(t, { merchants: [merchantFile('2A', changes)], feed: FORM_FEED, store: wrap })
  const { app, store } = built
  /** @param form each character is one byte */
  const send = (form: string, headers: Record<string, string> = { 'content-type': TYPE }) =>
    app.inject({ method: 'POST', url: ADDRESS, headers, payload: Buffer.from(form, 'latin1') })
  const stored = async (reference = 'r-1') => (await store.newestCheckout('shop', reference))?.cart
  return { ...built, send, stored, added }
}

t.test('a form that breaks the contract is refused with a page, and nothing of it is stored', async t => {
  const { send, added } = await open(t)
  const ownCases: BrokenForm[] = [
    ['indexed and index-free names', cart(mug, ...indexFree(['sku', 'MUG'], ['quantity', 1])), 'items names-mixed'],
    ['an index-free field among indexed ones', cart(mug, 'items[][sku]=MUG'), 'items names-mixed'],
    ['an index-free price among indexed lines', cart(mug, 'items[][price]=1'), 'items names-mixed'],
    [
      'index-free, a quantity missing',
      cart(...indexFree(['sku', 'MUG'], ['sku', 'MUG'], ['quantity', 1])),
      'items fields-unpaired'
    ],
    [
      'index-free, a SKU missing',
      cart(...indexFree(['sku', 'MUG'], ['quantity', 1], ['quantity', 1])),
      'items fields-unpaired'
    ],
    ['index-free, only a SKU', cart(...indexFree(['sku', 'MUG'])), 'items fields-unpaired'],
    ['index-free, only a quantity', cart(...indexFree(['quantity', 1])), 'items fields-unpaired'],
    ['index-free, only a price', cart(...indexFree(['price', 1])), 'items items-empty'],
    [
      'index-free, each mistake points at its line',
      cart(
        ...indexFree(['sku', 'MUG'], ['sku', ''], ['quantity', 0], ['quantity', 'x'], ['sku', '%FF'], ['quantity', 1])
      ),
      'items[0][quantity] quantity-invalid',
      'items[1][sku] sku-invalid',
      'items[1][quantity] quantity-invalid',
      'items[2][sku] encoding-malformed'
    ],
    ['a word as index', cart(mug, 'items[total][quantity]=1'), 'items[total][quantity] index-malformed'],
    ['a price twice', cart(mug, 'items[0][price]=1', 'items[0][price]=1'), 'items[0][price] field-repeated'],
    ['a price with a stray %', cart(mug, 'items[0][price]=%zz'), 'items[0][price] encoding-malformed'],
    ['a price with invalid UTF-8', cart(mug, 'items[0][price]=%80'), 'items[0][price] encoding-malformed'],
    ['a price with NUL', cart(mug, 'items[0][price]=1%00'), 'items[0][price] encoding-malformed'],
    ['the same name raw and encoded', cart(mug, 'items%5B0%5D%5Bsku%5D=MUG'), 'items[0][sku] field-repeated'],
    ['a raw Latin-1 byte', cart(line('caf\xe9', 1)), 'items[0][sku] encoding-malformed'],
    ['a raw invalid UTF-8 byte in a name', cart(mug, '\xff=1'), '\xff encoding-malformed'],
    ['a raw NUL', cart(line('MUG\0', 1)), 'items[0][sku] encoding-malformed'],
    ['a raw line feed at the end', `${cart(mug)}\n`, 'reference reference-invalid'],
    ['a BOM before the first name', `\xef\xbb\xbf${mug}&currency=GBP&reference=r`, 'items[0][sku] field-missing'],
    ['JSON', '{"items":[]}', 'items items-empty', 'currency field-missing', 'reference field-missing']
  ]
  for (const [rule, form, ...mistakes] of [...brokenForms(name), ...ownCases]) {
    const response = await send(form)
    t.match(response, { statusCode: 400, headers: { 'content-type': 'text/html; charset=utf-8' } }, rule)
    t.strictSame(mistakesIn(response.body).sort(), mistakes.sort(), `${rule}: ${mistakes}`)
    t.strictSame(linesIn(response.body), [], `${rule}: the page shows no line`)
  }
  t.equal(added(), 0, 'nothing is stored')
})

t.test('brackets may be percent-encoded, in refusals too', async t => {
  const { send, stored } = await open(t)
  for (const [rule, form, ...mistakes] of brokenForms(encodedName)) {
    const response = await send(form)
    t.equal(response.statusCode, 400, rule)
    const found = mistakesIn(response.body).map(mistake => mistake.replace(/%5b/gi, '[').replace(/%5d/gi, ']'))
    const expected = mistakes.map(mistake => mistake.replace(/%5b/gi, '[').replace(/%5d/gi, ']'))
    t.strictSame(found.sort(), expected.sort(), rule)
  }
  for (const [rule, form, items, reference = 'r-1'] of validForms(encodedName)) {
    t.equal((await send(form)).statusCode, 200, rule)
    t.strictSame(await stored(reference), { reference, currency: 'GBP', items }, rule)
  }
})

t.test('an unsellable cart is refused as a whole, and the page names every unsellable line', async t => {
  const { send, added } = await open(t)
  for (const [rule, form, mistakes, named] of unsellableForms(name)) {
    const response = await send(form)
    t.equal(response.statusCode, 422, rule)
    t.strictSame(mistakesIn(response.body), mistakes, rule)
    for (const text of named) t.match(response.body, text, `${rule}: ${text}`)
    t.notMatch(response.body, /Sea-glass mug.*class=wrong/s, `${rule}: a sellable line is not to blame`)
  }
  t.equal(added(), 0, 'nothing is stored')
})

t.test('a cart that keeps the contract is stored exactly as sent, and the page shows it', async t => {
  const { send, stored } = await open(t)
  const ownCases: ReturnType<typeof validForms> = [
    [
      'index-free names, in pairs',
      cart(
        ...indexFree(
          ['sku', 'MUG'],
          ['quantity', 2],
          ['sku', 'THROW'],
          ['quantity', 1],
          ['sku', 'MUG'],
          ['quantity', 3]
        )
      ),
      [oneMug, { sku: 'THROW', quantity: 1 }, { sku: 'MUG', quantity: 3 }]
    ],
    [
      'index-free names, all SKUs first',
      cart(...indexFree(['sku', 'MUG'], ['sku', 'THROW'], ['quantity', 2], ['quantity', 1])),
      [oneMug, { sku: 'THROW', quantity: 1 }]
    ],
    ['index-free names, percent-encoded', cart('items%5B%5D%5Bsku%5D=MUG', 'items%5b%5d%5bquantity%5d=2'), [oneMug]],
    [
      'index-free names with extra fields',
      cart(...indexFree(['sku', 'MUG'], ['name', 'x'], ['quantity', 2])),
      [oneMug]
    ],
    ['raw UTF-8 bytes', cart(line('\xe3\x82\xbd-\xe2\x98\x95', 1)), [{ sku: 'ソ-☕', quantity: 1 }]],
    [
      'names that are almost right',
      cart(mug, 'items[0]sku=x', 'items[0][sku][]=x', 'xitems[0][sku]=x', 'items[1]=x'),
      [oneMug]
    ],
    ['names of option 2B', cart(mug, 'item_0_sku=THROW', 'item_0_quantity=1'), [oneMug]],
    ['raw bytes in an extra field', cart(mug, 'a=\xff\xfe\0'), [oneMug]],
    ['a thousand extra fields do not count as lines', cart(mug, ...Array(1000).fill('a[0][sku]=x')), [oneMug]]
  ]
  for (const [rule, form, items, reference = 'r-1'] of [...validForms(name), ...ownCases]) {
    const response = await send(form)
    t.match(response, { statusCode: 200, headers: { 'content-type': 'text/html; charset=utf-8' } }, rule)
    t.strictSame(await stored(reference), { reference, currency: 'GBP', items }, `${rule}: stored as sent`)
    t.strictSame(linesIn(response.body), items, `${rule}: shown as sent`)
  }
})

t.test(
  'a price is only a claim: whatever it says, it is stored as text, and is no reason to refuse the cart',
  async t => {
    const { send, stored, logs } = await open(t)
    const claims: [sent: string, text: string][] = [
      ['12.50', '12.50'],
      ['12.5', '12.5'],
      ['1', '1'],
      ['0', '0'],
      ['-5', '-5'],
      ['12,50', '12,50'],
      ['%C2%A312.50', '£12.50'],
      ['12.50+GBP', '12.50 GBP'],
      ['1e2', '1e2'],
      ['NaN', 'NaN'],
      ['', ''],
      ['null', 'null'],
      ['%7B%22amount%22%3A1250%7D', '{"amount":1250}'],
      ['%3Cb%3E', '<b>'],
      ['%0A', '\n'],
      ['9'.repeat(1000), '9'.repeat(1000)]
    ]
    for (const [sent, price] of claims) {
      const response = await send(cart(mug, `items[0][price]=${sent}`))
      t.equal(response.statusCode, 200, JSON.stringify(price.slice(0, 20)))
      t.strictSame(linesIn(response.body), [oneMug])
      t.match(response.body, 'data-total=2500 ', 'the price comes from the catalogue')
      t.strictSame((await stored())?.items, [{ ...oneMug, price: price.slice(0, 128) }], '128 characters are kept')
    }
    const unreadable = logs.flatMap(({ unreadablePrices }) => unreadablePrices ?? [])
    t.match(
      unreadable,
      ['-5', '12,50', '£12.50', '12.50 GBP', '1e2', 'NaN', '', 'null'],
      'unreadable prices are logged'
    )
    t.notOk(unreadable.includes('12.5'), 'readable prices are not logged')

    logs.length = 0
    const lines = ['x', 'x', 'y', '1', 'z', 'w'].map(
      (price, i) => `items[${i}][sku]=MUG&items[${i}][quantity]=1&items[${i}][price]=${price}`
    )
    await send(cart(...lines))
    t.match(logs, [{ unreadablePrices: ['x', 'y', 'z'] }], 'three of a cart are enough')
  }
)

t.test('prices stay with their lines, and some lines may have none', async t => {
  const { send, stored } = await open(t)
  const throwRug = { sku: 'THROW', quantity: 1 }
  const both = indexFree(['sku', 'MUG'], ['quantity', 2], ['sku', 'THROW'], ['quantity', 1])
  const cases: [name: string, form: string, items: object[]][] = [
    [
      'indexed, on both',
      cart(mug, line('THROW', 1, 1), 'items[1][price]=2', 'items[0][price]=1'),
      [
        { ...oneMug, price: '1' },
        { ...throwRug, price: '2' }
      ]
    ],
    [
      'indexed, on the second',
      cart(mug, line('THROW', 1, 1), 'items[1][price]=2'),
      [oneMug, { ...throwRug, price: '2' }]
    ],
    [
      'index-free, on both',
      cart(...both, ...indexFree(['price', 1], ['price', 2])),
      [
        { ...oneMug, price: '1' },
        { ...throwRug, price: '2' }
      ]
    ],
    [
      'index-free, fewer than lines: dropped, as they cannot be assigned',
      cart(...both, ...indexFree(['price', 1])),
      [oneMug, throwRug]
    ],
    [
      'index-free, more than lines: dropped too',
      cart(...both, ...indexFree(['price', 1], ['price', 2], ['price', 3])),
      [oneMug, throwRug]
    ]
  ]
  for (const [name, form, items] of cases) {
    t.equal((await send(form)).statusCode, 200, name)
    t.strictSame((await stored())?.items, items, name)
  }
})

t.test('more lines than maxItems get 413, whatever else is wrong with them; extra fields are not lines', async t => {
  const { send, added } = await open(t, { transfer: { maxItems: 2 } })
  const pair = indexFree(['sku', 'MUG'], ['quantity', 1])
  for (const form of [cart(...pair, ...pair), cart(mug, ...Array(10).fill('x[0]=1'))]) {
    t.equal((await send(form)).statusCode, 200, form)
  }
  for (const form of [cart(...pair, ...pair, ...pair), 'items[7][sku]=&items[3][quantity]=x&items[9][price]=']) {
    t.strictSame(mistakesIn((await send(form)).body), ['too-many-lines'], form)
  }
  t.equal(added(), 2)
})

t.test("the platform's half writes the fields of contract 2.3 and no others", async t => {
  const items = [
    { sku: 'a+b c', quantity: 1, price: '12.50' },
    { sku: 'ソ', quantity: 9999 }
  ]
  t.strictSame(formPost.request({ reference: 'r-1', currency: 'GBP', items }, 'https://shop.example/cart'), {
    method: 'POST',
    url: 'https://shop.example/cart',
    headers: [{ name: 'Content-Type', value: 'application/x-www-form-urlencoded' }],
    body: [
      'items%5B0%5D%5Bsku%5D=a%2Bb+c',
      'items%5B0%5D%5Bquantity%5D=1',
      'items%5B0%5D%5Bprice%5D=12.50',
      'items%5B1%5D%5Bsku%5D=%E3%82%BD',
      'items%5B1%5D%5Bquantity%5D=9999',
      'currency=GBP',
      'reference=r-1'
    ].join('&')
  })
})
