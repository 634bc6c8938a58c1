// Closes the server gracefully: while it drains, every answer closes its connection; requests under way are answered, and
// neither idle connections nor requests that do not arrive hold the close up.
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import fp from 'fastify-plugin'
import type { NodeServer } from './node-server.ts'

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
