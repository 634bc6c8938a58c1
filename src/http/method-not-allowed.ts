// Answers 405 with `Allow` to every method that the routes of a plugin do not have; Fastify by itself would answer 404.
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { Refusal } from '../errors.ts'

/** Those of our routes, and one for all others, which no route has. */
const METHODS = ['GET', 'HEAD', 'POST', 'TRACE']

/**
 * The method that a request is routed by. One that no route has, such as PUT, is refused as TRACE: a route for each of
 * the 35, on every path, would take a quarter of a megabyte for each merchant.
 */
export function routedMethod({ method = '' }: IncomingMessage): string {
  return METHODS.includes(method) ? method : 'TRACE'
}

/**
 * Watches the routes that are registered on a plugin from here on.
 * @returns a function that, called after the last of them, refuses all other methods on their paths
 */
export function watchMethods(app: FastifyInstance): () => void {
  const allowed = new Map<string, Set<string>>()
  let isDone = false
  app.addHook('onRoute', ({ url, method }) => {
    if (isDone) return
    const path = url.slice(app.prefix.length)
    const methods = allowed.get(path) ?? new Set()
    allowed.set(path, methods)
    for (const one of [method].flat()) methods.add(one)
  })
  return () => {
    isDone = true
    for (const [url, methods] of allowed) {
      const allow = [...methods].sort().join(', ')
      const detail = `This address takes ${allow} alone.`
      const refuse = async () => {
        throw new Refusal('method-not-allowed', { detail, headers: { Allow: allow } })
      }
      app.route({
        url,
        method: METHODS.filter(method => !methods.has(method)),
        exposeHeadRoute: false,
        // Before any body is read, whatever its type; Fastify requires a handler anyway.
        onRequest: refuse,
        handler: refuse
      })
    }
  }
}
