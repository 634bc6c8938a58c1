// Stops in order: what has begun is answered, and nobody waits for connections on which nothing has.
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

export function closeInOrder(app: FastifyInstance): void {
  const sockets = new Set<Socket>()
  let isClosing = false

  app.server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  app.addHook('preClose', async () => {
    isClosing = true
    // Node closes the connections that idle between two requests, but not those that never sent a first.
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
  })
  app.addHook('onSend', async (_request, reply) => {
    if (isClosing) reply.header('Connection', 'close')
  })
}
