// Requests to other servers. Node's own `fetch` ends the whole process if a server closes after its answer while that is read
// with pauses (nodejs/undici#5360).
import { type Agent, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'

/** Answers with a status below 200, such as Early Hints, before the one that counts: a server may send them without end. */
const MAX_INTERIM = 20

/** As much of `fetch` as is used here. Redirects are not followed. */
export type Fetch = (url: string | URL, options: FetchOptions) => Promise<Response>

type FetchOptions = {
  method?: string
  headers?: Record<string, string>
  body?: string
  /** Ends the request, and its answer, even if nobody reads that. */
  signal: AbortSignal
  /** What makes the connection, if not Node itself; it has to be one for the protocol of the address. */
  agent?: Agent
}

/** Those of Content-Encoding that are read. Not Brotli: each answer could take the 16 MiB of its window. */
const CODINGS = ['identity', 'gzip', 'x-gzip']

/** The statuses of answers without a body. */
const EMPTY = [204, 205, 304]
const ignore = () => {}

/** @throws the reason of `signal`, or a TypeError with a `cause`, as reading the body does, also if it is cut short */
export const httpFetch: Fetch = async (url, { method = 'GET', headers, body, signal, agent }) => {
  const explain = (cause: unknown) => (signal.aborted ? signal.reason : new TypeError('fetch failed', { cause }))
  const target = new URL(url)
  const request = target.protocol === 'https:' ? requestHttps : requestHttp
  const sent = { accept: '*/*', 'accept-encoding': 'gzip', ...headers }
  let incoming: IncomingMessage | undefined
  try {
    incoming = await new Promise<IncomingMessage>((resolve, reject) => {
      const outgoing = request(target, { method, headers: sent, signal, agent }, answer => {
        refuseTinyChunks(answer)
        // Where the end of the connection is that of the answer, Node takes a reset for it, too.
        outgoing.on('error', error => answer.destroy(error))
        resolve(answer)
      })
      outgoing.on('error', reject)
      // Aborted after its answer, Node no longer listens to the connection: its error would end the process.
      outgoing.on('socket', socket => socket.off('error', ignore).on('error', ignore))
      let interim = 0
      outgoing.on('information', () => {
        if (++interim > MAX_INTERIM) outgoing.destroy(Object.assign(new Error('too many'), { code: 'ERR_INTERIM' }))
      })
      // All that there is if the answer switches protocols.
      outgoing.on('close', () => reject(Object.assign(new Error('no answer'), { code: 'ECONNRESET' })))
      outgoing.end(body)
    })
    return responseOf(incoming, explain)
  } catch (error) {
    incoming?.destroy()
    throw explain(error)
  }
}

/** Chunks that any body may have, and how large those of a body with more are on average, in bytes. */
const FREE_CHUNKS = 1000
const MIN_AVERAGE = 16

/** @returns a function that takes the length of each chunk of a body, and says whether they are too many tiny ones by then */
export function chunkMeter(): (length: number) => boolean {
  let [chunks, bytes] = [0, 0]
  return length => {
    chunks++
    bytes += length
    return chunks > FREE_CHUNKS && bytes < chunks * MIN_AVERAGE
  }
}

/** Node calls `push` for each chunk: a million of them hold the loop for seconds. Whoever reads gets several as one. */
function refuseTinyChunks(answer: IncomingMessage): void {
  const push = answer.push.bind(answer)
  const areTiny = chunkMeter()
  answer.push = (chunk: Buffer | null) => {
    if (areTiny(chunk?.length ?? 0) && !answer.destroyed) {
      answer.destroy(Object.assign(new Error('tiny chunks'), { code: 'ERR_TINY_CHUNKS' }))
    }
    return push(chunk)
  }
}

function responseOf(incoming: IncomingMessage, explain: (cause: unknown) => unknown): Response {
  const headers = new Headers(
    Object.entries(incoming.headersDistinct).flatMap(([name, values = []]) =>
      values.map((value): [string, string] => [name, value])
    )
  )
  // What is beyond 599 counts as an error of the server (RFC 9110, section 15).
  const status = Math.min(Number(incoming.statusCode), 599)
  if (EMPTY.includes(status)) {
    if (incoming.complete) incoming.resume()
    else incoming.destroy()
    return new Response(null, { status, headers })
  }
  const coding = (headers.get('content-encoding') || 'identity').toLowerCase()
  if (!CODINGS.includes(coding)) {
    throw Object.assign(new Error(`unknown Content-Encoding: ${coding}`), { code: 'ERR_CONTENT_ENCODING' })
  }
  const decoder = coding === 'identity' ? undefined : createGunzip()
  const chunks = (decoder ? pipeline(incoming, decoder, () => {}) : incoming)[Symbol.asyncIterator]()
  const body = new ReadableStream<Uint8Array>(
    {
      pull: async controller => {
        try {
          const { done, value } = await chunks.next()
          if (done) controller.close()
          else controller.enqueue(value)
        } catch (error) {
          if (!incoming.complete || incoming.readableDidRead || incoming.errored) throw explain(error)
          // An empty body may be said to be packed, too.
          controller.close()
        }
      },
      cancel: async () => {
        // What is packed could be a thousand times as long.
        if (decoder || !incoming.complete) return void (decoder ?? incoming).destroy()
        // Read to its end, it leaves its connection to the next request.
        const next = () => chunks.next().catch(() => ({ done: true }))
        while (!(await next()).done);
      }
    },
    // Nothing is read before it is wanted.
    { highWaterMark: 0 }
  )
  return new Response(body, { status, headers })
}
