// What is removed once it is old, or when an operator says so: expired checkouts with their payments, and what shoppers typed.
import { setTimeout as pause } from 'node:timers/promises'
import type { CheckoutStore } from '../checkout/checkout-store.ts'
import type { ErasureStore } from '../checkout/orders/order.ts'
import type { PaymentStore } from '../checkout/orders/payment.ts'
import { StoreUnavailable } from '../errors.ts'
import { type Database, type SqlValues, statement, type Work } from './database.ts'
import { readBareCart, stripCarts } from './ordered-carts.ts'
import { recordTransfer } from './stored-checkouts.ts'
import { ofOrder } from './stored-messages.ts'
import { WAITING } from './stored-payments.ts'

const SELECT_EXPIRED = `SELECT token, cart, transfer_option, created_at FROM checkouts
  WHERE merchant_id = $1 AND expires_at < $2 AND is_ordered = 0
  AND NOT EXISTS (SELECT 1 FROM payments WHERE payments.token = checkouts.token AND ${WAITING})
  ORDER BY expires_at LIMIT $3 FOR UPDATE SKIP LOCKED`
const DELETE = 'DELETE FROM checkouts WHERE token = ANY ($1)'
/** Money that came and went stays on record. */
const DELETE_PAYMENTS = `DELETE FROM payments WHERE token = ANY ($1) AND state <> 'refunded'`
const ERASE_REFUNDED = 'UPDATE payments SET content = NULL WHERE token = ANY ($1) AND content IS NOT NULL'

const ERASE = 'UPDATE orders SET customer = NULL WHERE number = $1 RETURNING token'
const ERASE_FROZEN = 'UPDATE payments SET content = NULL WHERE order_number = $1 RETURNING token'
const UNERASED = 'FROM orders WHERE merchant_id = $1 AND placed_at < $2 AND customer IS NOT NULL'
const ERASE_OLD = `WITH due AS (
    SELECT number ${UNERASED} AND NOT EXISTS
      (SELECT 1 FROM outbox WHERE ${ofOrder('orders.number')} AND state <> 'delivered')
    ORDER BY placed_at LIMIT $3 FOR UPDATE OF orders SKIP LOCKED
  )
  UPDATE orders SET customer = NULL WHERE number IN (SELECT number FROM due) RETURNING token`
const COUNT_UNERASED = `SELECT count(*) AS orders ${UNERASED}`
/** None of them was open for longer than until it expired. */
const ERASE_OLD_FROZEN = `WITH due AS (
    SELECT id FROM payments WHERE merchant_id = $1 AND expires_at < $2 AND content IS NOT NULL
      AND state IN ('ended', 'refunding', 'refunded')
    ORDER BY expires_at LIMIT $3 FOR UPDATE SKIP LOCKED
  )
  UPDATE payments SET content = NULL WHERE id IN (SELECT id FROM due) RETURNING token`

/** How often purging is attempted while others still see what was erased, and the pause in between, in milliseconds. */
const MAX_TRIES = 20
const PAUSE = 250

export function storedErasure({
  transaction,
  of,
  purge
}: Database): ErasureStore & Pick<CheckoutStore, 'deleteExpired'> & Pick<PaymentStore, 'erasePayments'> {
  /** False at first: a process that was killed may have erased without purging. */
  let isPurged = false

  /** Up to the limit that is among the values. */
  async function eraseOld(sql: string, merchantId: string, before: string, limit: number): Promise<number> {
    const count = await of(merchantId).transaction(() => erase(sql, [merchantId, before, limit]))
    if (count > 0) isPurged = false
    return count
  }

  async function purgeAll(): Promise<void> {
    for (let i = 0; i < MAX_TRIES; i++) {
      if (await purge()) return
      await pause(PAUSE)
    }
    throw new StoreUnavailable('erased, but others still read what was there before; erase again to finish')
  }

  return {
    deleteExpired: (merchantId, before, limit, recordsFrom) =>
      of(merchantId).transaction(function* () {
        const { rows } = yield statement(SELECT_EXPIRED, [merchantId, before, limit])
        let isPersonal = false
        for (const { cart, transfer_option, created_at } of rows) {
          const at = String(created_at)
          const { bare, isBare } = readBareCart(cart)
          if (!isBare) isPersonal = true
          if (at < recordsFrom) continue
          const { reference } = bare
          const option = String(transfer_option)
          yield statement(...recordTransfer({ merchantId, reference, option, at, outcome: 'accepted', mistakes: [] }))
        }
        const tokens = rows.map(({ token }) => String(token))
        yield statement(DELETE, [tokens])
        const deleted = (yield statement(DELETE_PAYMENTS, [tokens])).count
        const erased = (yield statement(ERASE_REFUNDED, [tokens])).count
        if (isPersonal || deleted + erased > 0) isPurged = false
        return rows.length
      }),
    eraseOrder: async number => {
      const erased = await transaction(function* () {
        return (yield* erase(ERASE, [number])) + (yield* erase(ERASE_FROZEN, [number]))
      })
      if (erased > 0) await purgeAll()
      return erased > 0
    },
    eraseOrders: (...batch) => eraseOld(ERASE_OLD, ...batch),
    erasePayments: (...batch) => eraseOld(ERASE_OLD_FROZEN, ...batch),
    countUnerased: async (merchantId, before) =>
      Number((await of(merchantId).read(COUNT_UNERASED, [merchantId, before])).rows[0]?.orders),
    purgeErased: async () => {
      if (isPurged) return
      await purgeAll()
      isPurged = true
    }
  }
}

/** Erases what a statement erases, and what came along with the carts whose tokens it returns. @returns how many rows */
function* erase(sql: string, values: SqlValues): Work<number> {
  const { rows } = yield statement(sql, values)
  yield* stripCarts(rows.map(({ token }) => String(token)))
  return rows.length
}
