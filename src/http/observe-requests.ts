// Tells an observer of every request: its route, its status and how long it took. Registered only if somebody observes.
import type { FastifyInstance } from 'fastify'
import type { Observer } from '../observer.ts'
import { whenClosed } from './when-closed.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route's pattern with placeholders for the paths that merchants choose. */
    routeName?: string
  }
}

/** As nginx writes it in its log. */
const CLIENT_LEFT = 499

/** To be called before other hooks are added: a request that one of them refuses counts too. */
export function observeRequests(app: FastifyInstance, observer: Observer): void {
  app.addHook('onRequest', (request, reply, done) => {
    observer.requestBegan()
    // Fastify's onResponse is not called if the client leaves.
    whenClosed(reply.raw, isSent => {
      const { problem } = request
      if (problem) observer.refused(problem)
      const { config } = request.routeOptions
      observer.requestEnded({
        method: request.method,
        route: config.routeName ?? config.url ?? 'none',
        status: isSent ? reply.statusCode : CLIENT_LEFT,
        duration: reply.elapsedTime
      })
    })
    done()
  })
}

/**
 * Names the routes that are registered on a scope from here on: thousands of merchants would have as many patterns.
 * @param name what to call the scope's prefix
 */
export function nameRoutes(scope: FastifyInstance, name: string): void {
  scope.addHook('onRoute', route => {
    route.config = { ...route.config, routeName: name + route.url.slice(scope.prefix.length) }
  })
}
