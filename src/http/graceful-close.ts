// Closes the server gracefully: while it drains, every answer closes its connection; requests under way are answered, and
// idle connections do not hold the close up.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

declare module 'fastify' {
  interface FastifyInstance {
    /** Whether the server is about to close. */
    isDraining: boolean
    /** Announces the close: `/readyz` says so, and clients that are answered open no further request on their connection. */
    drain: () => void
  }
}

/** Turns of the event loop in which requests that have already arrived are read. */
const LAST_TURNS = 3

export function closeGracefully(app: FastifyInstance, closeIdle: () => void): void {
  app.decorate('isDraining', false)
  app.decorate('drain', () => {
    app.isDraining = true
  })
  app.addHook('preClose', async () => {
    app.drain()
    for (let turn = 0; turn < LAST_TURNS; turn++) await nextTurn()
    closeIdle()
  })
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (app.isDraining) reply.header('Connection', 'close')
    done(null, payload)
  })
}
