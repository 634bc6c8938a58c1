// Sends one web request over HTTP, byte for byte as it stands, and gives back the answer whole: no client in between
// follows, adds, joins or decodes anything.
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { OperatorError } from '../../errors.ts'
import type { WebRequest } from '../../transfer/option.ts'

export type Header = { name: string; value: string }

/** What came back: headers in the order sent, the body as bytes, the time until it was whole in milliseconds. */
export type WebResponse = {
  url: string
  status: number
  statusText: string
  headers: Header[]
  body: Uint8Array
  milliseconds: number
}

export type SendRequestOptions = {
  /** Scheme, host and port to connect to in place of those of the URL, which stands in `Host` all the same. */
  connectTo?: string
  /** How long the whole answer may take, in milliseconds. */
  timeout?: number
}

/** Nothing that a shopper would wait for takes longer, in milliseconds. */
const TIMEOUT = 30_000

/** No page of a checkout is larger, in bytes. */
export const MAX_RESPONSE = 20 * 1024 * 1024

/** The request was not answered: why, in words for whoever sent it. */
export class NoResponse extends OperatorError {}

/** The headers that whoever sends a request writes, whatever else it carries. */
export const TRANSPORT_HEADERS = ['host', 'content-length', 'connection', 'transfer-encoding']

/** What stands in the request beside its own headers: the host, and the length of the body. */
export function withTransportHeaders({ url, method, headers, body }: WebRequest): WebRequest {
  const own = [{ name: 'Host', value: new URL(url).host }]
  const length = [{ name: 'Content-Length', value: String(Buffer.byteLength(body ?? '')) }]
  const isFree = ({ name }: Header) => !TRANSPORT_HEADERS.includes(name.toLowerCase())
  const hasLength = body !== undefined || !['GET', 'HEAD'].includes(method.toUpperCase())
  return {
    url,
    method,
    headers: [...own, ...headers.filter(isFree), ...(hasLength ? length : []), { name: 'Connection', value: 'close' }],
    ...(body !== undefined && { body })
  }
}

/**
 * Sends a request as it stands.
 * @throws NotAnswered when there is no answer, or one that is too large
 */
export async function sendRequest(
  request: WebRequest,
  { connectTo, timeout = TIMEOUT }: SendRequestOptions = {}
): Promise<WebResponse> {
  const { url, method, body } = request
  const { headers } = withTransportHeaders(request)
  const target = new URL(connectTo ?? url)
  const started = performance.now()
  const signal = AbortSignal.timeout(timeout)
  const notAnswered = (error: Error & { code?: string }) =>
    new NoResponse(
      signal.aborted
        ? `no whole answer within ${timeout / 1000} s`
        : // Where a name has several addresses, the code alone says what went wrong with them.
          [error.message, error.code].filter(Boolean).join(' ')
    )
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = (target.protocol === 'https:' ? requestHttps : requestHttp)(
      {
        host: target.hostname.replace(/^\[|\]$/g, ''),
        port: target.port,
        servername: new URL(url).hostname,
        method,
        path: pathOf(url),
        headers: headers.flatMap(({ name, value }) => [name, value]),
        agent: false,
        signal
      },
      resolve
    )
    // What Node hands over with its socket instead of answering; nothing else would ever end.
    for (const event of ['upgrade', 'connect'] as const) {
      sent.on(event, ({ statusCode }, socket) => {
        socket.destroy()
        reject(new Error(`the answer ${statusCode} changes the protocol, and no page follows`))
      })
    }
    sent.on('error', reject)
    sent.end(body)
  }).catch(error => {
    throw notAnswered(error)
  })
  const received = await readBody(response).catch(error => {
    throw error instanceof NoResponse ? error : notAnswered(error)
  })
  return {
    url,
    status: Number(response.statusCode),
    statusText: String(response.statusMessage),
    headers: pairs(response.rawHeaders),
    body: received,
    milliseconds: performance.now() - started
  }
}

/** Path and query exactly as written; a URL object would tidy them up. */
function pathOf(url: string): string {
  const path = url.replace(/^\w+:\/\/[^/?#]*/, '').replace(/#.*/s, '')
  return path.startsWith('/') ? path : `/${path}`
}

async function readBody(response: IncomingMessage): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response) {
    size += chunk.length
    if (size > MAX_RESPONSE) throw new NoResponse(`the answer is larger than ${MAX_RESPONSE} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function pairs(raw: string[]): Header[] {
  return raw.flatMap((name, i) => (i % 2 === 0 ? { name, value: String(raw[i + 1]) } : []))
}

/** The value of a header, those of one name joined as HTTP has it; undefined where it is absent. */
export function headerValue(headers: Header[], name: string): string | undefined {
  const found = headers.filter(header => header.name.toLowerCase() === name.toLowerCase())
  return found.length > 0 ? found.map(({ value }) => value).join(', ') : undefined
}
