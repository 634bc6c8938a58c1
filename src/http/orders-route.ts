// Where a merchant with its own shop reports the orders that it took: signed as Standard Webhooks with the secret that the
// two share. Every report leaves one line in the log.
import type { FastifyInstance } from 'fastify'
import type { Observer } from '../observer.ts'
import type { ReportedOrderStore } from '../orders/reported-order.ts'
import { MAX_REPORT, readReport, reportedOrderData, reportOrder } from '../orders/reported-order.ts'
import type { Storefront } from '../pages/storefront.ts'
import type { NamedSecret } from '../transfer/authentication.ts'
import { acceptBody, refuseContentEncoding, requireAuthentication } from './admit-request.ts'
import { isShed, sendRefusal, toRefusal } from './error-handler.ts'

export type OrdersRoute = {
  merchantId: string
  store: ReportedOrderStore
  clock: () => Date
  storefront: Storefront
  secret: NamedSecret
  observer: Pick<Observer, 'ordered'>
}

export async function ordersRoute(app: FastifyInstance, parts: OrdersRoute): Promise<void> {
  const { merchantId: merchant, store, clock, storefront, secret, observer } = parts
  requireAuthentication(app, { type: 'standard-webhooks', secrets: [secret] }, clock)
  refuseContentEncoding(app)
  app.setErrorHandler((error, request, reply) => {
    const refusal = toRefusal(error)
    const { code: problem, reference, reason = refusal.message } = refusal
    const mistakes = [...new Set(refusal.mistakes.map(({ code }) => code))]
    if (!isShed(problem)) request.log.warn({ merchant, reference, problem, mistakes, reason }, 'order not kept')
    return sendRefusal(refusal, error, request, reply, storefront, 'problem+json')
  })

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
