// The server itself: what one connection may ask for at a time, how it closes, and its own addresses.
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'

/** Of a request line and its headers, in bytes. */
export const MAX_HEADER = 64 * 1024
export const MAX_HEADERS = 1000

/** How long a request may take to arrive, and how often that is checked, in milliseconds: phones may be slow. */
const REQUEST_TIMEOUT = 60_000
const REQUEST_TIMEOUT_CHECK = 5000

/** How long a connection may make no progress, in milliseconds, before it is closed: a client that does not read. */
export const STALL_TIMEOUT = 30_000

/** How long a connection may be idle between two requests, in milliseconds: longer than a proxy keeps one. */
const KEEP_ALIVE_TIMEOUT = 72_000

/**
 * Requests that a connection may have waiting behind the one that is answered, with heads of MAX_HEADER together; with more, it
 * is cut. No browser sends any.
 */
export const MAX_WAITING = 16

/** How long, in milliseconds, and how much, in bytes, is read after an answer to a client that is still sending. */
export const LINGER_TIME = 2000
const LINGER_BYTES = 4 * 1024 * 1024

type Exchange = [request: IncomingMessage, response: ServerResponse]

type Connection = {
  current?: ServerResponse | undefined
  /** The response to the last request whose headers were read. */
  last?: ServerResponse
  waiting: Exchange[]
}

export type ClientConnections = Map<Socket, Connection>

/**
 * @param connections keeps those that are open
 * @param onCut is told that a connection had more than MAX_WAITING requests waiting, and has been cut
 */
export function createNodeServer(route: RequestListener, connections: ClientConnections, onCut: () => void): Server {
  const takeTurns = oneAtATime(route, connections, onCut)
  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER,
      requireHostHeader: false,
      requestTimeout: REQUEST_TIMEOUT,
      connectionsCheckingInterval: REQUEST_TIMEOUT_CHECK
    },
    takeTurns
  )
  server.maxHeadersCount = MAX_HEADERS
  server.keepAliveTimeout = KEEP_ALIVE_TIMEOUT
  server.setTimeout(STALL_TIMEOUT)
  // Node would answer by itself, with none of our headers. An expectation may be ignored (RFC 9110, section 10.1.1).
  server.on('checkExpectation', takeTurns)
  server.on('connection', socket => {
    const connection: Connection = { waiting: [] }
    connections.set(socket, connection)
    socket.once('close', () => connections.delete(socket))
    lingerOnClose(socket, () => connection.last?.req.complete === false)
  })
  return server
}

/** Node destroys the socket with its last answer; one whose client is still sending lingers instead. */
function lingerOnClose(socket: Socket, isSending: () => boolean): void {
  const closeAtOnce = socket.destroySoon
  socket.destroySoon = () => (isSending() ? endAndLinger(socket) : closeAtOnce.call(socket))
}

/**
 * Closes a connection in two steps: with our side closed, what arrives is read for a moment. Otherwise a client or proxy that
 * is still sending gets a reset in place of the answer.
 */
export function endAndLinger(socket: Socket): void {
  socket.end()
  let bytes = 0
  socket.on('data', ({ length }) => {
    bytes += length
    if (bytes > LINGER_BYTES) socket.destroy()
  })
  const timer = setTimeout(() => socket.destroy(), LINGER_TIME)
  socket.once('close', () => clearTimeout(timer))
}

/**
 * Routes the requests of a connection one after another. Node calls its listener for every request that a packet holds,
 * a thousand and more, and keeps the responses until the client reads them.
 */
function oneAtATime(route: RequestListener, connections: ClientConnections, onCut: () => void): RequestListener {
  function start([request, response]: Exchange, connection: Connection): void {
    connection.current = response
    response.on('close', () => {
      connection.current = undefined
      // What follows an answer with `Connection: close` is not read (RFC 9112, section 9.6).
      const next = request.socket.writable ? connection.waiting.shift() : undefined
      if (next) start(next, connection)
    })
    route(request, response)
  }
  return (request, response) => {
    const { socket } = request
    const connection = connections.get(socket)
    // Of a packet, Node parses what follows a request that closed its connection.
    if (!connection || !socket.writable) return
    connection.last = response
    if (!connection.current) return start([request, response], connection)
    const { waiting } = connection
    waiting.push([request, response])
    if (waiting.length <= MAX_WAITING && headsOf(waiting) <= MAX_HEADER) return
    socket.destroy()
    onCut()
  }
}

/** Without what separates their parts, in characters. */
function headsOf(waiting: Exchange[]): number {
  return waiting.flatMap(([{ url = '', rawHeaders }]) => [url, ...rawHeaders]).join('').length
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Set to announce the close: `/readyz` says so, and every answer closes its connection. */
    isDraining: boolean
  }
}

/** How long no connection may arrive before the server closes, and how long it waits for that at most, in milliseconds. */
const QUIET = 20
const MAX_WAIT = 3000

/** How long a request that has begun may still take to arrive, in milliseconds. */
const ARRIVAL = 2000

export const closeGracefully = fp<{ connections: ClientConnections }>(
  async (app, { connections }) => {
    let arrived = 0
    app.server.on('connection', () => {
      arrived++
    })
    const cut = (isCut: (connection: Connection) => boolean) => {
      for (const [socket, connection] of connections) if (isCut(connection)) socket.destroy()
    }
    app.decorate('isDraining', false)
    app.addHook('preClose', async () => {
      app.isDraining = true
      const deadline = performance.now() + MAX_WAIT
      let before = -1
      while (app.server.listening && arrived !== before && performance.now() < deadline) {
        before = arrived
        await sleep(QUIET)
        // After a long turn, timers run before connections are accepted.
        await turn()
      }
      cut(({ current }) => !current)
      setTimeout(() => cut(({ current }) => current?.req.complete === false), ARRIVAL).unref()
    })
    app.addHook('onSend', (_request, reply, payload, done) => {
      if (app.isDraining) reply.header('Connection', 'close')
      done(null, payload)
    })
  },
  { name: 'graceful-close' }
)

/** How long the result of a readiness check is used, in milliseconds: each check writes to the disk. */
const READY_FOR = 1000

export async function serverRoutes(
  app: FastifyInstance,
  { store }: { store: { checkReady: () => Promise<void> } }
): Promise<void> {
  let check = { at: Number.NEGATIVE_INFINITY, result: Promise.resolve() }
  app.get('/healthz', async (_request, reply) => {
    reply.header('Cache-Control', 'no-store')
    return { status: 'ok' }
  })
  app.get('/readyz', async (_request, reply) => {
    reply.header('Cache-Control', 'no-store')
    if (app.isDraining) return reply.code(503).send({ status: 'draining' })
    const now = performance.now()
    if (now - check.at > READY_FOR) check = { at: now, result: store.checkReady() }
    await check.result
    return { status: 'ready' }
  })
  // Browsers ask for it by themselves; a 404 would show up in their consoles as an error of the page.
  app.get('/favicon.ico', async (_request, reply) =>
    reply.code(204).header('Cache-Control', 'public, max-age=86400').send()
  )
}
