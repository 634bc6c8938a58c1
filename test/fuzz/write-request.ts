// Writes a cart as any legal request: an HTTP/1.1 head in any of the ways of RFC 9112, and a form, a query or JSON in any of
// the ways that their standards let a sender encode them.
import { transferOptions } from '../../src/transfer/index.ts'
import { type Choose, type Draft, namesOf, pick, shuffle, type Value } from './draft.ts'

/** The paths of the merchants, which kept cases name; that of another option is made of its name. */
const PATHS: Record<string, string> = { '1': '/one', '2A': '/two-a', '2B': '/two-b' }

export type Shop = { path: string; contentType?: string }

/** The merchant of an option, and how its carts arrive. */
export function shopOf(option: string): Shop {
  const { encoding } = transferOptions.find(({ name }) => name === option) as (typeof transferOptions)[0]
  const path = PATHS[option] ?? `/by-${option.toLowerCase()}`
  return { path, ...(encoding.includes('/') && { contentType: encoding }) }
}

/** The address of every merchant as the app sees it, wherever the server listens: URLs are measured with it. */
export const ORIGIN = 'http://127.0.0.1:3000'

export type Request = {
  method: string
  target: string
  headers?: string[]
  /** One character per byte. */
  body?: string
}

/** Headers that change nothing. */
const OTHER_HEADERS = [
  ...['Accept: text/html', 'Accept: application/json', 'Accept: */*;q=0.1', 'Accept-Language: de'],
  ...['Accept-Language: ar,*;q=0', 'Accept-Language: zz-ZZ-x-y;q=9, ,;,en', 'Accept-Encoding: gzip, br'],
  ...['Origin: null', 'Origin: https://evil.example', 'Sec-Fetch-Site: cross-site', 'Referer: about:blank'],
  ...['Cookie: token=x; __proto__=1; =; ;', '__proto__: polluted', 'constructor: polluted'],
  ...['X-Forwarded-For: 127.0.0.1', 'X-HTTP-Method-Override: DELETE', 'User-Agent: \x80\xff', 'Range: bytes=0-1'],
  ...['If-None-Match: *', 'If-Modified-Since: Thu, 01 Jan 1970 00:00:00 GMT', 'Forwarded: for="_x"'],
  ...['Content-Encoding: identity', 'Expect: 100-continue', 'Connection: keep-alive', 'TE: trailers'],
  ...[`X-Long: ${'x'.repeat(2000)}`]
]

/** @returns one character per byte */
export function writeRequest({ method, target, headers = [], body }: Request, choose: Choose): string {
  const others = Array.from({ length: Math.max(0, choose(6) - 3) }, () => pick(choose, OTHER_HEADERS))
  const lines = ['Host: shop.example', ...headers, ...others]
  if (body === undefined) return head(method, target, lines)
  if (choose(5) < 4) return head(method, target, [...lines, `Content-Length: ${body.length}`]) + body
  return head(method, target, [...lines, 'Transfer-Encoding: chunked']) + writeChunks(body, choose)
}

function head(method: string, target: string, headers: string[]): string {
  return `${method} ${target} HTTP/1.1\r\n${headers.map(line => `${line}\r\n`).join('')}\r\n`
}

/**
 * Chunks before the rest of a body is written as one. The server accepts a thousand of any size (DECISIONS), and a read
 * that ends within a chunk makes two of it.
 */
const MAX_CHUNKS = 900

function writeChunks(body: string, choose: Choose): string {
  let written = ''
  let count = 0
  for (let at = 0; at < body.length; count++) {
    const size = count < MAX_CHUNKS ? 1 + choose(body.length - at) : body.length - at
    const digits = size.toString(16)
    const plain = [digits, digits.toUpperCase(), digits.padStart(8, '0')]
    const line = pick(choose, [...plain, `${digits};a=b`, `${digits};a="b"`])
    written += `${line}\r\n${body.slice(at, at + size)}\r\n`
    at += size
  }
  return `${written}${pick(choose, ['0', '000', '0;a'])}\r\n${pick(choose, ['', '', 'X-Trailer: 1\r\n'])}\r\n`
}

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
  return Array.from({ length: Math.max(0, choose(8) - 5) }, () => {
    const name = { text: pick(choose, [...OTHER_NAMES, ...place.others]) }
    return writeField({ name, value: { written: pick(choose, OTHER_VALUES) } }, choose, place)
  })
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

/** White space between two tokens, mostly none. */
const SPACES = ['', '', '', '', ' ', '\n  ', '\t', '\r\n']

/** Names that are none of the contract's, and what a platform might send under them. */
const JSON_NAMES = [
  ...['total', '__proto__', 'constructor', 'prototype', 'hasOwnProperty', 'toJSON', '', 'Items', 'SKU', 'sku '],
  ...['length', 'items[0][sku]', '\0', '\ud800', '\u{1f600}', 'x'.repeat(60)]
]
const JSON_VALUES = [
  ...['null', 'true', '[]', '{}', '""', '"\\ud800"', '"\\u0000"', '-0', '1e999', '1E-999'],
  ...['123456789012345678901234567890'],
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
    Array.from({ length: Math.max(0, choose(8) - 5) }, () => pick(choose, JSON_NAMES))
      .filter(isName)
      .map(name => member(name, pick(choose, JSON_VALUES)))
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
