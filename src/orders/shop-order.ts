// Orders of a merchant's own shop in the log: those that it reports, and those that it tells by itself. Nobody reads an answer to
// the latter, so what cannot be kept as it is told is only said here.
import { type Item, unitsBySku } from '../cart/cart.ts'
import type { ShopOrder } from '../destination/shop-message.ts'
import { Refusal } from '../errors.ts'
import {
  checkReport,
  differencesFrom,
  type KeptOrder,
  keptOrder,
  type ReportedOrderStore,
  reportedOrderData
} from './reported-order.ts'

/** A line of the log, and whether it is about an order that was not known. */
export type OrderNote = { level: 'debug' | 'info' | 'warn'; facts: object; message: string; isNew?: boolean }

/** Of SKUs and of carts. */
const MAX_NAMED = 5

export function noteOrder({ order, isRepeat, isChanged, cart, first }: KeptOrder): OrderNote {
  const { orderNumber, reference, total, currency, arrivedAt, status } = reportedOrderData(order)
  const isNew = !isRepeat
  const facts = { order: orderNumber, reference, total, currency, ...(status !== 'placed' && { status }), isRepeat }
  if (isChanged) return { level: 'info', facts, message: `order ${status}` }
  if (first) {
    const message = 'second order under one reference; cancel one of them in the shop'
    return { level: 'warn', facts: { ...facts, first: first.number }, message, isNew }
  }
  const skus = cart ? differingSkus(cart.items, order.items) : []
  if (skus.length > 0) {
    const message = 'order reported, with other items than its bag'
    return { level: 'warn', facts: { ...facts, skus: skus.slice(0, MAX_NAMED) }, message, isNew }
  }
  if (arrivedAt !== null) return { level: 'info', facts, message: 'order reported', isNew }
  return { level: 'warn', facts, message: 'order reported, but no bag of its reference has arrived', isNew }
}

function differingSkus(bag: Item[], ordered: Item[]): string[] {
  const [sent, sold] = [unitsBySku(bag), unitsBySku(ordered)]
  return [...new Set([...sent.keys(), ...sold.keys()])].filter(sku => sent.get(sku) !== sold.get(sku))
}

/** In milliseconds: what the shop says later of an order without a reference is about one that was looked at. */
const RECENT = 48 * 60 * 60 * 1000

/** Resolves once what there is to keep of an order that a shop has told is on disk. */
export async function noticeOrder(
  store: ReportedOrderStore,
  merchantId: string,
  told: ShopOrder,
  now: Date
): Promise<OrderNote> {
  const { reference, number: order, createdAt, changedAt, ...rest } = told
  const at = now.toISOString()
  if (reference === undefined) {
    const isOld = createdAt < new Date(now.getTime() - RECENT).toISOString()
    const isSought = rest.status === 'placed' && !isOld
    const carts = isSought ? await store.cartsLike(merchantId, rest, createdAt, MAX_NAMED) : []
    const facts = { order, candidates: carts }
    if (carts.length > 0) return { level: 'warn', facts, message: 'order without a reference; these bags fit it' }
    return { level: 'debug', facts: { order }, message: 'order of another customer' }
  }
  try {
    const report = checkReport({ ...rest, number: order, reference })
    const kept = await store.keepNotice({ ...report, merchantId, reportedAt: at, statusAt: changedAt })
    if (kept.outcome === 'never-placed') {
      return { level: 'info', facts: { order, reference }, message: 'order cancelled before it was known; not kept' }
    }
    if (kept.outcome === 'reference-known') {
      const reason = differencesFrom(kept.order, report).join(', ')
      const { status } = kept.order
      const facts = { order, reference, status, reason }
      if (reason) return { level: 'warn', facts, message: 'order changed in the shop; it is kept with what it had' }
    }
    return noteOrder(keptOrder(kept, report))
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const { message, reason = message } = error
    return { level: 'warn', facts: { order, reference, reason }, message: 'order not kept' }
  }
}
