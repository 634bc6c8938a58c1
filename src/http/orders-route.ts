// Where a merchant's own shop reports the orders that it took, signed as Standard Webhooks. Every report leaves one line in
// the log.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Refusal } from '../errors.ts'
import { MAX_REPORT, readReport, reportedOrderData, reportOrder } from '../orders/reported-order.ts'
import { acceptBody, refuseContentEncoding, requireAuthentication } from './admit-request.ts'
import { handleErrors, isShed } from './error-handler.ts'
import type { MerchantShop } from './transfer-route.ts'

export async function ordersRoute(app: FastifyInstance, parts: { shop: MerchantShop; secret: string }): Promise<void> {
  const { shop, secret } = parts
  const { store, clock, storefront, observer } = shop
  const { id: merchant } = shop.merchant
  requireAuthentication(app, 'standard-webhooks', [secret], clock)
  refuseContentEncoding(app)
  const note = (refusal: Refusal, { log }: FastifyRequest) => {
    const { code: problem, reference, reason = refusal.message } = refusal
    const mistakes = [...new Set(refusal.mistakes.map(({ code }) => code))]
    if (!isShed(problem)) log.warn({ merchant, reference, problem, mistakes, reason }, 'order not kept')
    return refusal
  }
  handleErrors(app, storefront, () => 'problem+json', note)

  app.post<{ Body: Buffer }>('', acceptBody(app, 'application/json', MAX_REPORT), async (request, reply) => {
    const { order, isRepeat } = await reportOrder(store, merchant, readReport(request.body), clock())
    if (!isRepeat) observer.ordered(merchant, 'reported')
    const data = reportedOrderData(order)
    const { orderNumber, reference, total, currency, arrivedAt } = data
    const line = { merchant, order: orderNumber, reference, total, currency, isRepeat }
    if (arrivedAt === null) request.log.warn(line, 'order reported, but no bag of its reference has arrived')
    else request.log.info(line, 'order reported')
    return reply
      .code(isRepeat ? 200 : 201)
      .header('Cache-Control', 'no-store')
      .send(data)
  })
}
