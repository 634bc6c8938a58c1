// Node's HTTP server as this app needs it: what one connection may ask for at a time, and what Node itself leaves without
// an answer.
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { createServer } from '../node-http.ts'

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

type Events = {
  /** Has to answer a CONNECT, for which Node has only the socket. */
  onConnect: (request: IncomingMessage, socket: Socket) => void
  /** A connection had more than MAX_WAITING requests waiting, and has been cut. */
  onCut: () => void
}

type Exchange = [request: IncomingMessage, response: ServerResponse]

type Connection = { current: ServerResponse; waiting: Exchange[] }

export function createNodeServer(route: RequestListener, { onConnect, onCut }: Events): NodeServer {
  const sockets = new Set<Socket>()
  const busy = new Map<Socket, Connection>()
  const last = new WeakMap<Socket, ServerResponse>()
  const takeTurns = oneAtATime(route, busy, onCut)
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
  for (const event of ['request', 'checkExpectation'])
    server.on(event, (request: IncomingMessage, response: ServerResponse) => last.set(request.socket, response))
  server.on('connection', socket => {
    sockets.add(socket)
    socket.once('close', () => {
      sockets.delete(socket)
      busy.delete(socket)
    })
  })
  return {
    server,
    current: socket => busy.get(socket)?.current,
    last: socket => last.get(socket),
    closeIdle: () => {
      for (const socket of sockets) if (!busy.has(socket)) socket.destroy()
    },
    closeIncomplete: () => {
      for (const [socket, { current }] of busy) if (!current.req.complete) socket.destroy()
    }
  }
}

/**
 * Routes the requests of a connection one after another. Node calls its listener for every request that a packet holds,
 * a thousand and more, and keeps the responses until the client reads them.
 */
function oneAtATime(route: RequestListener, busy: Map<Socket, Connection>, onCut: () => void): RequestListener {
  function start([request, response]: Exchange, connection: Connection): void {
    const { socket } = request
    connection.current = response
    response.once('close', () => {
      // What follows an answer with `Connection: close` is not read (RFC 9112, section 9.6).
      const next = socket.writable ? connection.waiting.shift() : undefined
      if (next) start(next, connection)
      else busy.delete(socket)
    })
    route(request, response)
  }
  return (request, response) => {
    const { socket } = request
    // Of a packet, Node parses what follows a request that closed its connection.
    if (!socket.writable) return
    const connection = busy.get(socket)
    if (!connection) {
      const first = { current: response, waiting: [] }
      busy.set(socket, first)
      start([request, response], first)
    } else if (connection.waiting.length < MAX_WAITING) {
      connection.waiting.push([request, response])
    } else {
      socket.destroy()
      onCut()
    }
  }
}
