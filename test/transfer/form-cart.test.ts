// From form fields to a cart, as options 2A and 2B share it, with field names made up for this test.
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import t from 'tap'
import type { Cart, Pointer } from '../../src/cart/cart.ts'
import { Problem } from '../../src/errors.ts'
import { readFormCart } from '../../src/transfer/form-cart.ts'
import { anyText } from '../any-text.ts'

const pointer: Pointer = (field, line) => (line === undefined ? field : `${field}.${line}`)

/** `sku.0` is indexed, `sku.` is index-free. The index is captured first, as readers want it. */
const lineName = /^(?=[a-z]+\.(.+)?$)(sku|quantity|price)\..*$/s
const NAMES = { pointer, lineName, encodedName: /^(?!)/, takesPrices: true }
const END = 'currency=GBP&reference=r-1'

function cartOrProblem(form: string | Uint8Array, maxItems = 500): Cart | Problem {
  try {
    return readFormCart(Buffer.from(form), { maxItems, maxQuantity: 9999, settings: {}, warn: () => {} }, NAMES)
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
}

/** The cart, or the pointer and code of each mistake. */
function read(form: string): Cart | string[] {
  const found = cartOrProblem(form)
  return found instanceof Problem ? found.mistakes.map(({ pointer, code }) => `${pointer} ${code}`) : found
}

const text = anyText({ minLength: 1, maxLength: 20 })
const sku = text.filter(value => value.isWellFormed() && !/\p{Cc}/u.test(value))
const price = fc.string({ maxLength: 8 }).filter(value => !value.includes('\0'))
const quantity = fc.integer({ min: 1, max: 9999 })
const KEYS = ['sku', 'quantity', 'price'] as const

t.test('every form is read back, indexed in any order, index-free however its fields are interleaved', async () => {
  const item = fc.record({ sku, quantity, price }, { noNullPrototype: true })
  const form = fc.array(item, { minLength: 1, maxLength: 8 }).chain(items => {
    const indexed = items.flatMap((one, i) => KEYS.map(key => [`${key}.${i}`, `${one[key]}`]))
    const shuffled = fc.shuffledSubarray(indexed, { minLength: indexed.length })
    const keys = items.flatMap(() => KEYS)
    const indexFree = fc.shuffledSubarray(keys, { minLength: keys.length }).map(shuffledKeys => {
      const next = { sku: 0, quantity: 0, price: 0 }
      return shuffledKeys.map(key => [`${key}.`, `${items[next[key]++]?.[key]}`])
    })
    return fc.tuple(fc.constant(items), fc.oneof(shuffled, indexFree), fc.boolean())
  })
  fc.assert(
    fc.property(form, ([items, fields, isLast]) => {
      const lines = new URLSearchParams(fields as [string, string][])
      const found = read(isLast ? `${END}&${lines}` : `${lines}&${END}`)
      return !Array.isArray(found) && isDeepStrictEqual(found.items, items)
    })
  )
})

t.test('any bytes give a cart or a problem with a mistake, never another error', async () => {
  const nearly = fc
    .array(
      fc.constantFrom('sku.0', 'quantity.0', 'sku.', 'price.', 'sku.1', 'sku.01', '=', '&', '%', '1', 'A', 'currency')
    )
    .map(parts => Buffer.from(parts.join('')))
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array({ maxLength: 60 }), nearly), bytes => {
      const found = cartOrProblem(bytes)
      return found instanceof Problem && found.mistakes.length > 0
    }),
    { numRuns: 1000 }
  )
})

t.test('lines that cannot be told apart are one mistake, not one per field', async t => {
  const cases: [name: string, lines: string, mistakes: string[]][] = [
    ['indexed and index-free names', 'sku.0=&quantity.0=x&sku.=', ['items names-mixed']],
    [
      'indexed and index-free names, and an invalid currency',
      'sku.0=a&sku.=b&currency=x',
      ['items names-mixed', 'currency field-repeated']
    ],
    ['unpaired', 'sku.=&sku.=&quantity.=x', ['items fields-unpaired']],
    ['no readable line', 'sku.x=a', ['sku.x index-malformed']],
    ['no line, and an undecodable name', '%zz=a', ['%zz encoding-malformed']],
    ['no line', 'a=b', ['items items-empty']],
    ['only index-free prices', 'price.=1', ['items items-empty']]
  ]
  for (const [name, lines, mistakes] of cases) t.strictSame(read(`${lines}&${END}`), mistakes, name)
})

