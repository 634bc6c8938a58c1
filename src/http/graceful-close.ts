// Closes the server gracefully: while it drains, every answer closes its connection; requests under way are answered, and
// idle connections do not hold the close up.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

declare module 'fastify' {
  interface FastifyInstance {
    /** Whether the server is about to close. */
    isDraining: boolean
    /** Announces the close: `/readyz` says so, and every answer closes its connection. */
    drain: () => void
  }
}

/** Turns of the event loop without a new connection, after which none is waiting: Node accepts one a turn. */
const IDLE_TURNS = 8
/** How long clients that go on connecting hold the close up, in milliseconds. */
const MAX_WAIT = 1000

export function closeGracefully(app: FastifyInstance, closeIdle: () => void): void {
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
    for (let idle = 0; idle < IDLE_TURNS && performance.now() < deadline; ) {
      const before = connections
      await nextTurn()
      idle = connections > before ? 0 : idle + 1
    }
    closeIdle()
  })
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (app.isDraining) reply.header('Connection', 'close')
    done(null, payload)
  })
}
