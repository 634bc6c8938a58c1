// Writes a cart as JSON in any of the ways that RFC 8259 allows. Every platform's JSON library has its own.
import { type Choose, pick, shuffle } from './choices.ts'
import type { Draft, Value } from './draft.ts'

/** White space between two tokens, mostly none. */
const SPACES = ['', '', '', '', ' ', '\n  ', '\t', '\r\n']

/** Names that are none of the contract's, and what a platform might send under them. */
const OTHER_NAMES = [
  ...[
    'total',
    '__proto__',
    'constructor',
    'prototype',
    'hasOwnProperty',
    'toJSON',
    '',
    'Items',
    'SKU',
    'sku ',
    'length'
  ],
  ...['items[0][sku]', '\0', '\ud800', '\u{1f600}', 'x'.repeat(60)]
]
const OTHER_VALUES = [
  ...[
    'null',
    'true',
    '[]',
    '{}',
    '""',
    '"\\ud800"',
    '"\\u0000"',
    '-0',
    '1e999',
    '1E-999',
    '123456789012345678901234567890'
  ],
  ...['{"sku":"MUG","quantity":9}', '{"__proto__":{"polluted":1}}', '{"constructor":{"prototype":{"polluted":1}}}'],
  ...['{"items":[{"sku":"MUG","quantity":1}]}', '[[[[[[]]]]]]', '{"a":1,"a":2}']
]

const SHORT: Record<string, string> = { '"': '\\"', '\\': '\\\\', '/': '\\/', '\n': '\\n', '\t': '\\t', '\b': '\\b' }

/** @returns the text, one character per byte of UTF-8 */
export function writeJson({ lines, currency, reference }: Draft, choose: Choose): string {
  const space = () => pick(choose, SPACES)
  const join = (parts: string[]) => parts.map(part => space() + part + space()).join(',') || space()
  const string = (text: string) => writeString(text, choose)
  const member = (name: string, value: string) => `${string(name)}${space()}:${space()}${value}`
  const members = (name: string, values: Value[]) => values.map(value => member(name, writeValue(value, choose)))
  const others = (isName: (name: string) => boolean) =>
    Array.from({ length: Math.max(0, choose(8) - 5) }, () => pick(choose, OTHER_NAMES))
      .filter(isName)
      .map(name => member(name, pick(choose, OTHER_VALUES)))
  const object = (all: string[]) => `{${join(shuffle(all, choose))}}`
  const items = lines.map(({ sku, quantity }) =>
    object([
      ...members('sku', sku),
      ...quantity.map(value => member('quantity', 'text' in value ? writeNumber(value.text, choose) : value.written)),
      ...others(name => name !== 'sku' && name !== 'quantity')
    ])
  )
  const body = object([
    member('items', `[${join(items)}]`),
    ...members('currency', currency),
    ...members('reference', reference),
    ...others(name => !['items', 'currency', 'reference'].includes(name))
  ])
  const mark = choose(8) === 7 ? '\ufeff' : ''
  return Buffer.from(mark + space() + body + space()).toString('latin1')
}

function writeValue(value: Value, choose: Choose): string {
  return 'text' in value ? writeString(value.text, choose) : value.written
}

function writeString(text: string, choose: Choose): string {
  if (choose(3) < 2) return JSON.stringify(text)
  let written = ''
  for (const unit of text.split('')) {
    const way = choose(5)
    if (way > 2 || (unit < ' ' && SHORT[unit] === undefined) || /[\ud800-\udfff]/.test(unit)) {
      const digits = unit.charCodeAt(0).toString(16).padStart(4, '0')
      written += `\\u${way === 4 ? digits.toUpperCase() : digits}`
    } else written += unit === '/' && way === 0 ? unit : (SHORT[unit] ?? unit)
  }
  return `"${written}"`
}

/** A whole number, as JSON can write it: without a leading zero. */
function writeNumber(digits: string, choose: Choose): string {
  const ways = [digits, digits, `${digits}.0`, `${digits}e0`, `${digits}.000E+00`, `0.${digits}e${digits.length}`]
  return pick(choose, digits === '0' ? ways : [...ways, `${digits}0e-1`])
}