t.test('a problem carries the reference and the number of lines for the log, if they could be read', async t => {
  const lines = `sku.0=MUG&sku.1=MUG&${END}`
  t.match(cartOrProblem(lines), { code: 'contract-broken', reference: 'r-1', lines: 2 })
  t.match(cartOrProblem(lines, 1), { code: 'too-many-lines', reference: 'r-1', lines: 2 })
  t.match(cartOrProblem('sku.=MUG&sku.0=MUG&reference=%zz'), { reference: undefined, lines: 0 })
})

const RIGHT =
  'a reference is 1 to 32 printable ASCII characters without spaces, such as "0f8fad5bd9cb469fa16570867728950e".'

t.test('a detail says what is wrong and what would be right, and abbreviates long values', async t => {
  const line = 'sku.0=MUG&quantity.0=1'
  const cases: [form: string, detail: RegExp | string][] = [
    [`${line}&sku.2=MUG&quantity.2=1&${END}`, /^Line 1 is missing: .* an item was lost on the way/],
    [`${line}&sku.5=MUG&quantity.5=1&${END}`, /^Lines 1 to 4 are missing/],
    [`sku.1=MUG&quantity.1=1&${END}`, /^Line 0 is missing/],
    [`${line}&sku.01=MUG&${END}`, /^"01" is not an index; .* without leading zeros/],
    [`${line}&sku.0=MUG&sku.0=MUG&${END}`, /^This field came 3 times/],
    [`sku.=MUG&sku.=MUG&quantity.=1&${END}`, /^2 SKUs and 1 quantities came/],
    [`sku.0=%zz&quantity.0=1&${END}`, /^The value holds a % that two hexadecimal digits do not follow/],
    [`sku.0=caf%E9&quantity.0=1&${END}`, 'The value holds bytes that are not UTF-8: 0xE9 at offset 3, counted from 0.'],
    [`${line}&%FF=1&${END}`, 'The name holds bytes that are not UTF-8: 0xFF at offset 0, counted from 0.'],
    [`sku.0=MUG&quantity.0=%2B1&${END}`, /^"\+1" is not a quantity; it is 1 to 9999 in digits alone/],
    [`sku.0=MUG&quantity.0=%D9%A2&${END}`, /^"٢" has a digit other than 0 to 9, "٢"; it is 1 to 9999 in digits alone/],
    [`sku.0=MUG&quantity.0=1%EF%BC%92&${END}`, /^"1２" has a digit other than 0 to 9, "２"; it is/],
    [`sku.0=MUG&quantity.0=%C2%B2&${END}`, /^"²" has a digit other than 0 to 9, "²"; it is/],
    [`sku.%D9%A0=MUG&quantity.%D9%A0=2&${END}`, /^"٠" has a digit other than 0 to 9, "٠"; indexes are 0, 1, 2/],
    [
      `sku.0=MUG&quantity.0=10000&${END}`,
      'The string "10000" is out of range; a quantity is a whole number from 1 to 9999.'
    ],
    [`${line}&currency=GBP&reference=${'r'.repeat(33)}`, `"${'r'.repeat(33)}" is 33 characters long; ${RIGHT}`],
    [`${line}&currency=GBP&reference=`, `"" is empty; ${RIGHT}`],
    [`${line}&currency=GBP&reference=a+b`, `"a b" holds " "; ${RIGHT}`],
    [`${line}&currency=GBP&reference=%F0%9F%9B%92`, `"🛒" holds "🛒"; ${RIGHT}`],
    [
      `${line}&currency=GBP&reference=0F8fad5b-d9cb-469f-a165-70867728950e`,
      '"0F8fad5b-d9cb-469f-a165-70867728950e" has 36 characters and the contract allows 32; ' +
        'send the UUID without hyphens: "0F8fad5bd9cb469fa16570867728950e".'
    ]
  ]
  for (const [form, detail] of cases) {
    t.match(cartOrProblem(form), { mistakes: [{ detail }] }, String(detail))
  }
  const long = 'x'.repeat(100_000)
  for (const form of [`sku.0=${long}`, `quantity.0=${long}`, `currency=${long}`, `sku.${long}=`, `${long}%zz=`]) {
    const found = cartOrProblem(form)
    t.ok(found instanceof Problem && JSON.stringify(found.mistakes).length < 1000, form.slice(0, 12))
  }
})

