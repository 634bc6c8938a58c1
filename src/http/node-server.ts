// Node's HTTP server as this app needs it: what one connection may ask for at a time, and what Node itself leaves without
// an answer. Fastify calls it once for each address that it listens on.
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { createServer } from '../node-http.ts'

/** The largest request line and headers that are read, in bytes. */
export const MAX_HEADER = 64 * 1024

/** How long a request may take to arrive, in milliseconds: phones on poor connections are slow. */
const REQUEST_TIMEOUT = 60_000

/** How long a connection may make no progress, in milliseconds, before it is closed: a client that does not read. */
export const STALL_TIMEOUT = 30_000

/** How long a connection may be idle between two requests, in milliseconds: longer than a proxy keeps one. */
const KEEP_ALIVE_TIMEOUT = 72_000

/** Requests that a connection may have waiting behind the one that is answered; with more, it is cut. No browser sends any. */
export const MAX_WAITING = 16

export type NodeServer = {
  server: Server
  /** Closes the connections on which no request is being answered. */
  closeIdle: () => void
}

type Events = {
  /** A CONNECT, which Node passes on as a bare socket: has to answer it. */
  onConnect: (request: IncomingMessage, socket: Socket) => void
  /** A connection had more than MAX_WAITING requests waiting, and has been cut. */
  onCut: () => void
}

export function createNodeServer(route: RequestListener, { onConnect, onCut }: Events): NodeServer {
  const sockets = new Set<Socket>()
  const busy = new Map<Socket, Exchange[]>()
  const server = createServer(
    { maxHeaderSize: MAX_HEADER, requireHostHeader: false, requestTimeout: REQUEST_TIMEOUT },
    oneAtATime(route, busy, onCut)
  )
  server.keepAliveTimeout = KEEP_ALIVE_TIMEOUT
  server.setTimeout(STALL_TIMEOUT)
  server.on('connect', (request, socket) => onConnect(request, socket as Socket))
  server.on('connection', socket => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  return {
    server,
    closeIdle: () => {
      for (const socket of sockets) if (!busy.has(socket)) socket.destroy()
    }
  }
}

type Exchange = [request: IncomingMessage, response: ServerResponse]

/**
 * Routes the requests of a connection one after another. Node calls its listener for every request that a packet holds,
 * a thousand and more, and keeps the responses until the client reads them.
 * @param busy what waits on each connection behind the request that is being answered
 */
function oneAtATime(route: RequestListener, busy: Map<Socket, Exchange[]>, onCut: () => void): RequestListener {
  function start([request, response]: Exchange, waiting: Exchange[]): void {
    const { socket } = request
    response.once('close', () => {
      const next = socket.destroyed ? undefined : waiting.shift()
      if (next) start(next, waiting)
      else busy.delete(socket)
    })
    route(request, response)
  }
  return (request, response) => {
    const { socket } = request
    // Of a packet, Node parses what follows a request that closed its connection.
    if (socket.destroyed) return
    const waiting = busy.get(socket)
    if (!waiting) {
      const none: Exchange[] = []
      busy.set(socket, none)
      start([request, response], none)
    } else if (waiting.length < MAX_WAITING) {
      waiting.push([request, response])
    } else {
      socket.destroy()
      onCut()
    }
  }
}
