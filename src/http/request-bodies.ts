// The bodies of requests while they arrive: what they may take together, and into how many chunks one may be cut.
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { chunkMeter } from '../integrations/outgoing/http-client.ts'
import { overloaded } from './every-request.ts'

/** What a chunk takes beside its bytes, in bytes: a bag in chunks of 16 bytes takes 45 times its size. */
const MEMORY_OF_CHUNK = 700

/** How much of the memory is left to those that arrive, once some are refused: choosing them takes time. */
const LEFT = 0.9

/**
 * Refuses, with 503, the bodies that have taken most for longest, as soon as all that arrive take more than that. Cuts off those
 * in tiny chunks: Node calls for each, so that 64 kB of them hold the loop as long as nine of the largest bags.
 */
export const watchBodies = fp<{ bodyMemory: number }>(
  async (app, { bodyMemory }) => {
    /** What each has taken so far, in bytes, and since when. */
    const arriving = new Map<IncomingMessage, { taken: number; since: number }>()
    let memory = 0

    app.addHook('preParsing', ({ raw }, reply, payload, done) => {
      watchChunks(app, raw)
      // No other body is read before it is answered.
      if (raw.method !== 'POST' && raw.method !== 'PUT') return done(null, payload)
      const body = { taken: 0, since: performance.now() }
      const take = ({ length }: Buffer) => {
        arriving.set(raw, body)
        body.taken += length + MEMORY_OF_CHUNK
        memory += length + MEMORY_OF_CHUNK
        if (memory <= bodyMemory) return
        const now = performance.now()
        const cost = ({ taken, since }: typeof body) => taken * (now - since)
        for (const [one] of [...arriving].sort(([, a], [, b]) => cost(b) - cost(a))) {
          if (memory <= bodyMemory * LEFT) break
          // The parser of the body answers with it, and closes the connection.
          one.emit('error', overloaded('large requests'))
        }
      }
      const end = () => {
        raw.off('data', take)
        if (arriving.delete(raw)) memory -= body.taken
      }
      raw.on('data', take).once('end', end).once('error', end)
      reply.raw.once('close', end)
      done(null, payload)
    })
    // A request that is answered before its body was read: Node would read the rest by itself.
    app.addHook('onSend', (request, _reply, payload, done) => {
      watchChunks(app, request.raw)
      done(null, payload)
    })
  },
  { name: 'watch-bodies', dependencies: ['refusals'] }
)

/** To be called before the answer is sent. */
export function watchChunks(app: FastifyInstance, request: IncomingMessage): void {
  if (request.headers['transfer-encoding'] === undefined || request.complete) return
  const areTiny = chunkMeter()
  request.on('data', ({ length }: Buffer) => {
    if (!areTiny(length) || request.destroyed) return
    request.destroy()
    app.logSharedFailure('connection closed: body chunks too small')
  })
}
