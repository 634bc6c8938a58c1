// Carts with exactly one rule of the contract, or of DECISIONS.md, broken: what must be reported, and where.
import {
  type Choose,
  DOLLARS_ONLY,
  type Draft,
  namesOf,
  type OptionName,
  pick,
  SOLD_OUT,
  UNKNOWN,
  type Value
} from './draft.ts'

/** What the answer must say: the status, and each mistake as `pointer code`. */
export type Verdict = { status: number; mistakes: string[] }

type Breaking = { draft: Draft; choose: Choose; option: OptionName; isIndexFree: boolean }

/** Breaks a rule of a draft in place; undefined if this draft cannot break it. */
export type Breaker = (breaking: Breaking) => Verdict | undefined

const text = (value: string): Value => ({ text: value })
const written = (value: string): Value => ({ written: value })
const broken = (...mistakes: string[]): Verdict => ({ status: 400, mistakes })
const unsellable = (...mistakes: string[]): Verdict => ({ status: 422, mistakes })

type LineField = 'sku' | 'quantity'

/** Puts other values in the place of one field of one line. */
function replaced({ draft, choose, option }: Breaking, field: LineField, values: Value[], code: string): Verdict {
  const line = choose(draft.lines.length)
  ;(draft.lines[line] as Draft['lines'][0])[field] = values
  const at = `${namesOf(option)(field, line)} ${code}`
  return code === 'sku-unknown' || code === 'out-of-stock' || code === 'price-missing' ? unsellable(at) : broken(at)
}

function replacedGlobal(breaking: Breaking, field: 'currency' | 'reference', values: Value[], code: string): Verdict {
  breaking.draft[field] = values
  return broken(`${namesOf(breaking.option)(field)} ${code}`)
}

/** A breaker that picks one of these texts for a field, to be written or written already. */
const wrong =
  (field: LineField, code: string, texts: string[], as = text): Breaker =>
  breaking =>
    replaced(breaking, field, [as(pick(breaking.choose, texts))], code)

const wrongGlobal =
  (field: 'currency' | 'reference', code: string, texts: string[], as = text): Breaker =>
  breaking =>
    replacedGlobal(breaking, field, [as(pick(breaking.choose, texts))], code)

/** A breaker of one field that is missing or repeated; index-free ones no longer pair up. */
const counted =
  (field: LineField, count: 0 | 2): Breaker =>
  breaking => {
    const code = count === 0 ? 'field-missing' : 'field-repeated'
    const verdict = replaced(breaking, field, Array(count).fill(text(field === 'sku' ? 'MUG' : '1')), code)
    return breaking.isIndexFree ? broken('items fields-unpaired') : verdict
  }

const CONTROLS = ['a\x01', '\n', 'a\x7f', '\x85', '\ta', '\x1b[2J']

/** Rules that every option has. */
const common: Record<string, Breaker> = {
  'SKU empty': wrong('sku', 'sku-invalid', ['']),
  'SKU too long': wrong('sku', 'sku-invalid', ['x'.repeat(129), '\u{1f600}'.repeat(129), 'x'.repeat(400)]),
  'SKU with a control character': wrong('sku', 'sku-invalid', CONTROLS),
  'SKU missing': counted('sku', 0),
  'SKU repeated': counted('sku', 2),
  'SKU unknown': wrong('sku', 'sku-unknown', [UNKNOWN, ' MUG', 'mug', 'MUG\u200b', 'ＭＵＧ']),
  'SKU sold out': wrong('sku', 'out-of-stock', [SOLD_OUT]),
  'SKU without a price in pounds': wrong('sku', 'price-missing', [DOLLARS_ONLY]),
  'quantity out of range': wrong('quantity', 'quantity-invalid', [
    '0',
    '10000',
    '4294967297',
    '1000000000000000000000'
  ]),
  'quantity missing': counted('quantity', 0),
  'quantity repeated': counted('quantity', 2),
  'currency unknown': wrongGlobal('currency', 'currency-invalid', [
    'gbp',
    '',
    'ZZZ',
    'GBP ',
    '__proto__',
    'constructor'
  ]),
  'currency missing': breaking => replacedGlobal(breaking, 'currency', [], 'field-missing'),
  'currency repeated': breaking => replacedGlobal(breaking, 'currency', [text('GBP'), text('GBP')], 'field-repeated'),
  'currency not sold': breaking => {
    breaking.draft.currency = [text(pick(breaking.choose, ['JPY', 'EUR', 'XAU']))]
    return unsellable(`${namesOf(breaking.option)('currency')} currency-not-sold`)
  },
  'reference missing': breaking => replacedGlobal(breaking, 'reference', [], 'field-missing'),
  'reference repeated': breaking => replacedGlobal(breaking, 'reference', [text('r'), text('s')], 'field-repeated'),
  'reference malformed': wrongGlobal('reference', 'reference-invalid', ['', 'x'.repeat(33), 'a b', 'é', 'a\n', '\x7f']),
  'no items': ({ draft, option }) => {
    draft.lines = []
    return broken(`${namesOf(option)('items')} items-empty`)
  }
}

