// Few bytes that ask for much work, many bytes that ask for any, and the largest honest carts to compare them with. Each
// is sent alone, and must cost no more than the honest ones do.
import fc from 'fast-check'
import { requestOf } from './any-case.ts'
import { anyNumbers, anyReference, chooser, draftOf, type OptionName } from './draft.ts'
import { type FuzzCase, type Line, type Part, sizeOf } from './fuzz-case.ts'
import { MAX_ITEMS } from './fuzzed-server.ts'
import { shopOf, writeRequest } from './write-request.ts'

const REFERENCE = 'f'.repeat(32)
const CART = `"items":[{"sku":"MUG","quantity":1}],"currency":"GBP","reference":"${REFERENCE}"`
const FORM = `items[0][sku]=MUG&items[0][quantity]=1&currency=GBP&reference=${REFERENCE}`
const QUERY = `item_0_sku=MUG&item_0_quantity=1&currency=GBP&reference=${REFERENCE}`
const LINES: Line[] = [{ sku: 'MUG', quantity: 1 }]

/** What is repeated, with what stands before and after it. */
type Pattern = [before: string, repeated: string, after: string]

const inJson: Pattern[] = [
  ...['[],', '{},', '0,', '"",', '[[]],', '{"a":0},', 'null,', '"\\u0041",', '1e9,', ' '].map(
    (unit): Pattern => ['{"x":[', unit, `0],${CART}}`]
  ),
  ...['"a":0,', '"":{},', '"x":[],', '"items":[],', '"currency":"GBP",', '"__proto__":{},'].map(
    (unit): Pattern => ['{', unit, `${CART}}`]
  ),
  ...['[', '{"a":', '[[],', '{"items":[', '"\\'].map((unit): Pattern => ['{"x":', unit, `0,${CART}}`]),
  ...['\\u0041', 'a', '\\ud83d\\ude00', '\\\\'].map((unit): Pattern => ['{"x":"', unit, `",${CART}}`]),
  ...['\\u0041', 'a', '\xc3\xa9', '\\ud800'].map((unit): Pattern => ['{"items":[{"sku":"', unit, '","quantity":1}]}']),
  ...['9', '0', '1.'].map((unit): Pattern => ['{"items":[{"sku":"MUG","quantity":1', unit, '}]}']),
  ['{"items":[{"sku":"MUG","quantity":0.', '0', '1e1}]}'],
  ['{"items":[{"sku":"MUG","quantity":1e', '9', '}]}'],
  ...['{"sku":"MUG","quantity":1},', '{},', '0,', '{"sku":"","sku":""},'].map(
    (unit): Pattern => ['{"items":[', unit, '0]}']
  ),
  ['', ' ', `{${CART}}`],
  [`{${CART}}`, '\n', ''],
  ['', '\xff', '']
]
const inForms = (cart: string, names: string[]): Pattern[] => [
  ...['a&', 'a=&', '&', '=&', '%61&', '%&', '%zz&', '%ff=&', '+&', 'items&', 'a=a&', '__proto__=&', ...names].map(
    (unit): Pattern => ['', unit, cart]
  ),
  ...['%', 'a', '%41', '=', '+', '%C0%AF', '[', '[0]'].flatMap((unit): Pattern[] => [
    ['', unit, `&${cart}`],
    ['a=', unit, `&${cart}`],
    ['currency=', unit, '']
  ])
]
const inBody = inForms(FORM, [
  ...['items[0][sku]=&', 'items[][sku]=a&', 'items[][sku]=a&items[][quantity]=1&', 'items[][price]=1&'],
  ...['items[01][sku]=&'],
  ...['items%5B0%5D%5Bsku%5D=%61&', 'currency=GBP&', 'items[0][price]=%00&', 'items[999999999][sku]=&']
])
const inQuery = inForms(QUERY, ['item_0_sku=&', 'item_01_sku=&', 'item__sku=&', 'item_a_sku&', 'item_', 'reference=r&'])

const LIMIT: Record<OptionName, number> = { '1': 1_080_000, '2A': 1_080_000, '2B': 1800 }

/** A request with a body of these parts. */
function post(option: OptionName, body: Part[]): Part[] {
  const { path, contentType } = shopOf(option)
  const head = `POST ${path}/cart HTTP/1.1\r\nHost: a\r\nContent-Type: ${contentType}\r\nContent-Length: ${sizeOf(body)}\r\n\r\n`
  return [head, ...body]
}

function flood(option: OptionName, pattern: Pattern, size: number): FuzzCase {
  const [before, unit, after] = pattern
  const parts: Part[] = [before, [unit, Math.max(1, Math.floor(size / unit.length))], after]
  const what = `${JSON.stringify(unit)} repeated`
  const send: Part[] =
    option === '2B'
      ? [`GET ${shopOf(option).path}/cart?`, ...parts, ' HTTP/1.1\r\nHost: a\r\n\r\n']
      : post(option, parts)
  // The cart in it may be read or refused, but not changed.
  return { option, kind: 'flood', what, send, answers: [{ lines: LINES }] }
}

