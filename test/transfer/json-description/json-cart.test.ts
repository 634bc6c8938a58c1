// Reading the body of option 1: the cart exactly as written, or every mistake at its JSON pointer.
import fc from 'fast-check'
import t from 'tap'
import type { Cart } from '../../../src/cart/cart.ts'
import { Problem } from '../../../src/errors.ts'
import { readJsonCart } from '../../../src/transfer/json-description/json-cart.ts'
import { anyText } from '../../any-text.ts'
import { uuid } from '../../build.ts'

const RULES = { maxItems: 500, maxQuantity: 9999, settings: {} }

function cartOrProblem(body: string | Uint8Array, rules = {}): Cart | Problem {
  try {
    return readJsonCart(Buffer.from(body as string), { ...RULES, ...rules })
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
}

/** The cart, or the pointer and code of each mistake. */
function read(body: string | Uint8Array, rules = {}): Cart | string[] {
  const found = cartOrProblem(body, rules)
  return found instanceof Problem ? found.mistakes.map(({ pointer, code }) => `${pointer} ${code}`) : found
}

/** The `detail` of the first mistake in a body. */
function detailOf(body: string): string | undefined {
  const found = cartOrProblem(body)
  return found instanceof Problem ? found.mistakes[0]?.detail : undefined
}

t.test('every cart that a platform writes is read back unchanged', async () => {
  const sku = anyText({ minLength: 1, maxLength: 64 }).filter(text => text.isWellFormed() && !/\p{Cc}/u.test(text))
  const item = fc.record({ sku, quantity: fc.integer({ min: 1, max: 9999 }) }, { noNullPrototype: true })
  const items = fc.array(item, { minLength: 1, maxLength: 6 })
  const reference = fc.uuid().map(text => text.replaceAll('-', ''))
  fc.assert(
    fc.property(items, reference, fc.constantFrom(0, 2), (lines, id, indent) => {
      const cart = { reference: id, currency: 'GBP', items: lines }
      return JSON.stringify(read(JSON.stringify(cart, null, indent))) === JSON.stringify(cart)
    })
  )
})

t.test('an extra field is ignored, whatever JSON it holds', async () => {
  const sent = `"items":[{"sku":"☕","quantity":2.0}],"currency":"GBP","reference":"${uuid()}"`
  fc.assert(
    fc.property(fc.json(), fc.boolean(), (json, isFirst) => {
      const body = isFirst ? `{"more":${json},${sent}}` : `{${sent},"more":${json}}`
      return !Array.isArray(read(body))
    }),
    { numRuns: 500 }
  )
})

t.test('any body without a cart is refused with a mistake, never another error', async () => {
  const bytes = fc.uint8Array({ maxLength: 40 })
  const json = fc.json().map(text => Buffer.from(text))
  const nearly = fc
    .array(fc.constantFrom('{', '}', '[', ']', ',', ':', '"items"', '"sku"', '"a"', '1', 'null', ' ', '\\'))
    .map(parts => Buffer.from(parts.join('')))
  fc.assert(
    fc.property(fc.oneof(bytes, json, nearly), body => {
      const found = read(body)
      return Array.isArray(found) && found.length > 0
    }),
    { numRuns: 1000 }
  )
})

t.test('a detail says what was sent and what would be right', async t => {
  const good = { items: [{ sku: 'MUG', quantity: 2 }], currency: 'GBP', reference: uuid() }
  const cases: [body: object | string, detail: RegExp | string][] = [
    [
      { ...good, reference: '0F8fad5b-d9cb-469f-a165-70867728950e' },
      '"0F8fad5b-d9cb-469f-a165-70867728950e" has 36 characters and the contract allows 32; ' +
        'send the UUID without hyphens: "0F8fad5bd9cb469fa16570867728950e".'
    ],
    ...['', 'order-1', 'r'.repeat(33)].map((reference): [object, string] => [
      { ...good, reference },
      `"${reference}" is not a UUID in 32 hexadecimal digits, such as "0f8fad5bd9cb469fa16570867728950e".`
    ]),
    [{ ...good, items: [{ sku: 'MUG', quantity: '2' }] }, /must be a number, such as 2, not the string "2"/],
    [
      { ...good, items: [{ sku: 'MUG', quantity: 1.5 }] },
      'The number 1.5 is not whole; a quantity is a whole number from 1 to 9999.'
    ],
    [
      { ...good, items: [{ sku: 'MUG', quantity: 10_000 }] },
      'The number 10000 is out of range; a quantity is a whole number from 1 to 9999.'
    ],
    [{ ...good, items: [{ sku: 5, quantity: 1 }] }, /must be a string, not the number 5/],
    [{ ...good, items: ['MUG'] }, /An item must be an object, not the string "MUG"/],
    [{ ...good, items: { 0: {} } }, /must be an array, not an object/],
    [{ ...good, currency: '£' }, /"£" is not an ISO 4217 alphabetic code/],
    [[good], /must be an object, not an array/],
    ['{"items":[],}', /not JSON that can be read/],
    ['['.repeat(100_000), /not JSON that can be read/],
    ['['.repeat(100_000) + ']'.repeat(100_000), /nested too deeply/]
  ]
  for (const [body, detail] of cases) {
    t.match(detailOf(typeof body === 'string' ? body : JSON.stringify(body)), detail, String(detail))
  }
})

t.test('a detail abbreviates long values', async t => {
  const long = 'x'.repeat(100_000)
  for (const body of [{ currency: long }, { reference: long }, { items: long }, { items: [{ sku: long }] }, long]) {
    t.ok((detailOf(JSON.stringify(body)) ?? '').length < 300)
  }
  t.ok((detailOf(`{"items":[{"quantity":${'1'.repeat(100_000)}}]}`) ?? '').length < 300)
  t.ok((detailOf(`{"${long}`) ?? '').length < 300)
})

t.test('2,048 values are read, and 32 for each line that a cart may have', async t => {
  const rest = `"items":[{"sku":"MUG","quantity":1}],"currency":"GBP","reference":"${uuid()}"`
  const withValues = (count: number) => `{"more":[${Array(count - 7).fill('{}')}],${rest}}`
  t.match(cartOrProblem(withValues(2112), { maxItems: 2 }), { items: [{ sku: 'MUG', quantity: 1 }] })
  t.match(cartOrProblem(withValues(2113), { maxItems: 2 }), {
    code: 'body-too-large',
    message: 'The body may have at most 2112 JSON values, those beyond the contract included; this one has more.',
    mistakes: []
  })
  t.match(cartOrProblem(withValues(2113), { maxItems: 3 }), { items: [{}] })
  t.match(cartOrProblem('{"items":[{},5]}', { maxItems: 1 }), { code: 'too-many-lines', lines: 2 })
})

t.test('a quantity is read if it is written with at most 2,048 characters', async t => {
  const body = (quantity: string) =>
    `{"items":[{"sku":"MUG","quantity":${quantity}}],"currency":"GBP","reference":"${uuid()}"}`
  t.match(read(body(`2.${'0'.repeat(2046)}`)), { items: [{ quantity: 2 }] })
  t.strictSame(read(body(`2.${'0'.repeat(2047)}`)), ['#/items/0/quantity quantity-invalid'])
  t.match(detailOf(body(`2.${'0'.repeat(2047)}`)), /^The number 2\.0{22} has more than 2048 characters; .* 1 to 9999/)
})

t.test('if items occur twice, no mistake within them is reported', async t => {
  const rest = `"currency":"GBP","reference":"${uuid()}"`
  for (const items of ['"items":[5],"items":[{}]', '"items":[{}],"items":5', '"items":5,"items":[{}],"items":[]']) {
    t.strictSame(read(`{${items},${rest}}`), ['#/items field-repeated'], items)
  }
})

t.test('a merchant may also accept the 36-character form of a UUID', async t => {
  const hyphenated = '0f8fad5b-d9cb-469f-a165-70867728950e'
  const rules = { settings: { acceptHyphenated: true } }
  const withReference = (reference: string) =>
    read(`{"items":[{"sku":"MUG","quantity":1}],"currency":"GBP","reference":"${reference}"}`, rules)
  for (const reference of [hyphenated, hyphenated.toUpperCase(), hyphenated.replaceAll('-', '')]) {
    t.match(withReference(reference), { reference })
  }
  for (const reference of [`{${hyphenated}}`, `${hyphenated}0`, '0f8fad5bd-9cb-469f-a165-70867728950e']) {
    t.strictSame(withReference(reference), ['#/reference reference-invalid'], reference)
  }
})
