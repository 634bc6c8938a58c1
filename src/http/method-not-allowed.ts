// Answers 405 with `Allow` to every method that the routes of a plugin do not have; Fastify by itself would answer 404.
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { Refusal } from '../errors.ts'

const FASTIFY_METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'])

/**
 * The method that a request is routed by. One that Fastify does not know, such as PROPFIND, is refused as TRACE, which no
 * route has: a route for each of the 27, on every path, would take a quarter of a megabyte for each merchant.
 */
export function routedMethod({ method = '' }: IncomingMessage): string {
  return FASTIFY_METHODS.has(method) ? method : 'TRACE'
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
        method: app.supportedMethods.filter(method => !methods.has(method)),
        exposeHeadRoute: false,
        // Before any body is read, whatever its type; Fastify requires a handler anyway.
        onRequest: refuse,
        handler: refuse
      })
    }
  }
}
