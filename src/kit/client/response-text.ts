// The body of an answer as text, as a browser reads it: unpacked, and in its character set.
import { brotliDecompressSync, unzipSync } from 'node:zlib'
import { headerValue, MAX_RESPONSE, type WebResponse } from './send-request.ts'

type Body = Pick<WebResponse, 'headers' | 'body'>

/** How far into a page a browser looks for a character set, in bytes. */
const HEAD = 1024

const NAMED = /charset\s*=\s*["']?([^"'\s;/>]+)/i

/** Marks at the start of a body, which go before anything that is said elsewhere. */
const MARKS: [mark: string, charset: string][] = [
  ['efbbbf', 'utf-8'],
  ['feff', 'utf-16be'],
  ['fffe', 'utf-16le']
]

/** The body as text: in the character set of its mark, its Content-Type or its <meta>, in UTF-8 where none is known. */
export function responseText(answer: Body): string {
  const body = unpacked(answer)
  try {
    return new TextDecoder(charsetOf(answer.headers, body)).decode(body)
  } catch {
    return new TextDecoder().decode(body)
  }
}

function charsetOf(headers: WebResponse['headers'], body: Uint8Array): string {
  const start = Buffer.from(body.subarray(0, HEAD))
  const [, marked] = MARKS.find(([mark]) => start.toString('hex').startsWith(mark)) ?? []
  const type = headerValue(headers, 'content-type') ?? ''
  const metas = /html/i.test(type) ? (start.toString('latin1').match(/<meta[^>]*>/gi) ?? []) : []
  const [named] = [type, ...metas].flatMap(text => NAMED.exec(text)?.[1] ?? [])
  return marked ?? named ?? 'utf-8'
}

/** Nothing was asked for packed, but some servers pack all the same; what cannot be unpacked stays as it came. */
function unpacked({ headers, body }: Body): Uint8Array {
  const coding = headerValue(headers, 'content-encoding')?.trim().toLowerCase()
  const options = { maxOutputLength: MAX_RESPONSE }
  try {
    if (coding === 'br') return brotliDecompressSync(body, options)
    return coding === 'gzip' || coding === 'x-gzip' || coding === 'deflate' ? unzipSync(body, options) : body
  } catch {
    return body
  }
}