/** Rules of JSON. */
const ofJson: Record<string, Breaker> = {
  'SKU of another type': wrong('sku', 'field-type', ['null', '1', 'false', '[]', '{"a":"MUG"}'], written),
  'half a surrogate pair': wrong('sku', 'sku-invalid', ['"\\ud83d"', '"a\\uDE00"', '"\\ude00\\ud83d"'], written),
  'NUL in a SKU': wrong('sku', 'sku-invalid', ['"MUG\\u0000"'], written),
  'quantity of another type': wrong('quantity', 'field-type', ['"2"', 'null', 'true', '[2]', '{}'], written),
  'quantity not whole': wrong(
    'quantity',
    'quantity-invalid',
    ['1.5', '-1', '-0', '1e-1', '1.0000000000000000001', '0.1e0', '1e999', '9999.9', '99e99999999999'],
    written
  ),
  'reference not 32 digits': wrongGlobal('reference', 'reference-invalid', [
    '123e4567-e89b-12d3-a456-426614174000',
    'g'.repeat(32),
    '0'.repeat(31)
  ])
}

const MALFORMED = [
  ...['%', '%4', 'MUG%', '%zz', '%u0041', '%C0%AF', '%E0%80%AF', '%F0%80%80%AF', '%ED%A0%80', '%ED%BF%BF'],
  ...['%F4%90%80%80', '%FF', '%E2%82', 'a%80', '%C3%28', '%00', 'MUG%00']
]

/** Indexes that are none, in names of option 2A; 2B reads words as names of others. */
const WRONG_INDEXES = ['00', '01', '-1', '+1', '1.0', '1e1', '0x1', ' 1', '1 ', '9999999999', '١']
const WRONG_WORDS = ['__proto__', 'constructor', 'length']

