// Orders of a merchant's own shop in the log: those that it reports, and those that it tells by itself. Nobody reads an answer to
// the latter, so what cannot be kept as it is told is only said here.
import { type Item, unitsBySku } from '../../cart/cart.ts'
import { Problem } from '../../errors.ts'
import type { ShopOrder } from '../../integrations/destination/shop-message.ts'
import type { Log } from '../../observer.ts'
import { latestBelieved } from './order-status.ts'
import {
  checkReport,
  differencesFrom,
  type KeptOrder,
  keptOrder,
  type ReportedOrderStore,
  reportedOrderData
} from './reported-order.ts'

/** Of SKUs and of carts. */
const MAX_NAMED = 5

export function logOrder(log: Log, { order, isRepeat, isChanged, cart, first }: KeptOrder): void {
  const { merchant, orderNumber, reference, total, currency, arrivedAt, status } = reportedOrderData(order)
  const state = status === 'placed' && !isChanged ? {} : { status }
  const facts = { merchant, order: orderNumber, reference, total, currency, ...state, isRepeat }
  const skus = cart ? differingSkus(cart.items, order.items).slice(0, MAX_NAMED) : []
  if (isChanged) log.info(facts, 'order status changed')
  else if (first) {
    const { number, status: firstStatus = 'placed' } = first
    const both = { ...facts, first: number, ...(firstStatus !== 'placed' && { firstStatus }), ...(cart && { skus }) }
    log.warn(both, 'second order under one reference')
  } else if (skus.length > 0) log.warn({ ...facts, skus }, 'items differ from transferred cart')
  else if (arrivedAt === null) log.warn(facts, 'order for unknown reference')
  else log.info(facts, 'order reported')
}

function differingSkus(bag: Item[], ordered: Item[]): string[] {
  const [sent, sold] = [unitsBySku(bag), unitsBySku(ordered)]
  return [...new Set([...sent.keys(), ...sold.keys()])].filter(sku => sent.get(sku) !== sold.get(sku))
}

/** In milliseconds: what the shop says later of an order without a reference is about one that was looked at. */
const RECENT = 48 * 60 * 60 * 1000

/** Resolves once what there is to keep of an order that a shop has told is on disk. @returns it, if it is kept */
export async function noticeOrder(
  store: ReportedOrderStore,
  log: Log,
  merchant: string,
  told: ShopOrder,
  now: Date
): Promise<KeptOrder | undefined> {
  const { reference, createdAt, changedAt, ...rest } = told
  const facts = { merchant, order: rest.number, reference }
  if (reference === undefined) {
    const isOld = createdAt < new Date(now.getTime() - RECENT).toISOString()
    if (isOld || rest.status !== 'placed') return undefined
    const candidates = await store.cartsLike(merchant, rest, createdAt, MAX_NAMED)
    if (candidates.length > 0) log.warn({ ...facts, candidates }, 'order without a reference; these carts match it')
    else log.debug(facts, 'order of another customer')
    return undefined
  }
  try {
    const report = checkReport({ ...rest, reference })
    const at = now.toISOString()
    if (changedAt > latestBelieved(at)) log.warn({ ...facts, changedAt }, 'order time is in the future; not used')
    const kept = await store.keepNotice({ ...report, merchantId: merchant, reportedAt: at, statusAt: changedAt })
    const reason = kept.outcome === 'reference-known' && differencesFrom(kept.order, report).join(', ')
    if (kept.outcome === 'never-placed') log.info(facts, 'order cancelled before it was known; not kept')
    else if (kept.outcome === 'never-arrived') log.info(facts, 'order for unknown reference; not kept')
    else if (!reason) {
      const order = keptOrder(kept, report)
      logOrder(log, order)
      return order
    } else log.warn({ ...facts, reason }, 'order changed in the shop; only its status is kept')
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const { message, reason = message } = error
    // Its reference if it has the form of one: a shopper can write anything into the address of the checkout page.
    log.warn({ ...facts, reference: error.reference, reason }, 'order not kept')
  }
  return undefined
}
