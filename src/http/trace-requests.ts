// Traces the requests of a scope: whatever they lead to is a part of their spans.
import type { FastifyInstance } from 'fastify'
import type { Tracing } from '../tracing/tracing.ts'
import { whenClosed } from './every-request.ts'

/** To be called before other hooks are added: what they do is a part of the request, too. */
export function traceRequests(app: FastifyInstance, { beginRequest }: Pick<Tracing, 'beginRequest'>): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { raw, method, headers, routeOptions } = request
    const span = beginRequest({ method, route: routeOptions.url, headers })
    whenClosed(reply.raw, isSent => span.end(isSent ? reply.statusCode : undefined, request.problem))
    // Bodies are read, and answers end, in turns of their own.
    span.run([raw, reply.raw], done)
  })
}
