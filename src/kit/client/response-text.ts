// Decodes the body of a response to text as a browser does: decompressed, and in its character set.
import { brotliDecompressSync, unzipSync } from 'node:zlib'
import { headerValue, MAX_RESPONSE_BYTES, type WebResponse } from './send-request.ts'

type EncodedBody = Pick<WebResponse, 'headers' | 'body'>

/** How far into a page browsers search for a character set, in bytes. */
const SNIFFED_BYTES = 1024

const CHARSET = /charset\s*=\s*["']?([^"'\s;/>]+)/i

/** In hexadecimal. A byte order mark takes precedence over any declared character set. */
const BYTE_ORDER_MARKS: [mark: string, charset: string][] = [
  ['efbbbf', 'utf-8'],
  ['feff', 'utf-16be'],
  ['fffe', 'utf-16le']
]

/** The body in the character set of its byte order mark, its Content-Type or its <meta>; UTF-8 if none is known. */
export function responseText(response: EncodedBody): string {
  const body = decompress(response)
  try {
    return new TextDecoder(charsetOf(response.headers, body)).decode(body)
  } catch {
    return new TextDecoder().decode(body)
  }
}

function charsetOf(headers: WebResponse['headers'], body: Uint8Array): string {
  const start = Buffer.from(body.subarray(0, SNIFFED_BYTES))
  const [, marked] = BYTE_ORDER_MARKS.find(([mark]) => start.toString('hex').startsWith(mark)) ?? []
  const type = headerValue(headers, 'content-type') ?? ''
  const metas = /html/i.test(type) ? (start.toString('latin1').match(/<meta[^>]*>/gi) ?? []) : []
  const [declared] = [type, ...metas].flatMap(text => CHARSET.exec(text)?.[1] ?? [])
  return marked ?? declared ?? 'utf-8'
}

/** Some servers compress without being asked to. A body that cannot be decompressed is returned as is. */
function decompress({ headers, body }: EncodedBody): Uint8Array {
  const coding = headerValue(headers, 'content-encoding')?.trim().toLowerCase()
  const options = { maxOutputLength: MAX_RESPONSE_BYTES }
  try {
    if (coding === 'br') return brotliDecompressSync(body, options)
    return coding === 'gzip' || coding === 'x-gzip' || coding === 'deflate' ? unzipSync(body, options) : body
  } catch {
    return body
  }
}
