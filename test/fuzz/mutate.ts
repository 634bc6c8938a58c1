// Damage: bytes changed, lost, repeated, or replaced by what parsers stumble over; and whole messages that are no HTTP.
import fc from 'fast-check'
import { bytesOf, type FuzzCase } from './fuzz-case.ts'
import { shopOf } from './write-request.ts'

/** What is put in, and where it is put, by numbers of any size. */
export type Damage = [way: number, at: number, with_: number]

const TOKENS = [
  ...['%', '%00', '\0', '%C0%AF', '%ED%A0%80', '\xc0\xaf', '\xed\xa0\x80', '\xff', '\xef\xbb\xbf', '+', '&', '=', ';'],
  ...['[]', 'items[0][sku]=', 'item_0_sku=MUG&', 'currency=GBP&', '__proto__', 'constructor', '[__proto__]'],
  ...['"__proto__":1,', '"sku":"MUG",', '"quantity":1,', '"items":[],', '\\ud800', '\\u0000', '\\', '"', '{', '}', '['],
  ...[']', ',', ':', 'null', '1e999', '-', '.', '0', '9999999999999999999999', 'NaN', '\r\n', '\n', '\r', '\t', ' '],
  ...['\r\n\r\n', '?', '#', '/', '..']
]
/** What ends a head too early, or says two things about where a body ends. */
const FRAMING = [
  ...['Transfer-Encoding: chunked', 'Transfer-Encoding: chunked, identity', 'Transfer-Encoding: x'],
  ...['transfer-encoding:chunked', 'Content-Length: 0', 'Content-Length: 5', 'Content-Length: -1'],
  ...['Content-Length: +5', 'Content-Length: 5, 5', 'Content-Length: 99999999999999999999', 'Content-Length: 0x5'],
  ...['Content-Length:', 'Content-Length : 5', ' Host: a', 'Host: a', 'Host:', 'Host: a b', 'Connection: close'],
  ...['Connection: upgrade', 'Upgrade: websocket', 'Upgrade: h2c', 'Expect: 100-continue', 'Expect: x', 'X: \0'],
  ...['X: \x7f', ': x', 'X', '\x80: x', 'X: a\rb', `X: ${'y'.repeat(70_000)}`]
]
const START_LINES = [
  ...['GET / HTTP/1.0', 'GET / HTTP/2.0', 'GET / HTTP/9.9', 'GET /', 'get / HTTP/1.1', 'CONNECT a:1 HTTP/1.1'],
  ...['OPTIONS * HTTP/1.1', 'PRI * HTTP/2.0', 'GET  / HTTP/1.1', 'GET /\t HTTP/1.1', 'GET http:// HTTP/1.1'],
  ...['GET //x/y HTTP/1.1', 'GET /%ff HTTP/1.1', 'GET /one/checkout/%00 HTTP/1.1', 'GET /two-b/cart?\xff HTTP/1.1'],
  ...['GET /../../etc/passwd HTTP/1.1', 'HTTP/1.1 200 OK', 'GET /two-b/pictures/..%2f..%2fshop.json HTTP/1.1'],
  ...['GET * HTTP/1.1', 'POST /one/cart HTTP/1.1', 'GET /healthz HTTP/1.1']
]
const CHUNKS = [
  ...['0\r\n\r\n', '5\r\nabcde\r\n0\r\n\r\n', '5\r\nabcdef\r\n0\r\n\r\n', 'g\r\n', '-1\r\n', 'ffffffffffffffffff\r\n'],
  ...['5\nabcde\n0\n\n', '5;a="\r\n"\r\nabcde\r\n', '0\r\nContent-Length: 5\r\n\r\n', '5', '0x5\r\nabcde\r\n'],
  ...[' 5\r\nabcde\r\n', '7fffffff\r\na', '5\r\n\r\n']
]

export function mutate(text: string, damage: Damage[]): string {
  let changed = text
  for (const [way, where, with_] of damage) {
    const at = where % (changed.length + 1)
    const [before, after] = [changed.slice(0, at), changed.slice(at)]
    const byte = String.fromCharCode(with_ % 256)
    const length = 1 + (with_ % 9)
    const ways = [
      () => before + TOKENS[with_ % TOKENS.length] + after,
      () => before + byte + after.slice(1),
      () => before + byte + after,
      () => before + after.slice(length),
      () => before + after.slice(0, length) + after,
      () => before
    ]
    changed = (ways[way % ways.length] as () => string)()
  }
  return changed
}

/** Bytes on a socket, in no valid frame: a damaged request, one with a header too many, tricks with chunks, noise. */
export function anyRawBytes(request: fc.Arbitrary<FuzzCase>): fc.Arbitrary<FuzzCase> {
  const changes = fc.array(fc.tuple(fc.nat(), fc.nat(), fc.nat()), { minLength: 1, maxLength: 5 })
  const text = request.map(one => bytesOf(one).toString('latin1'))
  const written: fc.Arbitrary<[what: string, bytes: string]>[] = [
    fc.tuple(text, changes).map(([text, damage]) => ['a damaged message', mutate(text, damage)]),
    fc
      .tuple(text, fc.constantFrom(...FRAMING))
      .map(([text, header]) => [`with ${header.slice(0, 40)}`, text.replace('\r\n', `\r\n${header}\r\n`)]),
    fc
      .tuple(fc.constantFrom(...START_LINES), fc.constantFrom('', 'Host: a\r\n'), fc.constantFrom('\r\n', '\n', '\r'))
      .map(([line, host, end]) => [line, `${line}${end}${host}\r\n`]),
    fc
      .tuple(fc.constantFrom(...['1', '2A', '2B'].map(shopOf)), fc.array(fc.constantFrom(...CHUNKS), { maxLength: 4 }))
      .map(([{ path, contentType }, chunks]) => {
        const head = `POST ${path}/cart HTTP/1.1\r\nHost: a\r\nContent-Type: ${contentType}\r\n`
        return ['chunks', `${head}Transfer-Encoding: chunked\r\n\r\n${chunks.join('')}`]
      }),
    fc.uint8Array({ minLength: 1, maxLength: 200 }).map(bytes => ['noise', Buffer.from(bytes).toString('latin1')])
  ]
  return fc
    .tuple(
      fc.constantFrom('1' as const, '2A' as const, '2B' as const),
      fc.oneof(...written),
      fc.integer({ min: 1, max: 4 })
    )
    .map(([option, [what, bytes], pieces]) => ({ option, kind: 'raw bytes', what, send: [bytes], pieces }))
}
