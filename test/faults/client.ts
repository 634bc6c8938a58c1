// A client as apps and platforms have it: over a connection that is kept, or with a connection for each request. It never
// sends anything twice by itself.
import { Agent, type IncomingHttpHeaders, request } from 'node:http'

export type Answer = { status: number; headers: IncomingHttpHeaders; body: string }

export type Sent = { method: string; path: string; headers?: Record<string, string>; body?: string }

export type Client = {
  /** Resolves once the answer is there as a whole. @throws NotAnswered */
  ask: (sent: Sent) => Promise<Answer>
  close: () => void
}

/** The connection broke before the answer was there, or the server took too long. */
export class NotAnswered extends Error {
  /** Whether the server cannot have had the request: it did not even take the connection. */
  readonly isUnsent: boolean
  /** Whether the server had the connection and did not use it. */
  readonly isLate: boolean

  constructor(cause: NodeJS.ErrnoException) {
    super(cause.message)
    this.isUnsent = cause.code === 'ECONNREFUSED'
    this.isLate = cause instanceof NoAnswer
  }
}

class NoAnswer extends Error {}

/** Longer than the server lets anything wait, in milliseconds. */
const PATIENCE = 30_000

export const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

export function openClient(origin: string, { keepAlive = true }: { keepAlive?: boolean } = {}): Client {
  const agent = new Agent({ keepAlive, maxSockets: Number.POSITIVE_INFINITY })
  const ask = ({ method, path, headers = {}, body = '' }: Sent) =>
    new Promise<Answer>((resolve, reject) => {
      const lengths = method === 'POST' ? { 'content-length': Buffer.byteLength(body) } : {}
      const url = new URL(path, origin)
      const sending = request(
        url,
        { method, agent, headers: { ...headers, ...lengths }, timeout: PATIENCE },
        response => {
          const chunks: Buffer[] = []
          response
            .on('data', chunk => chunks.push(chunk))
            .on('error', error => reject(new NotAnswered(error)))
            .on('end', () => {
              const { statusCode: status = 0, headers } = response
              resolve({ status, headers, body: Buffer.concat(chunks).toString() })
            })
        }
      )
      sending
        .on('timeout', () => sending.destroy(new NoAnswer(`no answer in ${PATIENCE / 1000} s`)))
        .on('error', error => reject(new NotAnswered(error)))
        .end(body)
    })
  return { ask, close: () => agent.destroy() }
}
