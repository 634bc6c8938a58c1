// A UCP way in: its REST addresses, MCP, and where a cart leads its shopper. The operations are those of `cart-operations.ts`.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { PlatformAnswer } from '../../checkout/kept-answer.ts'
import { maxBody, type ProtocolOption } from '../../transfer/option.ts'
import { acceptBody, markAuthenticating, refuseContentEncoding } from '../admit-request.ts'
import { handleErrors } from '../error-handler.ts'
import { loggedCall, recordTransfers, type WayContext } from '../transfer-record.ts'
import { queryIn, redirectShopper } from '../transfer-route.ts'
import { type CartCall, type CartResult, cartOperations } from './cart-operations.ts'
import { platformIdentifier, profileIn } from './identify-platform.ts'
import { mcpRoute } from './mcp-route.ts'

type OfCart = { Params: { id: string } }

export async function ucpRoutes(app: FastifyInstance, { context }: { context: WayContext }): Promise<void> {
  const { merchant, way, storefront } = context
  const operations = cartOperations(context)
  const identify = platformIdentifier(context)
  const bodyLimit = maxBody(way.transfer.maxItems)

  const form = (way.option as ProtocolOption).refuse
  const callOf = async (request: FastifyRequest): Promise<CartCall> => {
    const { headers, body, log } = request
    return {
      platform: await identify(request, profileIn(headers['ucp-agent'])),
      key: keyIn(request),
      sent: (body as Buffer | undefined) ?? '',
      language: headers['accept-language'],
      log
    }
  }

  const isAnyProved = [...(way.platforms?.values() ?? [])].some(({ authentication }) => authentication)
  /** Routes whose requests are logged, each with who sent it. */
  const logged = (isCancellation: boolean, addRoutes: (scope: FastifyInstance) => void) =>
    app.register(async scope => {
      if (isAnyProved) markAuthenticating(scope)
      recordTransfers(scope, context, form)
      scope.addHook('onRequest', (request, _reply, done) => {
        const { id } = request.params as Partial<OfCart['Params']>
        const profile = profileIn(request.headers['ucp-agent'])
        request.transfer = { call: loggedCall(isCancellation, { profile, key: keyIn(request), id }) }
        done()
      })
      refuseContentEncoding(scope)
      addRoutes(scope)
    })
  const answerWith = async (
    request: FastifyRequest,
    reply: FastifyReply,
    operation: (call: CartCall) => Promise<CartResult>
  ) => {
    const { transfer, ...answer } = await operation(await callOf(request))
    request.transfer = { ...request.transfer, ...transfer }
    return sendAnswer(reply, answer)
  }
  await logged(false, scope => {
    const route = acceptBody(scope, [way.option.encoding], bodyLimit)
    scope.post<{ Body: Buffer }>('/carts', route, (request, reply) =>
      answerWith(request, reply, call => operations.create(call, request.body))
    )
    scope.put<OfCart & { Body: Buffer }>('/carts/:id', route, (request, reply) =>
      answerWith(request as FastifyRequest, reply, call => operations.update(call, request.params.id, request.body))
    )
  })
  await logged(true, scope => {
    // A cancellation needs no body.
    acceptBody(scope, [way.option.encoding], bodyLimit)
    scope.post<OfCart>('/carts/:id/cancel', { bodyLimit }, (request, reply) =>
      answerWith(request as FastifyRequest, reply, call => operations.cancel(call, request.params.id))
    )
  })
  await app.register(async scope => {
    if (isAnyProved) markAuthenticating(scope)
    handleErrors(scope, storefront, () => form)
    refuseContentEncoding(scope)
    scope.get<OfCart>('/carts/:id', { exposeHeadRoute: false }, async (request, reply) => {
      const { id } = request.params
      const answer = await operations.get(await callOf(request as FastifyRequest), id)
      request.log.debug({ merchant: merchant.id, option: way.name, reference: id, status: answer.status }, 'get')
      return sendAnswer(reply, answer)
    })
  })
  await app.register(async scope => {
    if (isAnyProved) markAuthenticating(scope)
    await mcpRoute(scope, { context, operations, identify })
  })
  await app.register(async scope => {
    handleErrors(scope, storefront, () => 'page')
    scope.get<OfCart>('/carts/:id/continue', { exposeHeadRoute: false }, async ({ params, url }, reply) =>
      redirectShopper(reply, await operations.lead(params.id, new URLSearchParams(queryIn(url)).getAll('key')))
    )
  })
}

function keyIn({ headers }: FastifyRequest): string | undefined {
  return headers['idempotency-key']?.toString() || undefined
}

function sendAnswer(reply: FastifyReply, { status, body }: PlatformAnswer): FastifyReply {
  return reply.code(status).header('cache-control', 'no-store').type('application/json').send(body)
}
