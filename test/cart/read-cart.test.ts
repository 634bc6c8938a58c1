// The contract's rules for a cart, whichever option the fields came by: one Cart, or one refusal with every mistake.
import fc from 'fast-check'
import t from 'tap'
import type { Cart, Pointer } from '../../src/cart/cart.ts'
import {
  type CartRules,
  describeField,
  type FieldResult,
  quote,
  readCart,
  type SentCart,
  type SentField,
  type SentLine
} from '../../src/cart/read-cart.ts'
import { type MistakeCode, Refusal } from '../../src/errors.ts'
import { anyText } from '../any-text.ts'

const pointer: Pointer = (field, line) => (line === undefined ? field : `${line}.${field}`)

/** Rules as plain as can be: a quantity is whatever number was written, a reference is any text but "bad". */
const rules: CartRules = {
  maxItems: 3,
  pointer,
  readNumber: field =>
    field.is === 'number'
      ? { value: Number(field.literal) }
      : { code: 'quantity-invalid', detail: describeField(field) },
  readReference: (reference): FieldResult<string> =>
    reference === 'bad' ? { code: 'reference-invalid', detail: 'It is bad.' } : { value: reference }
}

const text = (value: string): SentField => ({ is: 'text', text: value })
const number = (literal: string): SentField => ({ is: 'number', literal })
const line = (changes: Partial<SentLine> = {}): SentLine => ({
  at: 0,
  sku: text('MUG'),
  quantity: number('2'),
  ...changes
})
const sent = (changes: Partial<SentCart> = {}): SentCart => ({
  lines: [line()],
  currency: text('GBP'),
  reference: text('r-1'),
  mistakes: [],
  ...changes
})

