// What the simulator does besides its own pages: failures of its requests, reports about its orders, and a page at `/` for
// whoever opens the address of the server on this machine.
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { isLoopback } from '../../integrations/destination/shop-page.ts'
import { OPENAPI_PATH, ORDERS_PATH, takesJson } from '../../merchant/merchant.ts'
import { receivedHeaders } from '../client/send-request.ts'
import type { SeenMessage } from '../fault-injection/fault-injection.ts'
import { PAGE_HEADERS, type SimulatorOptions } from './simulator.ts'

export function watchSimulated(app: FastifyInstance, options: SimulatorOptions): void {
  const { rehearsal, merchants, ownOrigin, isExposed } = options
  app.addHook('preHandler', ({ raw }, _reply, done) => rehearsal.play(raw.socket, done))
  app.addHook('onSend', (request, reply, payload, done) => {
    const { body, url, method, raw } = request
    const { id } = merchants.find(({ merchant }) => url === merchant.path + ORDERS_PATH)?.merchant ?? {}
    const message = (kind: SeenMessage['kind']): SeenMessage => {
      const sent = { method, url: ownOrigin() + url, headers: receivedHeaders(raw), body: String(body) }
      const headers = Object.entries(reply.getHeaders()).map(([name, value]) => ({ name, value: String(value) }))
      const answer = { status: reply.statusCode, headers, body: String(payload ?? '') }
      const milliseconds = reply.elapsedTime
      return { kind, request: sent, answer, began: performance.now() - milliseconds, milliseconds }
    }
    if (id !== undefined && reply.statusCode < 300) {
      rehearsal.reported(id, JSON.parse(String(body)).reference, message('report'))
    }
    rehearsal.notified(body, () => message('notification'))
    done(null, payload)
  })
  if (isExposed) return
  app.addConstraintStrategy({ name: 'fromHere', storage: () => new Map(), deriveConstraint: isFromHere })
  app.get('/', { constraints: { fromHere: true } }, async (_request, reply) => {
    const shops = merchants.map(({ merchant }) => {
      const { id, name, option, origin = ownOrigin(), path, transfer } = merchant
      const openApi = takesJson(merchant) ? path + OPENAPI_PATH : undefined
      return { id, name, option, url: origin + path + transfer.path, openApi }
    })
    const policy = PAGE_HEADERS['content-security-policy'].replace("style-src 'self'", "style-src 'unsafe-inline'")
    reply.headers({ ...PAGE_HEADERS, 'content-security-policy': policy, 'cache-control': 'no-store' })
    return reply.viewAsync('simulator/start', { shops })
  })
}

/** What proxies add. */
const FORWARDED = /^(forwarded|via|x-forwarded-.*|x-real-ip|.*client-ip|.*connecting-ip)$/

/**
 * Whether a request comes from this machine, as far as it tells, and asks for this machine: a site of others whose name leads
 * here says that name. A proxy may say nothing of all this, so what it leads to has no key.
 */
export function isFromHere({ socket, headers }: IncomingMessage): boolean {
  const from = String(socket.remoteAddress).replace('::ffff:', '')
  const asked = URL.parse(`http://${headers.host}`)?.hostname ?? ''
  return isLoopback(from) && isLoopback(asked) && !Object.keys(headers).some(name => FORWARDED.test(name))
}
