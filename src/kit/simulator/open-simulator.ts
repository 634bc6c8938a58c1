// The other side in this server, loaded only if it is on: the simulator's pages, the failures of its requests, reports about its
// orders, and a page at `/` for whoever opens the address of the server on this machine.
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { isLoopback } from '../../integrations/destination/shop-page.ts'
import { OPENAPI_PATH, ORDERS_PATH, takesJson } from '../../merchant/merchant.ts'
import { receivedHeaders } from '../client/send-request.ts'
import { openFaultInjection, type SeenMessage } from '../fault-injection/fault-injection.ts'
import { PAGE_HEADERS, type SimulatorOptions, sendView, simulator } from './simulator.ts'

type OpenOptions = Pick<SimulatorOptions, 'key' | 'isExposed'> & {
  /** Where its pages are. */
  path: string
  faults?: SimulatorOptions['faults']
}

export function openSimulator({ path, faults = openFaultInjection(), ...options }: OpenOptions) {
  return {
    /** Parts that behave as before for everybody else. */
    inject: faults.inject,
    /** Sees what servers tell each other about the simulator's orders. */
    watch: faults.watch,
    plugin: fp<Omit<SimulatorOptions, 'key' | 'isExposed' | 'faults'>>(async (app, parts) => {
      watchMessages(app, { ...options, ...parts, faults })
      if (!options.isExposed) serveStartPage(app, { ...options, ...parts, faults })
      await app.register(simulator, { ...options, ...parts, faults, prefix: path })
    })
  }
}

function watchMessages(app: FastifyInstance, { faults, merchants, ownOrigin }: SimulatorOptions): void {
  const reports = new Map(merchants.map(({ merchant: { id, path } }) => [path + ORDERS_PATH, id]))
  app.addHook('preHandler', ({ raw }, _reply, done) => faults.play(raw.socket, done))
  app.addHook('onSend', (request, reply, payload, done) => {
    const { body, url, method, raw } = request
    if (method !== 'POST') return done(null, payload)
    const message = (kind: SeenMessage['kind']): SeenMessage => {
      const sent = { method, url: ownOrigin() + url, headers: receivedHeaders(raw), body: String(body) }
      const headers = Object.entries(reply.getHeaders()).map(([name, value]) => ({ name, value: String(value) }))
      const answer = { status: reply.statusCode, headers, body: String(payload ?? '') }
      const milliseconds = reply.elapsedTime
      return { kind, request: sent, answer, began: performance.now() - milliseconds, milliseconds }
    }
    const id = reports.get(url)
    if (id !== undefined && reply.statusCode < 300) {
      faults.reported(id, JSON.parse(String(body)).reference, message('report'))
    }
    faults.notified(body, () => message('notification'))
    done(null, payload)
  })
}

/** For everybody else nothing is at this address. */
function serveStartPage(app: FastifyInstance, { merchants, ownOrigin }: SimulatorOptions): void {
  app.get('/', async ({ raw }, reply) => {
    if (!isFromHere(raw)) return reply.callNotFound()
    const shops = merchants.map(({ merchant }) => {
      const { id, name, option, origin = ownOrigin(), path, transfer } = merchant
      const openApi = takesJson(merchant) ? path + OPENAPI_PATH : undefined
      return { id, name, option, url: origin + path + transfer.path, openApi }
    })
    const policy = PAGE_HEADERS['content-security-policy'].replace("style-src 'self'", "style-src 'unsafe-inline'")
    const headers = { ...PAGE_HEADERS, 'content-security-policy': policy, 'cache-control': 'no-store' }
    return sendView(reply, 'start', { shops }, headers)
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
