// A UCP way in: its REST addresses, MCP, and where a cart leads its shopper. The operations are those of `cart-operations.ts`.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { PlatformAnswer } from '../../checkout/kept-answer.ts'
import type { Problem } from '../../errors.ts'
import { maxBody } from '../../transfer/option.ts'
import { protocolError } from '../../ucp/cart-answer.ts'
import { acceptBody, markAuthenticating, refuseContentEncoding } from '../admit-request.ts'
import { handleErrors } from '../error-handler.ts'
import { recordTransfers, type WayContext } from '../transfer-record.ts'
import { redirectShopper } from '../transfer-route.ts'
import { type CartCall, cartOperations } from './cart-operations.ts'
import { platformIdentifier, profileIn } from './identify-platform.ts'
import { mcpRoute } from './mcp-route.ts'

type OfCart = { Params: { id: string } }

export async function ucpRoutes(app: FastifyInstance, { context }: { context: WayContext }): Promise<void> {
  const { merchant, way, storefront } = context
  const operations = cartOperations(context)
  const identify = platformIdentifier(context)
  const bodyLimit = maxBody(way.transfer.maxItems)

  const form = (refusal: Problem) => JSON.stringify(protocolError(refusal))
  const callOf = async (request: FastifyRequest): Promise<CartCall> => {
    const { headers, body, log } = request
    return {
      platform: await identify(request, profileIn(headers['ucp-agent'])),
      key: headers['idempotency-key']?.toString() || undefined,
      sent: (body as Buffer | undefined) ?? '',
      language: headers['accept-language'],
      log
    }
  }

  const isAnyProved = [...(way.platforms?.values() ?? [])].some(({ authentication }) => authentication)
  await app.register(async scope => {
    if (isAnyProved) markAuthenticating(scope)
    recordTransfers(scope, context, form)
    refuseContentEncoding(scope)
    const route = acceptBody(scope, [way.option.encoding], bodyLimit)
    scope.post<{ Body: Buffer }>('/carts', route, async (request, reply) => {
      const { transfer, ...answer } = await operations.create(await callOf(request), request.body)
      request.transfer = transfer
      return sendAnswer(reply, answer)
    })
    scope.put<OfCart & { Body: Buffer }>('/carts/:id', route, async (request, reply) => {
      const { transfer, ...answer } = await operations.update(await callOf(request), request.params.id, request.body)
      request.transfer = transfer
      return sendAnswer(reply, answer)
    })
  })
  await app.register(async scope => {
    if (isAnyProved) markAuthenticating(scope)
    handleErrors(scope, storefront, () => form)
    refuseContentEncoding(scope)
    // A cancellation needs no body.
    acceptBody(scope, [way.option.encoding], bodyLimit)
    const answerWith =
      (operation: 'get' | 'cancel') => async (request: FastifyRequest<OfCart>, reply: FastifyReply) => {
        const answer = await operations[operation](await callOf(request as FastifyRequest), request.params.id)
        const { status } = answer
        request.log.debug({ merchant: merchant.id, option: way.name, reference: request.params.id, status }, operation)
        return sendAnswer(reply, answer)
      }
    scope.get<OfCart>('/carts/:id', { exposeHeadRoute: false }, answerWith('get'))
    scope.post<OfCart>('/carts/:id/cancel', { bodyLimit }, answerWith('cancel'))
  })
  await app.register(async scope => {
    if (isAnyProved) markAuthenticating(scope)
    await mcpRoute(scope, { context, operations, identify })
  })
  await app.register(async scope => {
    handleErrors(scope, storefront, () => 'page')
    scope.get<OfCart>('/carts/:id/continue', { exposeHeadRoute: false }, async ({ params, url }, reply) =>
      redirectShopper(reply, await operations.lead(params.id, new URL(url, 'http://shop').searchParams.getAll('key')))
    )
  })
}

function sendAnswer(reply: FastifyReply, { status, body }: PlatformAnswer): FastifyReply {
  return reply.code(status).header('cache-control', 'no-store').type('application/json').send(body)
}
