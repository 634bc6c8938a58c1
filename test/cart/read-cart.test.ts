// The contract's rules for a cart, whichever option it arrived through: a Cart, or a refusal with every mistake.
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
import { Problem, type ValidationErrorCode } from '../../src/errors.ts'
import { anyText } from '../any-text.ts'

const pointer: Pointer = (field, line) => (line === undefined ? field : `${line}.${field}`)

/** Minimal rules: a quantity is any number literal, a reference is any text but "bad". */
const rules: CartRules = {
  maxItems: 3,
  maxQuantity: 20,
  pointer,
  readNumber: field =>
    field.is === 'number'
      ? { value: Number(field.literal) }
      : { code: 'quantity-invalid', detail: describeField(field) },
  readReference: (reference): FieldResult<string> =>
    /^bad$|-.*-/.test(reference) ? { code: 'reference-invalid', detail: 'It is bad.' } : { value: reference }
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

function cartOrProblem(cart: SentCart, cartRules = rules): Cart | Problem {
  try {
    return readCart(cart, cartRules)
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
}

/** The cart, or the code of the refusal followed by the pointer and code of each mistake. */
function read(cart: SentCart): Cart | [string, ...string[]] {
  const found = cartOrProblem(cart)
  if (!(found instanceof Problem)) return found
  return [found.code, ...found.mistakes.map(({ pointer, code }) => `${pointer} ${code}`)]
}

t.test('a cart that keeps the contract is read exactly as sent', async t => {
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

t.test('a SKU is 1 to 128 code points, without control characters or lone surrogates, and kept exactly', async t => {
  const cases: [name: string, sku: SentField, code: ValidationErrorCode | 'accepted'][] = [
    ['one character', text('x'), 'accepted'],
    ['128 characters', text('x'.repeat(128)), 'accepted'],
    ['128 code points of two units each', text('𝒳'.repeat(128)), 'accepted'],
    ['spaces around it', text(' x '), 'accepted'],
    ['only a space', text(' '), 'accepted'],
    ['a zero-width space and a right-to-left mark', text('\u200b\u202e'), 'accepted'],
    ['a BOM', text('\ufeff'), 'accepted'],
    ['markup', text('<script>"&\''), 'accepted'],
    ['empty', text(''), 'sku-invalid'],
    ['129 characters', text('x'.repeat(129)), 'sku-invalid'],
    ['129 code points of two units each', text('𝒳'.repeat(129)), 'sku-invalid'],
    ['a million characters', text('x'.repeat(1_000_000)), 'sku-invalid'],
    ['NUL', text('a\0b'), 'sku-invalid'],
    ['a tab', text('a\tb'), 'sku-invalid'],
    ['a trailing line feed', text('a\n'), 'sku-invalid'],
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
      code === 'accepted'
        ? { reference: 'r-1', currency: 'GBP', items: [{ sku: sku.is === 'text' && sku.text, quantity: 2 }] }
        : ['contract-broken', `0.sku ${code}`]
    t.strictSame(read(sent({ lines: [line({ sku })] })), expected, `${name}: ${code}`)
  }
})

/** Whether a text holds a Unicode control character: C0, DEL or C1. */
function holdsControl(value: string): boolean {
  return [...value].some(character => character < ' ' || (character >= '\x7f' && character < '\xa0'))
}

t.test('any text is accepted or refused as a SKU by that rule', async () => {
  fc.assert(
    fc.property(anyText({ minLength: 1, maxLength: 140 }), sku => {
      const isValid = [...sku].length <= 128 && sku.isWellFormed() && !holdsControl(sku)
      const found = read(sent({ lines: [line({ sku: text(sku) })] }))
      return isValid ? 'items' in found && found.items[0]?.sku === sku : Array.isArray(found)
    })
  )
})

t.test('a quantity is 1 to 9,999, however the option encodes it', async t => {
  const cases: [quantity: SentField, code: ValidationErrorCode | 'accepted'][] = [
    [number('1'), 'accepted'],
    [number('9999'), 'accepted'],
    [number('0'), 'quantity-invalid'],
    [number('-1'), 'quantity-invalid'],
    [number('10000'), 'quantity-invalid'],
    [number('1e999'), 'quantity-invalid'],
    [text('2'), 'quantity-invalid'],
    [{ is: 'absent' }, 'field-missing']
  ]
  for (const [quantity, code] of cases) {
    const found = read(sent({ lines: [line({ quantity })] }))
    if (code === 'accepted') t.notOk(Array.isArray(found), describeField(quantity))
    else t.strictSame(found, ['contract-broken', `0.quantity ${code}`], describeField(quantity))
  }
})

t.test('a currency is an upper-case ISO 4217 code, and each option defines its references; both are text', async t => {
  const cases: [field: 'currency' | 'reference', sent: SentField, code: ValidationErrorCode][] = [
    ['currency', text(''), 'currency-invalid'],
    ['currency', text('gbp'), 'currency-invalid'],
    ['currency', text('GBP '), 'currency-invalid'],
    ['currency', text('ZZZ'), 'currency-invalid'],
    ['currency', number('826'), 'field-type'],
    ['currency', { is: 'absent' }, 'field-missing'],
    ['reference', text('bad'), 'reference-invalid'],
    ['reference', number('1'), 'field-type'],
    ['reference', { is: 'absent' }, 'field-missing']
  ]
  for (const [field, value, code] of cases) {
    t.strictSame(read(sent({ [field]: value })), ['contract-broken', `${field} ${code}`], describeField(value))
  }
})

t.test('a cart has at least one line and at most maxItems', async t => {
  t.strictSame(read(sent({ lines: [] })), ['contract-broken', 'items items-empty'])
  t.notOk(Array.isArray(read(sent({ lines: [line(), line(), line()] }))), 'three of three')
  const lines = Array(4).fill(line({ sku: text(''), quantity: number('0') }))
  t.match(
    cartOrProblem(sent({ lines, currency: text('gbp') })),
    { code: 'too-many-lines', message: 'The cart has 4 lines; this merchant takes at most 3.', mistakes: [] },
    'four of three, before any other mistake'
  )
})

t.test('all mistakes are reported together, at the pointers of the option', async t => {
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
  t.match(cartOrProblem(cart), { message: '6 mistakes in the cart; nothing of it was taken.' })
  t.match(cartOrProblem(sent({ lines: [] })), { message: '1 mistake in the cart; nothing of it was taken.' })
  t.equal(cart.mistakes.length, 1, 'the input is not modified')
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

t.test('a mistake in a line with a readable SKU names the line, even if the option found the mistake', async t => {
  const cart = sent({
    lines: [
      line({ at: 3, sku: text('ZERO'), quantity: number('0') }),
      line({ at: 1, sku: text('TWICE'), quantity: { is: 'mistaken' } }),
      line({ at: 5, sku: text(''), quantity: number('0') }),
      line({ at: 6, sku: text('TWICE'), quantity: number('7') })
    ],
    currency: text('gbp'),
    mistakes: [
      { pointer: '1.quantity', code: 'field-repeated', detail: 'Twice.' },
      { pointer: '1.price', code: 'encoding-malformed', detail: 'Not UTF-8.' },
      { pointer: '6.price', code: 'encoding-malformed', detail: 'Not UTF-8.' }
    ]
  })
  const { mistakes, bag } = cartOrProblem(cart, { ...rules, maxItems: 4 }) as Problem
  t.strictSame(
    mistakes.map(({ pointer, sku }) => [pointer, sku]),
    [
      ['1.quantity', 'TWICE'],
      ['1.price', 'TWICE'],
      ['6.price', 'TWICE'],
      ['3.quantity', 'ZERO'],
      ['5.sku', undefined],
      ['5.quantity', undefined],
      ['currency', undefined]
    ]
  )
  t.strictSame(
    bag,
    [
      { sku: 'TWICE', mistake: 'field-repeated' },
      { sku: 'TWICE', quantity: 7, mistake: 'encoding-malformed' },
      { sku: 'ZERO', mistake: 'quantity-invalid' }
    ],
    'each line once, with its first mistake, and its quantity if that could be read'
  )
  t.notOk('sku' in (cart.mistakes[0] ?? {}), 'the input is not modified')
})

const HYPHENATED = '5e0fbb2d-8d3e-4d0c-9b1b-0d6a1b7f7c11'

t.test('a problem carries the reference and the number of lines for the log, if they could be read', async t => {
  const four = [line(), line(), line(), line()]
  const cases: [name: string, cart: Partial<SentCart>, expected: object][] = [
    ['both', { currency: text('gbp') }, { reference: 'r-1', lines: 1 }],
    ['no reference', { reference: text('bad') }, { reference: undefined, lines: 1 }],
    ['a UUID with hyphens', { reference: text(HYPHENATED) }, { reference: HYPHENATED, lines: 1 }],
    ['the same with too many lines', { lines: four, reference: text(HYPHENATED) }, { reference: HYPHENATED, lines: 4 }],
    ['no lines', { lines: 'mistaken', currency: text('gbp') }, { reference: 'r-1', lines: 0 }],
    ['too many lines', { lines: four, reference: text('bad') }, { reference: undefined, lines: 4 }],
    ['too many lines and two references', { lines: four, reference: { is: 'mistaken' } }, { reference: undefined }]
  ]
  for (const [name, cart, expected] of cases) t.match(cartOrProblem(sent(cart)), expected, name)
})

t.test('messages quote what was sent, shortened and printable, and name its type', async t => {
  t.equal(quote('a "b"\n'), '"a \\"b\\"\\n"')
  t.equal(quote('x'.repeat(48)), `"${'x'.repeat(48)}"`)
  t.equal(quote('x'.repeat(49)), `"${'x'.repeat(47)}…"`)
  t.equal(quote('\ud800'), '"\\ud800"')
  const cases: [field: SentField, description: string][] = [
    [text('2'), 'the string "2"'],
    [number('1.50'), 'the number 1.50'],
    [number('1'.repeat(1000)), `the number ${'1'.repeat(24)}`],
    [{ is: 'null' }, 'null'],
    [{ is: 'boolean' }, 'a boolean'],
    [{ is: 'array' }, 'an array'],
    [{ is: 'object' }, 'an object'],
    [{ is: 'absent' }, 'absent']
  ]
  for (const [field, description] of cases) t.equal(describeField(field), description)
  t.match(cartOrProblem(sent({ lines: [line({ sku: number('5') })] })), {
    mistakes: [{ detail: 'This must be a string, not the number 5.' }]
  })
})
