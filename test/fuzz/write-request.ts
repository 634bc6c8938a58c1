// Writes an HTTP/1.1 request in any of the ways that RFC 9112 allows.

import { transferOptions } from '../../src/transfer/index.ts'
import { type Choose, pick } from './choices.ts'

/** The paths of the merchants, which kept cases name; that of another option is made of its name. */
const PATHS: Record<string, string> = { '1': '/one', '2A': '/two-a', '2B': '/two-b' }

export type Shop = { path: string; contentType?: string }

/** The merchant of an option, and how its carts arrive. */
export function shopOf(option: string): Shop {
  const { encoding } = transferOptions.find(({ name }) => name === option) as (typeof transferOptions)[0]
  const path = PATHS[option] ?? `/by-${option.toLowerCase()}`
  return { path, ...(encoding !== 'query' && { contentType: encoding }) }
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
  ...[
    'Accept: text/html',
    'Accept: application/json',
    'Accept: */*;q=0.1',
    'Accept-Language: de',
    'Accept-Language: ar,*;q=0'
  ],
  ...[
    'Accept-Language: zz-ZZ-x-y;q=9, ,;,en',
    'Accept-Encoding: gzip, br',
    'Origin: null',
    'Origin: https://evil.example'
  ],
  ...[
    'Sec-Fetch-Site: cross-site',
    'Referer: about:blank',
    'Cookie: token=x; __proto__=1; =; ;',
    '__proto__: polluted'
  ],
  ...['constructor: polluted', 'X-Forwarded-For: 127.0.0.1', 'X-HTTP-Method-Override: DELETE', 'User-Agent: \x80\xff'],
  ...[
    'Range: bytes=0-1',
    'If-None-Match: *',
    'If-Modified-Since: Thu, 01 Jan 1970 00:00:00 GMT',
    'Forwarded: for="_x"'
  ],
  ...[
    'Content-Encoding: identity',
    'Expect: 100-continue',
    'Connection: keep-alive',
    'TE: trailers',
    `X-Long: ${'x'.repeat(2000)}`
  ]
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
    const line = pick(choose, [
      digits,
      digits.toUpperCase(),
      digits.padStart(8, '0'),
      `${digits};a=b`,
      `${digits};a="b"`
    ])
    written += `${line}\r\n${body.slice(at, at + size)}\r\n`
    at += size
  }
  return `${written}${pick(choose, ['0', '000', '0;a'])}\r\n${pick(choose, ['', '', 'X-Trailer: 1\r\n'])}\r\n`
}