t.test('the number of mistakes listed is limited, however many fields are wrong', async t => {
  const found = cartOrProblem('sku.x=1&'.repeat(1000), 2)
  t.ok(found instanceof Problem && found.mistakes.length < 40)
})

t.test('1,024 fields are read, and 16 for each line that a cart may have', async t => {
  const cart = `sku.0=MUG&quantity.0=1&${END}`
  const withFields = (count: number) => cart + '&a'.repeat(count - 4)
  t.match(cartOrProblem(withFields(1056), 2), { items: [{ sku: 'MUG', quantity: 1 }] })
  t.match(cartOrProblem(withFields(1057), 2), {
    code: 'body-too-large',
    message: 'A cart may have at most 1056 fields, those beyond the contract included; this one has more.',
    mistakes: []
  })
  t.match(cartOrProblem(withFields(1057), 3), { items: [{}] })
})

t.test('a value too long for any field is refused without being decoded, whatever it holds further on', async t => {
  const long = `${'%41'.repeat(1000)}%zz`
  const cases: [form: string, pointer: string, detail: RegExp | string][] = [
    [`sku.0=${long}&quantity.0=1&${END}`, 'sku.0', /^"(%41)+%4…" is longer than 128 characters; a SKU is 1 to 128/],
    [
      `sku.0=MUG&quantity.0=${'1'.repeat(3000)}%zz&${END}`,
      'quantity.0',
      /^The string "1+…" is out of range; .* 1 to 9999/
    ],
    [`sku.0=MUG&quantity.0=${long}&${END}`, 'quantity.0', /^"(%41)+%4…" is not a quantity; it is 1 to 9999/],
    [`sku.0=MUG&quantity.0=1&currency=${long}&reference=r`, 'currency', /^"(%41)+%4…" is not an ISO 4217/],
    [
      `sku.0=MUG&quantity.0=1&currency=GBP&reference=${long}`,
      'reference',
      `"${long.slice(0, 47)}…" is more than 128 characters long; ${RIGHT}`
    ]
  ]
  for (const [form, pointer, detail] of cases) {
    const found = cartOrProblem(form)
    t.match(found, { mistakes: [{ pointer, detail }] }, pointer)
    t.equal(found instanceof Problem && found.mistakes.length, 1, `${pointer}: nothing else`)
  }
  const longest = '%F0%9D%92%B3'.repeat(128)
  t.match(read(`sku.0=${longest}&quantity.0=1&${END}`), { items: [{ sku: '𝒳'.repeat(128) }] }, 'the longest SKU')
})

t.test('a price too long to be one is kept as it is written, truncated like any other', async t => {
  const line = 'sku.0=MUG&quantity.0=1'
  const longest = '%41'.repeat(682)
  t.match(read(`${line}&price.0=${longest}&${END}`), { items: [{ price: 'A'.repeat(128) }] }, '2,046 characters')
  for (const longer of [`${longest}%41`, `${longest}%zz`]) {
    t.match(read(`${line}&price.0=${longer}&${END}`), { items: [{ price: longest.slice(0, 128) }] }, '2,049')
  }
  const cut = encodeURIComponent(`${'9'.repeat(127)}\u{1F600}`)
  t.match(read(`${line}&price.0=${cut}&${END}`), { items: [{ price: `${'9'.repeat(127)}\ufffd` }] })
})

t.test('a name of more than 2,048 characters is not of the contract, and not decoded', async t => {
  const cart = `sku.0=MUG&quantity.0=1&${END}`
  const digits = (length: number) => '%30'.repeat(length / 3)
  t.match(read(`${cart}&sku.${digits(2043)}=a`), [/^sku\.0+ index-malformed$/], '2,047 characters')
  for (const name of [`sku.${digits(2046)}`, `${digits(2046)}%zz`, 'x'.repeat(100_000)]) {
    t.match(read(`${cart}&${name}=a`), { items: [{ sku: 'MUG' }] }, name.slice(0, 10))
  }
})
