// Sends one web request over HTTP exactly as written, and returns the complete response: nothing is followed, added,
// joined or decoded on the way. Its text is read as a browser reads it, and its certificate is checked.
import { hash } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP, type Socket } from 'node:net'
import { connect } from 'node:tls'
import { brotliDecompressSync, unzipSync } from 'node:zlib'
import { OperatorError } from '../../errors.ts'
import { TRANSPORT_HEADERS } from '../../transfer/curl-command.ts'
import type { WebRequest } from '../../transfer/option.ts'

/** Headers in the order received, the body as bytes, the time until it was complete in milliseconds. */
export type WebResponse = {
  url: string
  status: number
  statusText: string
  headers: WebRequest['headers']
  body: Uint8Array
  milliseconds: number
}

export type SendRequestOptions = {
  /** Scheme, host and port to connect to instead of those of the URL; `Host` is still that of the URL. */
  connectTo?: string
  /** How long the complete response may take, in milliseconds. */
  timeout?: number
  /** How long to wait in the middle of the body, or before a request without one, in milliseconds. */
  pause?: number
  /** Called with the connection before anything is sent. */
  onConnect?: (socket: Socket) => void
}

/** Longer than any shopper would wait, in milliseconds. */
const TIMEOUT = 30_000

/** Larger than any checkout page, in bytes. */
const MAX_RESPONSE_BYTES = 20 * 1024 * 1024

export class NoResponseError extends OperatorError {}

export function withoutTransportHeaders(request: WebRequest): WebRequest {
  return { ...request, headers: request.headers.filter(({ name }) => !TRANSPORT_HEADERS.includes(name.toLowerCase())) }
}

/** The request with the headers that the client sets itself, such as the host and the length of the body. */
export function withTransportHeaders(request: WebRequest): WebRequest {
  const { url, method, body } = request
  const hasLength = body !== undefined || !['GET', 'HEAD'].includes(method.toUpperCase())
  return {
    ...request,
    headers: [
      { name: 'Host', value: new URL(url).host },
      ...withoutTransportHeaders(request).headers,
      ...(hasLength ? [{ name: 'Content-Length', value: String(Buffer.byteLength(body ?? '')) }] : []),
      { name: 'Connection', value: 'close' }
    ]
  }
}

/** @throws NoResponseError if there is no complete response, or it is too large */
export async function sendRequest(
  request: WebRequest,
  { connectTo, timeout = TIMEOUT, pause = 0, onConnect = () => {} }: SendRequestOptions = {}
): Promise<WebResponse> {
  const { url, method, body } = request
  const { headers } = withTransportHeaders(request)
  const target = new URL(connectTo ?? url)
  const host = hostOf(new URL(url))
  const started = performance.now()
  const signal = AbortSignal.timeout(timeout)
  const responding = new Promise<IncomingMessage>((resolve, reject) => {
    const outgoing = (target.protocol === 'https:' ? requestHttps : requestHttp)(
      {
        host: hostOf(target),
        port: target.port,
        servername: isIP(host) ? '' : host,
        method,
        path: pathOf(url),
        headers: headers.flatMap(({ name, value }) => [name, value]),
        agent: false,
        signal
      },
      resolve
    )
    // For these, Node emits the socket instead of a response, and the promise would never settle.
    for (const event of ['upgrade', 'connect'] as const) {
      outgoing.on(event, ({ statusCode }, socket) => {
        socket.destroy()
        reject(new Error(`the response ${statusCode} switches protocols, so there is no page`))
      })
    }
    outgoing.on('error', reject)
    outgoing.on('socket', socket => socket.once('connect', () => onConnect(socket)))
    if (pause === 0) return outgoing.end(body)
    const bytes = Buffer.from(body ?? '')
    const half = bytes.length >> 1
    if (half > 0) outgoing.write(bytes.subarray(0, half))
    setTimeout(() => outgoing.end(bytes.subarray(half)), pause)
  })
  try {
    const response = await responding
    return {
      url,
      status: Number(response.statusCode),
      statusText: String(response.statusMessage),
      headers: receivedHeaders(response),
      body: await readBody(response),
      milliseconds: performance.now() - started
    }
  } catch (error) {
    if (error instanceof NoResponseError) throw error
    if (signal.aborted) throw new NoResponseError(`no complete response within ${timeout / 1000} s`)
    const { message, code = '' } = error as NodeJS.ErrnoException
    throw new NoResponseError(IN_WORDS[code]?.(target) ?? (message || code))
  }
}

