// Node's HTTP server as this app needs it: what one connection may ask for at a time, and what Node itself leaves without
// an answer.
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import fp from 'fastify-plugin'

/** The largest request line and headers that are read, in bytes. */
export const MAX_HEADER = 64 * 1024

/** The most headers that a request may have. */
export const MAX_HEADERS = 1000

/** How long a request may take to arrive, in milliseconds: phones on poor connections are slow. */
const REQUEST_TIMEOUT = 60_000

/** How often that is checked, in milliseconds. */
const REQUEST_TIMEOUT_CHECK = 5000

/** How long a connection may make no progress, in milliseconds, before it is closed: a client that does not read. */
export const STALL_TIMEOUT = 30_000

/** How long a connection may be idle between two requests, in milliseconds: longer than a proxy keeps one. */
const KEEP_ALIVE_TIMEOUT = 72_000

/** Requests that a connection may have waiting behind the one that is answered; with more, it is cut. No browser sends any. */
export const MAX_WAITING = 16

/** What is known of the responses of a connection. */
export type Responses = {
  /** The one that is being made. */
  current: (socket: Socket) => ServerResponse | undefined
  /** The one to the last request whose headers were read. */
  last: (socket: Socket) => ServerResponse | undefined
}

export type NodeServer = Responses & {
  server: Server
  /** Closes the connections on which no request is being answered. */
  closeIdle: () => void
  /** Closes the connections whose current request has not arrived whole. */
  closeIncomplete: () => void
}

/** How long, in milliseconds, and how much, in bytes, is read after an answer to a client that is still sending. */
export const LINGER_TIME = 2000
const LINGER_BYTES = 4 * 1024 * 1024

type Events = {
  /** Has to answer a CONNECT, for which Node has only the socket. */
  onConnect: (request: IncomingMessage, socket: Socket) => void
  /** A connection had more than MAX_WAITING requests waiting, and has been cut. */
  onCut: () => void
}

type Exchange = [request: IncomingMessage, response: ServerResponse]

type Connection = { current?: ServerResponse | undefined; last?: ServerResponse; waiting: Exchange[] }

export function createNodeServer(route: RequestListener, { onConnect, onCut }: Events): NodeServer {
  const connections = new Map<Socket, Connection>()
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
  server.on('connect', (request, socket) => onConnect(request, socket as Socket))
  // Node would answer by itself, with none of our headers. An expectation may be ignored (RFC 9110, section 10.1.1).
  server.on('checkExpectation', takeTurns)
  server.on('connection', socket => {
    const connection: Connection = { waiting: [] }
    connections.set(socket, connection)
    socket.once('close', () => connections.delete(socket))
    lingerOnClose(socket, () => connection.last?.req.complete === false)
  })
  return {
    server,
    current: socket => connections.get(socket)?.current,
    last: socket => connections.get(socket)?.last,
    closeIdle: () => {
      for (const [socket, { current }] of connections) if (!current) socket.destroy()
    },
    closeIncomplete: () => {
      for (const [socket, { current }] of connections) if (current?.req.complete === false) socket.destroy()
    }
  }
}

/**
 * Closes a connection in two steps if its client is still sending: with our side closed, what arrives is read for a moment.
 * Node destroys the socket with its last answer, so a proxy that is still sending gets a reset in place of the answer.
 */
function lingerOnClose(socket: Socket, isSending: () => boolean): void {
  const closeAtOnce = socket.destroySoon
  socket.destroySoon = () => {
    if (!isSending()) return closeAtOnce.call(socket)
    socket.end()
    let bytes = 0
    socket.on('data', ({ length }) => {
      bytes += length
      if (bytes > LINGER_BYTES) socket.destroy()
    })
    const timer = setTimeout(() => socket.destroy(), LINGER_TIME)
    socket.once('close', () => clearTimeout(timer))
  }
}

/**
 * Routes the requests of a connection one after another. Node calls its listener for every request that a packet holds,
 * a thousand and more, and keeps the responses until the client reads them.
 */
function oneAtATime(route: RequestListener, connections: Map<Socket, Connection>, onCut: () => void): RequestListener {
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
    if (!connection.current) start([request, response], connection)
    else if (connection.waiting.length < MAX_WAITING) connection.waiting.push([request, response])
    else {
      socket.destroy()
      onCut()
    }
  }
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Whether the server is about to close. */
    isDraining: boolean
    /** Announces the close: `/readyz` says so, and every answer closes its connection. */
    drain: () => void
  }
}

/** How long no connection may arrive, in milliseconds, before the server closes: clients that have begun are served. */
const QUIET = 20

/** How long clients that go on connecting hold the close up, in milliseconds. */
const MAX_WAIT = 3000

/** How long a request that has begun may still take to arrive, in milliseconds. */
const ARRIVAL = 2000

export const closeGracefully = fp<{ nodeServer: Pick<NodeServer, 'closeIdle' | 'closeIncomplete'> }>(
  async (app, { nodeServer: { closeIdle, closeIncomplete } }) => {
    let connections = 0
    app.server.on('connection', () => {
      connections++
    })
    app.decorate('isDraining', false)
    app.decorate('drain', () => {
      app.isDraining = true
    })
    app.addHook('preClose', async () => {
      app.drain()
      const deadline = performance.now() + MAX_WAIT
      let before = -1
      while (app.server.listening && connections !== before && performance.now() < deadline) {
        before = connections
        await sleep(QUIET)
        // After a long turn, timers run before connections are accepted.
        await turn()
      }
      closeIdle()
      setTimeout(closeIncomplete, ARRIVAL).unref()
    })
    app.addHook('onSend', (_request, reply, payload, done) => {
      if (app.isDraining) reply.header('Connection', 'close')
      done(null, payload)
    })
  },
  { name: 'graceful-close' }
)