/** Bodies over every limit, as long as they say or longer; heads without end. */
function oversized(option: OptionName, way: number): FuzzCase {
  const { path, contentType } = shopOf(option)
  const head = `POST ${path}/cart HTTP/1.1\r\nHost: a\r\nContent-Type: ${contentType}\r\n`
  const inChunks = `${head}Transfer-Encoding: chunked\r\n\r\n`
  const ways: [what: string, send: Part[]][] = [
    ['a body of 10 MB', post(option, [['a=b&', 2_500_000]])],
    ['10 MB in chunks', [inChunks, [`8000\r\n${'a'.repeat(32_768)}\r\n`, 320], '0\r\n\r\n']],
    ['100,000 chunks', [inChunks, ['1\r\na\r\n', 100_000], '0\r\n\r\n']],
    ['10 MB of one header', [`${head}X: `, ['a', 10_000_000], '\r\n\r\n']],
    ['10 MB of headers', [head, ['a: b\r\n', 1_600_000], '\r\n']],
    ['10 MB of a URL', ['GET /', ['a', 10_000_000], ' HTTP/1.1\r\nHost: a\r\n\r\n']],
    ['10 MB of line breaks', [['\r\n', 5_000_000]]]
  ]
  const [what, send] = ways[way % ways.length] as (typeof ways)[0]
  return { option, kind: 'flood', what, send }
}

const TINY_CHUNKS = 200_000

/** Requests that are refused by their head, and go on in chunks of one byte after the answer. */
export const afterAnswer = [goingOn('2A', 'POST', 'text/plain'), goingOn('1', 'PUT', 'application/json')]

function goingOn(option: OptionName, method: string, type: string): FuzzCase {
  const head = `${method} ${shopOf(option).path}/cart HTTP/1.1\r\nHost: a\r\nContent-Type: ${type}\r\n`
  const send: Part[] = [`${head}Transfer-Encoding: chunked\r\n\r\n`, ['1\r\na\r\n', TINY_CHUNKS], '0\r\n\r\n']
  const what = `${method} ${type}, and ${TINY_CHUNKS} chunks after the answer`
  return { option, kind: 'flood', what, send, goesOn: true }
}

/** Carts of the most lines that are accepted, in any writing; or with a mistake in each of them. */
function anyLarge(skus: string[]): fc.Arbitrary<FuzzCase> {
  return fc
    .tuple(fc.constantFrom('1' as const, '2A' as const), fc.nat(1), anyNumbers, anyReference, fc.nat(skus.length - 1))
    .map(([option, wrong, numbers, reference, from]) => {
      const quantity = wrong === 1 ? 10_000 : 1
      const skuOf = (i: number) => String(skus[(from + i) % skus.length])
      const items = Array.from({ length: MAX_ITEMS }, (_, i) => ({ sku: skuOf(i), quantity }))
      const choose = chooser(numbers)
      const request = requestOf(option, draftOf({ reference, currency: 'GBP', items }), false, choose)
      const answers = wrong === 1 ? [{ status: 400, lines: [] }] : [{ status: 200, lines: items }]
      const what = wrong === 1 ? 'a mistake in each line' : 'the most lines'
      return { option, kind: 'flood', what, send: [writeRequest(request, choose)], answers }
    })
}

/** One at a time. */
export function anyFlood(skus: string[]): fc.Arbitrary<FuzzCase> {
  const option = fc.constantFrom('1' as const, '2A' as const, '2B' as const)
  const repeating = fc.tuple(option, fc.nat(), fc.integer({ min: 0, max: 1000 })).map(([option, at, share]) => {
    const patterns = { '1': inJson, '2A': inBody, '2B': inQuery }[option]
    return flood(option, patterns[at % patterns.length] as Pattern, (share / 1000) * LIMIT[option])
  })
  const large = fc
    .tuple(fc.constantFrom('1' as const, '2A' as const), fc.nat(6))
    .map(([option, way]) => oversized(option, way))
  return fc.oneof(
    { weight: 10, arbitrary: repeating },
    { weight: 3, arbitrary: anyLarge(skus) },
    { weight: 2, arbitrary: large },
    { weight: 1, arbitrary: fc.constantFrom(...afterAnswer) }
  )
}

/** The largest bags of honest platforms. */
export function largestBags(reference: string): FuzzCase[] {
  const lines = Array.from({ length: MAX_ITEMS }, (_, i) => ({ sku: i % 2 === 0 ? 'MUG' : 'ソ-☕', quantity: 1 + i }))
  const plain = chooser([])
  return (['1', '2A'] as const).map(option => {
    const request = requestOf(option, draftOf({ reference, currency: 'GBP', items: lines }), false, plain)
    const answers = [{ status: 200, lines }]
    return { option, kind: 'valid', what: 'the largest bag', send: [writeRequest(request, plain)], answers }
  })
}

/** Chunks of one byte that a body may have (DECISIONS). */
const MAX_TINY_CHUNKS = 1000

/** Filler that changes no cart. */
const FILLER = { '1': ' ', '2A': '&' }

const items = [{ sku: 'MUG', quantity: 2 }]

/** A cart for each option with a body, padded to a thousand bytes, each in a chunk of its own. */
export function edgeCases(): FuzzCase[] {
  return (['1', '2A'] as const).map(option => {
    const cart = { reference: crypto.randomUUID().replaceAll('-', ''), currency: 'GBP', items }
    const { target, headers = [], body = '' } = requestOf(option, draftOf(cart), false, chooser([]))
    const fields = ['Host: a', ...headers, 'Transfer-Encoding: chunked'].map(line => `${line}\r\n`).join('')
    const chunks = [...body.padEnd(MAX_TINY_CHUNKS, FILLER[option])].map(byte => `1\r\n${byte}\r\n`).join('')
    const send = [`POST ${target} HTTP/1.1\r\n${fields}\r\n${chunks}0\r\n\r\n`]
    const what = 'as many chunks of one byte as are accepted'
    return { option, kind: 'valid', what, send, answers: [{ status: 200, lines: items }] }
  })
}