function cartOrRefusal(cart: SentCart): Cart | Refusal {
  try {
    return readCart(cart, rules)
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}

/** The cart, or the refusal as its code and each mistake's place and code. */
function read(cart: SentCart): Cart | [string, ...string[]] {
  const found = cartOrRefusal(cart)
  if (!(found instanceof Refusal)) return found
  return [found.code, ...found.mistakes.map(({ pointer, code }) => `${pointer} ${code}`)]
}

t.test('a cart that keeps the contract is taken just as it was sent', async t => {
  const lines = [
    line({ at: 0, price: '12.50' }),
    line({ at: 1, sku: text(' mug '), quantity: number('9999') }),
    line({ at: 2, quantity: number('1') })
  ]
  t.strictSame(read(sent({ lines })), {
    reference: 'r-1',
    currency: 'GBP',
    items: [
      { sku: 'MUG', quantity: 2, price: '12.50' },
      { sku: ' mug ', quantity: 9999 },
      { sku: 'MUG', quantity: 1 }
    ]
  })
})

t.test('a SKU is 1 to 128 code points without control characters and lone surrogates, kept exactly', async t => {
  const cases: [name: string, sku: SentField, code: MistakeCode | 'taken'][] = [
    ['one character', text('x'), 'taken'],
    ['128 characters', text('x'.repeat(128)), 'taken'],
    ['128 code points of two units each', text('𝒳'.repeat(128)), 'taken'],
    ['spaces around it', text(' x '), 'taken'],
    ['a space alone', text(' '), 'taken'],
    ['a zero-width space and a right-to-left mark', text('\u200b\u202e'), 'taken'],
    ['a BOM', text('\ufeff'), 'taken'],
    ['markup', text('<script>"&\''), 'taken'],
    ['empty', text(''), 'sku-invalid'],
    ['129 characters', text('x'.repeat(129)), 'sku-invalid'],
    ['129 code points of two units each', text('𝒳'.repeat(129)), 'sku-invalid'],
    ['a million characters', text('x'.repeat(1_000_000)), 'sku-invalid'],
    ['NUL', text('a\0b'), 'sku-invalid'],
    ['a tab', text('a\tb'), 'sku-invalid'],
    ['a line feed at the end', text('a\n'), 'sku-invalid'],
    ['DEL', text('a\x7f'), 'sku-invalid'],
    ['a C1 control', text('a\x85'), 'sku-invalid'],
    ['a lone high surrogate', text('a\ud800'), 'sku-invalid'],
    ['a lone low surrogate', text('\udc00a'), 'sku-invalid'],
    ['absent', { is: 'absent' }, 'field-missing'],
    ['a number', number('5'), 'field-type'],
    ['null', { is: 'null' }, 'field-type'],
    ['a boolean', { is: 'boolean' }, 'field-type'],
    ['an array', { is: 'array' }, 'field-type'],
    ['an object', { is: 'object' }, 'field-type']
  ]
  for (const [name, sku, code] of cases) {
    const expected =
      code === 'taken'
        ? { reference: 'r-1', currency: 'GBP', items: [{ sku: sku.is === 'text' && sku.text, quantity: 2 }] }
        : ['contract-broken', `0.sku ${code}`]
    t.strictSame(read(sent({ lines: [line({ sku })] })), expected, `${name}: ${code}`)
  }
})

/** Whether a text holds one of the control characters of Unicode: C0, DEL and C1. */
function holdsControl(value: string): boolean {
  return [...value].some(character => character < ' ' || (character >= '\x7f' && character < '\xa0'))
}

t.test('any text is a SKU or is refused by the same rule', async () => {
  fc.assert(
    fc.property(anyText({ minLength: 1, maxLength: 140 }), sku => {
      const isRight = [...sku].length <= 128 && sku.isWellFormed() && !holdsControl(sku)
      const found = read(sent({ lines: [line({ sku: text(sku) })] }))
      return isRight ? 'items' in found && found.items[0]?.sku === sku : Array.isArray(found)
    })
  )
})

t.test('a quantity is 1 to 9,999, however the option writes it', async t => {
  const cases: [quantity: SentField, code: MistakeCode | 'taken'][] = [
    [number('1'), 'taken'],
    [number('9999'), 'taken'],
    [number('0'), 'quantity-invalid'],
    [number('-1'), 'quantity-invalid'],
    [number('10000'), 'quantity-invalid'],
    [number('1e999'), 'quantity-invalid'],
    [text('2'), 'quantity-invalid'],
    [{ is: 'absent' }, 'field-missing']
  ]
  for (const [quantity, code] of cases) {
    const found = read(sent({ lines: [line({ quantity })] }))
    if (code === 'taken') t.notOk(Array.isArray(found), describeField(quantity))
    else t.strictSame(found, ['contract-broken', `0.quantity ${code}`], describeField(quantity))
  }
})

t.test('a currency is an ISO 4217 code in upper case', async t => {
  const cases: [currency: SentField, code: MistakeCode][] = [
    [text(''), 'currency-invalid'],
    [text('gbp'), 'currency-invalid'],
    [text('GBP '), 'currency-invalid'],
    [text('ZZZ'), 'currency-invalid'],
    [text('826'), 'currency-invalid'],
    [number('826'), 'field-type'],
    [{ is: 'null' }, 'field-type'],
    [{ is: 'absent' }, 'field-missing']
  ]
  for (const [currency, code] of cases) {
    t.strictSame(read(sent({ currency })), ['contract-broken', `currency ${code}`], describeField(currency))
  }
})

t.test('a reference is what the option says it is, and always text', async t => {
  const cases: [reference: SentField, code: MistakeCode][] = [
    [text('bad'), 'reference-invalid'],
    [number('1'), 'field-type'],
    [{ is: 'object' }, 'field-type'],
    [{ is: 'absent' }, 'field-missing']
  ]
  for (const [reference, code] of cases) {
    t.strictSame(read(sent({ reference })), ['contract-broken', `reference ${code}`], describeField(reference))
  }
})

t.test('a cart holds at least one line, and at most those that the merchant takes', async t => {
  t.strictSame(read(sent({ lines: [] })), ['contract-broken', 'items items-empty'])
  t.notOk(Array.isArray(read(sent({ lines: [line(), line(), line()] }))), 'three of three')
  t.strictSame(read(sent({ lines: [line(), line(), line(), line()] })), ['too-many-lines'], 'four of three')
})

t.test('more lines than the merchant takes come before every other mistake', async t => {
  const broken = line({ sku: text(''), quantity: number('0') })
  const cart = sent({ lines: [broken, broken, broken, broken], currency: text('gbp') })
  t.match(cartOrRefusal(cart), {
    code: 'too-many-lines',
    message: 'The cart has 4 lines; this merchant takes at most 3.',
    mistakes: [],
    reference: 'r-1',
    lines: 4
  })
})

t.test('all mistakes come together, at the places that the sender knows', async t => {
  const cart = sent({
    lines: [line({ at: 0, sku: text(''), quantity: number('0') }), line({ at: 7, quantity: { is: 'absent' } })],
    currency: { is: 'null' },
    reference: { is: 'absent' },
    mistakes: [{ pointer: 'x%zz', code: 'encoding-malformed', detail: 'The name holds a stray %.' }]
  })
  t.strictSame(read(cart), [
    'contract-broken',
    'x%zz encoding-malformed',
    '0.sku sku-invalid',
    '0.quantity quantity-invalid',
    '7.quantity field-missing',
    'currency field-type',
    'reference field-missing'
  ])
  t.match(cartOrRefusal(cart), { message: '6 mistakes in the cart; nothing of it was taken.' })
  t.match(cartOrRefusal(sent({ lines: [] })), { message: '1 mistake in the cart; nothing of it was taken.' })
  t.equal(cart.mistakes.length, 1, 'what was passed in is left as it was')
})

t.test('what the option has already reported is not reported again', async t => {
  const mistaken: SentField = { is: 'mistaken' }
  const mistakes = [{ pointer: 'here', code: 'field-repeated', detail: 'Twice.' } as const]
  const cases: [name: string, cart: Partial<SentCart>][] = [
    ['lines that could not be told apart', { lines: 'mistaken' }],
    ['a SKU', { lines: [line({ sku: mistaken })] }],
    ['a quantity', { lines: [line({ quantity: mistaken })] }],
    ['the currency', { currency: mistaken }],
    ['the reference', { reference: mistaken }]
  ]
  for (const [name, cart] of cases) {
    t.strictSame(read(sent({ ...cart, mistakes })), ['contract-broken', 'here field-repeated'], name)
  }
})

t.test('a mistake in a line whose SKU could be read has that SKU, whoever found it', async t => {
  const cart = sent({
    lines: [
      line({ at: 3, sku: text('ZERO'), quantity: number('0') }),
      line({ at: 1, sku: text('TWICE'), quantity: { is: 'mistaken' } }),
      line({ at: 5, sku: text(''), quantity: number('0') })
    ],
    currency: text('gbp'),
    mistakes: [
      { pointer: '1.quantity', code: 'field-repeated', detail: 'Twice.' },
      { pointer: '1.price', code: 'encoding-malformed', detail: 'Not UTF-8.' }
    ]
  })
  const { mistakes } = cartOrRefusal(cart) as Refusal
  t.strictSame(
    mistakes.map(({ pointer, sku }) => [pointer, sku]),
    [
      ['1.quantity', 'TWICE'],
      ['1.price', 'TWICE'],
      ['3.quantity', 'ZERO'],
      ['5.sku', undefined],
      ['5.quantity', undefined],
      ['currency', undefined]
    ]
  )
  t.notOk('sku' in (cart.mistakes[0] ?? {}), 'what was passed in is left as it was')
})

t.test('a refusal carries the reference and the number of lines where they could be read, for the log', async t => {
  const four = [line(), line(), line(), line()]
  const cases: [name: string, cart: Partial<SentCart>, noted: object][] = [
    ['both', { currency: text('gbp') }, { reference: 'r-1', lines: 1 }],
    ['no reference', { reference: text('bad') }, { reference: undefined, lines: 1 }],
    ['no lines', { lines: 'mistaken', currency: text('gbp') }, { reference: 'r-1', lines: 0 }],
    ['too many lines', { lines: four, reference: text('bad') }, { reference: undefined, lines: 4 }],
    ['too many lines and two references', { lines: four, reference: { is: 'mistaken' } }, { reference: undefined }]
  ]
  for (const [name, cart, noted] of cases) t.match(cartOrRefusal(sent(cart)), noted, name)
})

t.test('messages quote what was sent, short and printable, and say what it is', async t => {
  t.equal(quote('a "b"\n'), '"a \\"b\\"\\n"')
  t.equal(quote('x'.repeat(48)), `"${'x'.repeat(48)}"`)
  t.equal(quote('x'.repeat(49)), `"${'x'.repeat(47)}…"`)
  t.equal(quote('\ud800'), '"\\ud800"')
  const cases: [field: SentField, words: string][] = [
    [text('2'), 'the string "2"'],
    [number('1.50'), 'the number 1.50'],
    [number('1'.repeat(1000)), `the number ${'1'.repeat(24)}`],
    [{ is: 'null' }, 'null'],
    [{ is: 'boolean' }, 'a boolean'],
    [{ is: 'array' }, 'an array'],
    [{ is: 'object' }, 'an object'],
    [{ is: 'absent' }, 'absent']
  ]
  for (const [field, words] of cases) t.equal(describeField(field), words)
  t.match(cartOrRefusal(sent({ lines: [line({ sku: number('5') })] })), {
    mistakes: [{ detail: 'This must be a string, not the number 5.' }]
  })
})
