// The addresses of the server itself.
import type { FastifyInstance } from 'fastify'
import type { Store } from '../store/store.ts'

/** How long the result of a readiness check is used, in milliseconds: each check writes to the disk. */
const READY_FOR = 1000

export async function serverRoutes(app: FastifyInstance, { store }: { store: Store }): Promise<void> {
  let check = { at: Number.NEGATIVE_INFINITY, result: Promise.resolve() }
  app.get('/healthz', async (_request, reply) => {
    reply.header('Cache-Control', 'no-store')
    return { status: 'ok' }
  })
  app.get('/readyz', async (_request, reply) => {
    reply.header('Cache-Control', 'no-store')
    if (app.isDraining) return reply.code(503).send({ status: 'draining' })
    const now = performance.now()
    if (now - check.at > READY_FOR) check = { at: now, result: store.checkReady() }
    await check.result
    return { status: 'ready' }
  })
  // Browsers ask for it by themselves; a 404 would show up in their consoles as an error of the page.
  app.get('/favicon.ico', async (_request, reply) =>
    reply.code(204).header('Cache-Control', 'public, max-age=86400').send()
  )
}
