// A merchant's receiver: a real HTTP server that records what arrives and responds as configured, or not at all.
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { openServer } from '../../listen.ts'
import type { Cleanup } from '../../server-process.ts'

export const SECRET = `whsec_${Buffer.from('a secret of at least 24 bytes').toString('base64')}`

export type Received = { method: string | undefined; headers: IncomingHttpHeaders; body: string }
export type Answer = (response: ServerResponse, received: Received) => void

export type Receiver = Awaited<ReturnType<typeof openReceiver>>

export const ok: Answer = response => response.writeHead(204).end()
export const status =
  (code: number, headers: Record<string, string> = {}): Answer =>
  response =>
    response.writeHead(code, headers).end('an answer that nobody keeps')
export const hang: Answer = () => {}
export const cut: Answer = response => response.destroy()

export async function openReceiver(t: Cleanup) {
  let answer = ok
  const received: Received[] = []
  const arrived: string[] = []
  const { origin, ...server } = await openServer(t, async (request, response) => {
    const body = (await request.toArray()).join('')
    const one = { method: request.method, headers: request.headers, body }
    received.push(one)
    response.on('finish', () => {
      if (response.statusCode < 300) arrived.push(JSON.parse(body).data.orderNumber)
    })
    answer(response, one)
  })
  return {
    ...server,
    webhook: { url: `${origin}/hooks?from=shop`, secret: SECRET },
    received,
    /** The order numbers that got a 2xx response, in order of arrival. */
    arrived,
    /** Sets the response to every request from now on. */
    answer: (next: Answer) => {
      answer = next
    }
  }
}
