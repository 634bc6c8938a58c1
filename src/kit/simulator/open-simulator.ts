// The other side in this server, loaded only if it is on: the simulator's pages, the failures of its requests, reports about its
// orders, and a page at `/` for whoever opens the address of the server on this machine.
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, onSendHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import { isLoopback } from '../../integrations/destination/shop-page.ts'
import { isWithin, OPENAPI_PATH, ORDERS_PATH, PAYMENTS_PATH, takesJson } from '../../merchant/merchant.ts'
import { receivedHeaders } from '../client/send-request.ts'
import {
  type FaultInjection,
  type InjectedParts,
  openFaultInjection,
  type SeenMessage
} from '../fault-injection/fault-injection.ts'
import { type SimulatorOptions, simulator } from './simulator.ts'
import { PAGE_HEADERS, sendView } from './simulator-page.ts'

type OpenOptions = Pick<SimulatorOptions, 'key' | 'isExposed'> & {
  /** Where its pages are. */
  path: string
  faults?: FaultInjection
}

type Parts = Pick<SimulatorOptions, 'merchants' | 'clock' | 'ownOrigin'> & {
  store: InjectedParts['store']
  buildTwin: (changes: InjectedParts & { simulator: ReturnType<typeof playFaults> }) => Promise<FastifyInstance>
}

export function openSimulator({ path, faults = openFaultInjection(), ...options }: OpenOptions) {
  return {
    /** Sees what servers tell each other about the simulator's orders. */
    watch: faults.watch,
    watchGateways: faults.watchGateways,
    plugin: fp<Parts>(async (app, { store, buildTwin, ...parts }) => {
      // What it plays happens in an app of its own, opened by the first cart: it costs nobody else's requests anything.
      const openTwin = async () => {
        const built = await buildTwin({ ...faults.inject({ ...parts, store }), simulator: playFaults(faults) })
        await built.listen({ host: '127.0.0.1', port: 0 })
        return built
      }
      let twin: ReturnType<typeof openTwin> | undefined
      app.addHook('onClose', async () => {
        // One that could not be opened has told so already.
        const [opened] = await Promise.allSettled([twin])
        if (opened.status === 'fulfilled') await opened.value?.close()
      })
      const playedAt = async () => {
        twin ??= openTwin()
        return (await twin).listeningOrigin
      }
      watchMessages(app, faults, parts)
      if (!options.isExposed) serveStartPage(app, parts)
      await app.register(simulator, { ...options, ...parts, faults, playedAt, prefix: path })
    })
  }
}

function playFaults(faults: FaultInjection) {
  return fp(async app => {
    app.addHook('preHandler', ({ raw }, _reply, done) => faults.play(raw.socket, done))
  })
}

/** Sees what merchants' own shops and payment providers tell this server: on the routes where they do, and on no other. */
function watchMessages(
  app: FastifyInstance,
  faults: FaultInjection,
  { merchants, ownOrigin }: Pick<Parts, 'merchants' | 'ownOrigin'>
): void {
  const reports = new Map(merchants.map(({ merchant: { id, path } }) => [path + ORDERS_PATH, id]))
  const watch: onSendHookHandler = (request, reply, payload, done) => {
    const { body, url, method, raw } = request
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
  }
  app.addHook('onRoute', route => {
    const isTold = merchants.some(({ merchant: { path } }) =>
      [ORDERS_PATH, PAYMENTS_PATH].some(place => isWithin(route.url, path + place))
    )
    if (isTold) route.onSend = [route.onSend ?? [], watch].flat()
  })
}

/** For everybody else nothing is at this address. */
function serveStartPage(app: FastifyInstance, { merchants, ownOrigin }: Pick<Parts, 'merchants' | 'ownOrigin'>): void {
  app.get('/', async ({ raw }, reply) => {
    if (!isFromHere(raw)) return reply.callNotFound()
    const shops = merchants.map(({ merchant }) => {
      const { id, name, ways, origin = ownOrigin(), path } = merchant
      const openApi = takesJson(merchant) ? path + OPENAPI_PATH : undefined
      return { id, name, ways: ways.map(way => ({ ...way, url: origin + path + way.transfer.path })), openApi }
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
