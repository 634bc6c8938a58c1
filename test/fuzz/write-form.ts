// Writes a cart as form fields in any of the ways that the URL standard lets a sender encode them. For options 2A and 2B.
import { type Choose, pick, shuffle } from './choices.ts'
import { type Draft, namesOf, type Value } from './draft.ts'

type Field = { name: Value; value: Value }

/** Where the fields go: bytes of a body may be anything, those of a query only what RFC 3986 allows there. */
type Place = { may: RegExp; others: string[] }

const OTHER_NAMES = [
  ...['total', '__proto__', 'constructor', 'prototype', '__proto__[sku]', 'constructor[prototype][sku]', '', 'sku'],
  ...['currency[]', 'reference[0]', 'Currency', 'reference ', 'items', 'hasOwnProperty', '\u{1f600}', 'x'.repeat(60)]
]
const IN_BODY: Place = {
  may: /[^&%+=]/,
  others: [
    ...['items[]', 'items[0]', 'Items[0][sku]', 'items[0][__proto__]', 'items[0][sku][x]', 'items[0][name]'],
    ...['item_0_sku', ' items[0][sku]', 'items[0][sku]\n']
  ]
}
const IN_QUERY: Place = {
  may: /[A-Za-z0-9\-._~!$'()*,;:@/?]/,
  others: ['item_total_quantity', 'item___proto___sku', 'item_0_name', 'item_0_sku_x', 'Item_0_sku', 'items[0][sku]']
}

/** Values of other fields, which are not decoded. */
const OTHER_VALUES = ['', '1', 'MUG', '%zz', '%', '%00', '%C0%AF', '%ff', '%ED%A0%80', 'a=b=c', '__proto__', '1e999']

/** @returns fields of a body, one character per byte */
export function writeBody(draft: Draft, isIndexFree: boolean, choose: Choose): string {
  const names = namesOf('2A')
  const write = (field: Field) => writeField(field, choose, IN_BODY)
  const { lines, currency, reference, more } = draft
  const ofLines = (isFree: boolean) =>
    (['sku', 'quantity', 'price'] as const).map(field =>
      lines.flatMap((line, i) =>
        line[field].map(value => write({ name: { text: isFree ? `items[][${field}]` : names(field, i) }, value }))
      )
    )
  const rest = [...globals(currency, reference), ...more].map(write)
  rest.push(...otherFields(choose, IN_BODY))
  // Index-free fields pair up in the order sent, SKUs with quantities; indexed ones may come in any.
  if (isIndexFree) return separate(interleave([...ofLines(true), ...rest.map(field => [field])], choose), choose)
  const indexed = ofLines(false).flat()
  return separate(choose(2) === 0 ? [...indexed, ...rest] : shuffle([...indexed, ...rest], choose), choose)
}

/** @returns a query, in ASCII */
export function writeQuery({ lines, currency, reference, more }: Draft, choose: Choose): string {
  const names = namesOf('2B')
  const fields: Field[] = lines.flatMap(({ sku, quantity }, i) => [
    ...sku.map(value => ({ name: { text: names('sku', i) }, value })),
    ...quantity.map(value => ({ name: { text: names('quantity', i) }, value }))
  ])
  const all = [...fields, ...globals(currency, reference), ...more].map(field => writeField(field, choose, IN_QUERY))
  all.push(...otherFields(choose, IN_QUERY))
  return separate(choose(2) === 0 ? all : shuffle(all, choose), choose)
}

function globals(currency: Value[], reference: Value[]): Field[] {
  return [
    ...currency.map(value => ({ name: { text: 'currency' }, value })),
    ...reference.map(value => ({ name: { text: 'reference' }, value }))
  ]
}

function otherFields(choose: Choose, place: Place): string[] {
  return Array.from({ length: Math.max(0, choose(8) - 5) }, () =>
    writeField(
      {
        name: { text: pick(choose, [...OTHER_NAMES, ...place.others]) },
        value: { written: pick(choose, OTHER_VALUES) }
      },
      choose,
      place
    )
  )
}

/** Several lists as one, each in its own order. */
function interleave(lists: string[][], choose: Choose): string[] {
  const left = lists.map(list => [...list]).filter(list => list.length > 0)
  const all: string[] = []
  while (left.length > 0) {
    const at = choose(left.length)
    const [list = []] = left.slice(at, at + 1)
    all.push(list.shift() as string)
    if (list.length === 0) left.splice(at, 1)
  }
  return all
}

/** Empty fields mean nothing. */
function separate(fields: string[], choose: Choose): string {
  const [first, ...rest] = fields
  return rest.reduce((all, field) => all + (choose(16) === 15 ? '&&' : '&') + field, String(first ?? ''))
}

function writeField({ name, value }: Field, choose: Choose, { may }: Place): string {
  const write = (part: Value) => ('text' in part ? encode(part.text, may, choose) : part.written)
  return `${write(name)}=${write(value)}`
}

const encoder = new TextEncoder()

function encode(text: string, may: RegExp, choose: Choose): string {
  // Mostly as browsers do it.
  if (choose(3) < 2) return new URLSearchParams([['', text]]).toString().slice(1)
  let written = ''
  for (const byte of encoder.encode(text)) {
    const character = String.fromCharCode(byte)
    const way = choose(5)
    if (character === ' ' && way < 2) written += '+'
    else if (way < 3 && may.test(character)) written += character
    else {
      const digits = byte.toString(16).padStart(2, '0')
      written += `%${way === 4 ? digits : digits.toUpperCase()}`
    }
  }
  return written
}
