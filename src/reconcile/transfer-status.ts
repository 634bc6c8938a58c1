// What became of a bag, for the platform that sent it: the state of its reference, and nothing about a person.
import { type Static, Type } from '@sinclair/typebox'
import { referenceKey } from '../cart/cart.ts'
import { orderPaymentStatus } from '../checkout/orders/payment.ts'
import { Problem } from '../errors.ts'
import { toDecimal } from '../money.ts'
import type { ReconcileStore } from './compare-lists.ts'
import { outcomeOf, type ReferenceHistory } from './reference-result.ts'

const STATES = ['open', 'ordered', 'paid', 'cancelled', 'refunded', 'expired', 'superseded', 'refused']

export const TransferStatus = Type.Object({
  reference: Type.String({ description: 'As it was asked for.' }),
  state: Type.String({
    enum: STATES,
    description:
      '"open": it can be ordered. "ordered": it was, and whether it is paid is not known here. "cancelled": its order was, ' +
      'or could not be paid, or its platform has cancelled it by UCP. "refunded": all of it was. "expired" and ' +
      '"superseded": it was not ordered, and cannot be any more. "refused": the last bag under the reference was.'
  }),
  at: Type.Optional(
    Type.String({
      description:
        'Since when, in UTC (ISO 8601): of an order, when it was placed, or reported by the shop. Absent if it expired long ago.'
    })
  ),
  orderNumber: Type.Optional(Type.String({ description: 'Of an order, as are total and currency.' })),
  total: Type.Optional(Type.String({ pattern: '^\\d+(\\.\\d+)?$', description: 'What was charged, in major units.' })),
  currency: Type.Optional(Type.String({ description: 'The ISO 4217 code.' })),
  problem: Type.Optional(
    Type.String({
      description: 'Why it was refused: the last part of the `type` of the answer, such as "cart-not-sellable".'
    })
  ),
  errorCodes: Type.Optional(
    Type.Array(Type.String(), { description: 'The codes of the `errors` of that answer, each once.' })
  )
})
export type TransferStatus = Static<typeof TransferStatus>

/** What a reference may look like: a UUID with hyphens is the longest. */
const REFERENCE = /^[!-~]{1,36}$/

/** @throws Problem `transfer-unknown` */
export async function findTransferStatus(
  store: Pick<ReconcileStore, 'referenceHistories'>,
  merchantId: string,
  reference: string,
  now: Date
): Promise<TransferStatus> {
  const isReference = REFERENCE.test(reference)
  const [[history] = []] = isReference ? await store.referenceHistories([merchantId], [referenceKey(reference)]) : []
  const status = history && transferStatus(history, now.toISOString())
  if (status) return { reference, ...status }
  const detail = 'No bag has arrived under this reference, or none that is still on record.'
  throw new Problem('transfer-unknown', { detail, ...(isReference && { reference }) })
}

const STATE_OF = { pending: 'ordered', paid: 'paid', failed: 'cancelled', refunded: 'refunded' } as const

/** @returns undefined if no bag is on record */
export function transferStatus(history: ReferenceHistory, now: string): Omit<TransferStatus, 'reference'> | undefined {
  const { order, payment } = history
  if (order) {
    const { number: orderNumber, currency } = order
    const amount = { orderNumber, total: toDecimal(order.total, currency), currency }
    if ('reportedAt' in order) return { state: order.status ?? 'ordered', at: order.reportedAt, ...amount }
    const state = payment ? STATE_OF[orderPaymentStatus(payment.state, payment.reason !== undefined)] : 'ordered'
    return { state, at: order.placedAt, ...amount }
  }
  const outcome = outcomeOf(undefined, history, now)
  switch (outcome.state) {
    case 'never-arrived':
      return undefined
    case 'not-ordered':
      return { state: 'open', at: outcome.at }
    case 'refused': {
      const { state, at, problem, mistakes } = outcome
      return { state, at, ...(problem !== undefined && { problem }), errorCodes: mistakes }
    }
    default: {
      const { state, at } = outcome
      return { state, ...(at !== undefined && { at }) }
    }
  }
}
