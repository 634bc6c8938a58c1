// Cuts off bodies in tiny chunks: Node calls for each, so that a megabyte of them costs as much as hundreds of bags.
import type { FastifyInstance } from 'fastify'

/** Chunks that any body may have, and how large those of a body with more are on average, in bytes. */
const FREE_CHUNKS = 1000
const MIN_AVERAGE = 16

export function cutTinyChunks(app: FastifyInstance): void {
  app.addHook('preParsing', (request, _reply, payload, done) => {
    if (request.headers['transfer-encoding'] !== undefined) {
      let chunks = 0
      let bytes = 0
      payload.on('data', (chunk: Buffer) => {
        chunks++
        bytes += chunk.length
        if (chunks <= FREE_CHUNKS || bytes >= chunks * MIN_AVERAGE || request.raw.destroyed) return
        request.raw.destroy()
        app.logSharedFailure('connection cut: a body in tiny chunks')
      })
    }
    done(null, payload)
  })
}