/** Rules of form fields. */
const ofForms: Record<string, Breaker> = {
  'quantity not in digits': wrong('quantity', 'quantity-invalid', [
    ...['', '01', '+2', '-2', ' 2', '2 ', '2.0', '2,0', '２', '2e0', '0x2', 'two', '\u0662', '2\ufeff', 'NaN', 'null']
  ]),
  'encoding malformed': breaking => {
    const field = pick(breaking.choose, ['sku', 'quantity'] as const)
    return replaced(breaking, field, [written(pick(breaking.choose, MALFORMED))], 'encoding-malformed')
  },
  'encoding of a currency malformed': wrongGlobal('currency', 'encoding-malformed', MALFORMED, written),
  'encoding of a name malformed': ({ draft, choose }) => {
    const name = pick(choose, MALFORMED)
    draft.more.push({ name: written(name), value: text('1') })
    return broken(`${name} encoding-malformed`)
  },
  'index malformed': ({ draft, choose, option }) => {
    const indexes = option === '2A' ? [...WRONG_INDEXES, ...WRONG_WORDS] : WRONG_INDEXES
    const name = namesOf(option)('sku', 0).replace('0', pick(choose, indexes))
    draft.more.push({ name: text(name), value: text('MUG') })
    return broken(`${name} index-malformed`)
  },
  'a gap': ({ draft, option, isIndexFree, choose }) => {
    if (isIndexFree) return undefined
    const names = namesOf(option)
    const far = draft.lines.length + pick(choose, [1, 2, 1000, 999_999_000])
    draft.more.push({ name: text(names('sku', far)), value: text('MUG') })
    draft.more.push({ name: text(names('quantity', far)), value: text('1') })
    return broken(`${names('sku', draft.lines.length)} index-gap`)
  },
  'names mixed': ({ draft, option, isIndexFree }) => {
    if (option === '2B') return undefined
    draft.more.push({ name: text(isIndexFree ? 'items[0][sku]' : 'items[][sku]'), value: text('MUG') })
    return broken('items names-mixed')
  },
  unpaired: ({ draft, isIndexFree }) => {
    if (!isIndexFree) return undefined
    draft.more.push({ name: text('items[][quantity]'), value: text('1') })
    return broken('items fields-unpaired')
  }
}

export function breakersOf(option: OptionName): [name: string, breaker: Breaker][] {
  return Object.entries({ ...common, ...(option === '1' ? ofJson : ofForms) })
}

type BodyChange = [name: string, mistake: string, change: (body: string, choose: Choose) => string]

/** A body with this last member in its object. */
const withMember = (body: string, member: string) => body.trimEnd().replace(/\}$/, `,${member}}`)
const cartOf = (items: string) => `{${items}"currency":"GBP","reference":"${'0'.repeat(32)}"}`

const LOOSE = [
  ...['', '"a":NaN', 'a:1', "'a':1", '"a":01', '"a":"\t"', '"a":1.', '"a":+1', '"a":"\\x41"', '"a":undefined', '/**/']
]
const MORE = ['{}', ',', ']', '\0', '\x0b', '//', '1']
const NO_ARRAYS = ['{}', 'null', '"[]"', '{"0":{},"length":1}']
const NO_OBJECTS = ['[]', 'null', '1', '"MUG"']
const NOT_UTF8 = ['\xff', '\xc0\xaf', '\xed\xa0\x80', '\xe2\x82', '\xf4\x90\x80\x80']

/** Bodies of option 1 that are no cart, whatever was in them. */
export const wrongBodies: BodyChange[] = [
  ['JSON cut short', '# json-malformed', cutShort],
  ['JSON followed by more', '# json-malformed', (body, choose) => body + pick(choose, MORE)],
  ['loose JSON', '# json-malformed', (body, choose) => withMember(body, pick(choose, LOOSE))],
  ['not UTF-8', '# encoding-malformed', (body, choose) => withMember(body, `"a":"${pick(choose, NOT_UTF8)}"`)],
  ['UTF-16', '# json-malformed', () => Buffer.from(cartOf(''), 'utf16le').toString('latin1')],
  ['not an object', '# field-type', (_body, choose) => pick(choose, ['[]', 'null', '1', '"{}"', 'true', '[{}]'])],
  ['no JSON at all', '# json-malformed', (_body, choose) => pick(choose, ['', ' ', '\xef\xbb\xbf', '\n'])],
  ['items not an array', '#/items field-type', (_body, choose) => cartOf(`"items":${pick(choose, NO_ARRAYS)},`)],
  ['items missing', '#/items field-missing', () => cartOf('')],
  ['items repeated', '#/items field-repeated', () => cartOf('"items":[],"items":[],')],
  ['an item not an object', '#/items/0 field-type', (_body, choose) => cartOf(`"items":[${pick(choose, NO_OBJECTS)}],`)]
]

/** Never within a character. */
function cutShort(body: string, choose: Choose): string {
  const whole = body.trimEnd()
  return whole.slice(0, -1 - choose(whole.length - 4)).replace(/[\x80-\xff]+$/, '')
}
