// Cuts off bodies in tiny chunks: Node calls for each, so that a megabyte of them costs as much as hundreds of bags.
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'

/** Chunks that any body may have, and how large those of a body with more are on average, in bytes. */
const FREE_CHUNKS = 1000
const MIN_AVERAGE = 16

export function cutTinyChunks(app: FastifyInstance): void {
  app.addHook('preParsing', (request, _reply, payload, done) => {
    watchChunks(app, request.raw)
    done(null, payload)
  })
  // A request that is answered before its body was read: Node would read the rest by itself.
  app.addHook('onSend', (request, _reply, payload, done) => {
    watchChunks(app, request.raw)
    done(null, payload)
  })
}

/** Reads the body, and cuts the connection if its chunks are tiny. To be called before the answer is sent. */
export function watchChunks(app: FastifyInstance, request: IncomingMessage): void {
  if (request.headers['transfer-encoding'] === undefined || request.complete) return
  let chunks = 0
  let bytes = 0
  request.on('data', (chunk: Buffer) => {
    chunks++
    bytes += chunk.length
    if (chunks <= FREE_CHUNKS || bytes >= chunks * MIN_AVERAGE || request.destroyed) return
    request.destroy()
    app.logSharedFailure('connection cut: a body in tiny chunks')
  })
}
