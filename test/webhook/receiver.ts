// A merchant's receiver: a real HTTP server that records what arrives and responds as configured, or not at all.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Cleanup } from '../server-process.ts'

export const SECRET = `whsec_${Buffer.from('a secret of at least 24 bytes').toString('base64')}`

export type Received = { method: string | undefined; headers: IncomingHttpHeaders; body: string }
export type Answer = (response: ServerResponse, received: Received) => void

export type Receiver = {
  webhook: { url: string; secret: string }
  received: Received[]
  /** The order numbers that got a 2xx response, in order of arrival. */
  arrived: string[]
  /** Sets the response to every request from now on. */
  answer: (answer: Answer) => void
  /** Stops listening: its port refuses connections. */
  disappear: () => Promise<void>
  /** Listens again on the same port. */
  comeBack: () => Promise<void>
}

export const ok: Answer = response => response.writeHead(204).end()
export const status =
  (code: number, headers: Record<string, string> = {}): Answer =>
  response =>
    response.writeHead(code, headers).end('an answer that nobody keeps')
export const hang: Answer = () => {}
export const cut: Answer = response => response.destroy()

export async function openReceiver(t: Cleanup): Promise<Receiver> {
  let answer = ok
  const received: Received[] = []
  const arrived: string[] = []
  const listen = async (port: number) => {
    const server = createServer(async (request, response) => {
      const body = (await request.toArray()).join('')
      const one = { method: request.method, headers: request.headers, body }
      received.push(one)
      response.on('finish', () => {
        if (response.statusCode < 300) arrived.push(JSON.parse(body).data.orderNumber)
      })
      answer(response, one)
    })
    await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve))
    return server
  }
  let server = await listen(0)
  const { port } = server.address() as AddressInfo
  const disappear = async () => {
    const closed = new Promise(resolve => server.close(resolve))
    server.closeAllConnections()
    await closed
  }
  t.teardown(disappear)
  return {
    webhook: { url: `http://127.0.0.1:${port}/hooks?from=shop`, secret: SECRET },
    received,
    arrived,
    answer: next => {
      answer = next
    },
    disappear,
    comeBack: async () => {
      server = await listen(port)
    }
  }
}
