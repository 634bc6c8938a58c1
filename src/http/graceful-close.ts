// Closes the server gracefully: requests under way are answered, and idle connections do not hold it up.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

export function closeGracefully(app: FastifyInstance): void {
  const sockets = new Set<Socket>()
  const busy = new Set<Socket>()
  let isClosing = false

  app.server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  app.server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    busy.add(socket)
    response.once('close', () => busy.delete(socket))
  })
  app.addHook('preClose', async () => {
    isClosing = true
    // Node closes connections that are idle between two requests, but not those that never sent a whole one.
    for (const socket of sockets) if (!busy.has(socket)) socket.destroy()
  })
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (isClosing) reply.header('Connection', 'close')
    done(null, payload)
  })
}
