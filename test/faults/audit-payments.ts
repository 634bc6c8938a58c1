// Compares the books of the stand-in for Stripe with the orders and payments that are kept, and with the webhooks that arrived,
// once nothing waits any more. Money that came is for one order, or went back whole.

import type { Order } from '../../src/checkout/orders/order.ts'
import type { CheckoutPayment } from '../../src/kit/payment/checkout-account.ts'
import type { Store } from '../../src/store/store.ts'
import type { Received } from '../checkout/webhook/receiver.ts'
import { ordersByReference } from './audit.ts'

export type PaymentFindings = {
  /** Money that came for nothing. */
  lost: string[]
  /** Money that came twice, or for an order and went back. */
  doubled: string[]
  /** Orders without money, and what says otherwise than the books. */
  wrong: string[]
}

const EVERYTHING = 1_000_000

/** An order's payment by what has become of the money. */
function statusOf({ session, intent }: CheckoutPayment): string | undefined {
  if (session.payment_status === 'paid') return 'paid'
  if (session.status !== 'complete') return undefined
  return intent?.status === 'processing' ? 'pending' : 'failed'
}

export async function auditPayments(books: CheckoutPayment[], store: Store): Promise<PaymentFindings> {
  const findings: PaymentFindings = { lost: [], doubled: [], wrong: [] }
  const orders = await allOrders(store)
  const paidFor = new Map<string, string>()
  for (const payment of books) {
    const { session, intent, total, refunded } = payment
    const [order, ...others] = orders.filter(({ payment: { id = '' } = {} }) => [session.id, intent?.id].includes(id))
    const name = `payment ${session.metadata?.payment}`
    const status = statusOf(payment)
    if (others.length > 0) findings.doubled.push(`${name} is for ${1 + others.length} orders`)
    if (status === 'paid' && refunded < total) {
      const bag = `${session.metadata?.merchant} ${session.client_reference_id}`
      if (paidFor.has(bag)) findings.doubled.push(`${name} and ${paidFor.get(bag)} are paid, for one bag`)
      paidFor.set(bag, name)
      if (!order) findings.lost.push(`${name} is paid, for no order; ${refunded} of ${total} went back`)
    }
    if (!order) continue
    if (status === 'paid' && refunded > 0) findings.doubled.push(`${name} went back, and is order ${order.number}`)
    if (order.payment?.status !== status || order.total !== session.amount_total) {
      findings.wrong.push(`order ${order.number}, of ${order.total}, is ${order.payment?.status}; ${name} is ${status}`)
    }
  }
  const known = new Set(books.flatMap(({ session, intent }) => [session.id, intent?.id]))
  for (const { number, payment } of orders)
    if (!known.has(payment?.id)) findings.wrong.push(`order ${number} has no payment`)
  for (const { id, state, transactionId } of await store.paymentsOf({}, EVERYTHING)) {
    const payment = books.find(({ intent }) => intent?.id === transactionId)
    if (state === 'refunded' && payment?.refunded !== payment?.total)
      findings.lost.push(`payment ${id} did not go back`)
    if (['opening', 'open', 'refunding'].includes(state)) findings.wrong.push(`payment ${id} is still ${state}`)
  }
  return findings
}

async function allOrders(store: Store): Promise<Order[]> {
  return [...(await ordersByReference(store)).values()].flat().filter(order => 'lines' in order)
}

/** @param received each of which was taken @returns the orders of which merchants were not told once how they are paid */
export async function auditMessages(store: Store, received: Received[]): Promise<string[]> {
  type Message = { type: string; data: { orderNumber: string; payment?: { status: string; id: string } } }
  const told = new Map<string, Map<unknown, Message>>()
  for (const { headers, body } of received) {
    const message: Message = JSON.parse(body)
    const { orderNumber } = message.data
    const of = told.get(orderNumber) ?? new Map()
    told.set(orderNumber, of.set(headers['webhook-id'], message))
  }
  return (await allOrders(store)).flatMap(({ number, payment }) => {
    const messages = [...(told.get(number)?.values() ?? [])]
    const types = messages.map(({ type }) => type)
    const last = messages.at(-1)?.data.payment
    const isTold = last?.status === payment?.status && last?.id === payment?.id
    const isOnce = types[0] === 'order.placed' && new Set(types).size === types.length
    return isTold && isOnce
      ? []
      : `order ${number} is ${payment?.status}; the merchant was told ${types.join(', ')}: ${last?.status}`
  })
}