/** In the order received. */
export function receivedHeaders({ rawHeaders }: IncomingMessage): WebRequest['headers'] {
  return rawHeaders.flatMap((name, i) => (i % 2 === 0 ? { name, value: String(rawHeaders[i + 1]) } : []))
}

/** By code, as the message is empty if a name has several addresses. */
const IN_WORDS: Record<string, (target: URL) => string> = {
  ECONNREFUSED: ({ origin }) => `nothing listens at ${origin}; start the site, or correct the address`,
  ENOTFOUND: ({ hostname }) => `there is no host named ${hostname}; correct the address`,
  ECONNRESET: ({ origin }) => `${origin} closed the connection without a complete response`
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '')
}

/** Path and query exactly as written; `new URL` would normalise them. */
function pathOf(url: string): string {
  const path = url.replace(/^\w+:\/\/[^/?#]*/, '').replace(/#.*/s, '')
  return path.startsWith('/') ? path : `/${path}`
}

async function readBody(response: IncomingMessage): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response) {
    size += chunk.length
    if (size > MAX_RESPONSE_BYTES) throw new NoResponseError(`the response is larger than ${MAX_RESPONSE_BYTES} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** The value of a header, comma-joined if it is repeated; undefined if absent. */
export function headerValue(headers: WebRequest['headers'], name: string): string | undefined {
  const found = headers.filter(header => header.name.toLowerCase() === name.toLowerCase())
  return found.length > 0 ? found.map(({ value }) => value).join(', ') : undefined
}

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
export function responseText(response: Pick<WebResponse, 'headers' | 'body'>): string {
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
function decompress({ headers, body }: Pick<WebResponse, 'headers' | 'body'>): Uint8Array {
  const coding = headerValue(headers, 'content-encoding')?.trim().toLowerCase()
  const options = { maxOutputLength: MAX_RESPONSE_BYTES }
  try {
    if (coding === 'br') return brotliDecompressSync(body, options)
    return coding === 'gzip' || coding === 'x-gzip' || coding === 'deflate' ? unzipSync(body, options) : body
  } catch {
    return body
  }
}

export function untrusted(origin: string, reason: string): OperatorError {
  return new OperatorError(
    `the certificate of ${origin} is not trusted (${reason}), so nothing was judged. If it comes from an authority of your own, name that authority's certificate (a PEM file): NODE_EXTRA_CA_CERTS=authority.pem npm run conform -- …`
  )
}

/**
 * The key of a site's certificate, if Node trusts that. Chromium reads neither NODE_EXTRA_CA_CERTS nor Node's other
 * settings, so it has to be told.
 * @param limit how long the connection may take, in milliseconds
 * @returns the SHA-256 of the public key (SPKI) in base64, as Chromium lists keys; undefined without TLS or connection
 * @throws OperatorError if the certificate is not trusted
 */
export async function verifiedKey(url: string, limit: number): Promise<string | undefined> {
  const address = new URL(url)
  if (address.protocol !== 'https:') return undefined
  const host = hostOf(address)
  const servername = isIP(host) ? '' : host
  const socket = connect({ host, port: Number(address.port || 443), servername, rejectUnauthorized: false })
  // The first request will meet whatever goes wrong here, too, and say so.
  await once(socket, 'secureConnect', { signal: AbortSignal.timeout(limit) }).catch(() => undefined)
  const key = socket.getPeerX509Certificate()?.publicKey
  const { authorized, authorizationError } = socket
  socket.destroy()
  if (!key) return undefined
  if (!authorized) throw untrusted(address.origin, String(authorizationError))
  return hash('sha256', key.export({ type: 'spki', format: 'der' }), 'base64')
}
