// Checkouts in PostgreSQL. Several servers may write at once: what one statement does is atomic, and a statement that
// another server forestalled changes nothing and is followed by another look.
import { referenceKey } from '../../cart/cart.ts'
import type { CheckoutStore, NewCheckout, StoredCheckout } from '../../checkout/checkout-store.ts'
import { CHECKOUT_COLUMNS, checkoutFromRow, checkoutValues, serves, WHOLE_CHECKOUT } from '../checkout-rows.ts'
import type { Connections, Run } from './connections.ts'
import { groupInserts } from './group-inserts.ts'
import { insertTransfers } from './postgres-transfers.ts'
import { statement } from './statement.ts'
import { takeTurns } from './turns.ts'

const SELECT_NEWEST = statement(
  `SELECT ${WHOLE_CHECKOUT} FROM checkouts WHERE merchant_id = $1 AND reference_key = $2 AND superseded_at IS NULL`
)
const SELECT_BY_TOKEN = statement(`SELECT ${WHOLE_CHECKOUT} FROM checkouts WHERE token = $1 AND merchant_id = $2`)
const INSERT_ALL = statement(
  `INSERT INTO checkouts (${CHECKOUT_COLUMNS})
   SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[])
   ON CONFLICT DO NOTHING RETURNING token`
)
const INSERT = statement(
  `INSERT INTO checkouts (${CHECKOUT_COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
   ON CONFLICT (merchant_id, reference_key) WHERE superseded_at IS NULL DO NOTHING`
)
/** Nothing, if by now the old one has an order or has been replaced. */
const REPLACE = statement(
  `WITH old AS (
     UPDATE checkouts SET superseded_at = $6 WHERE token = $9 AND superseded_at IS NULL AND is_ordered = 0
     RETURNING token
   )
   INSERT INTO checkouts (${CHECKOUT_COLUMNS})
   SELECT $1::text, $2::text, $3::text, $4::text, $5::text, $6::text, $7::text, $8::text FROM old`
)
const DELETE_EXPIRED = statement(
  `WITH expired AS (
     SELECT token FROM checkouts WHERE merchant_id = $1 AND expires_at < $2 AND is_ordered = 0
     ORDER BY expires_at LIMIT $3 FOR UPDATE SKIP LOCKED
   )
   DELETE FROM checkouts USING expired WHERE checkouts.token = expired.token
   RETURNING transfer_option, created_at, CASE WHEN created_at >= $4 THEN cart END AS cart`
)

export async function newestCheckout(
  run: Run,
  merchantId: string,
  reference: string
): Promise<StoredCheckout | undefined> {
  const [row] = (await run(SELECT_NEWEST, [merchantId, referenceKey(reference)])).rows
  return row && checkoutFromRow(row)
}

/** As `addCheckout`, in a transaction of the caller's or without one. */
export async function addCheckout(run: Run, checkout: NewCheckout): Promise<StoredCheckout> {
  const { merchantId, cart } = checkout
  const values = checkoutValues(checkout)
  while (true) {
    const existing = await newestCheckout(run, merchantId, cart.reference)
    if (existing && serves(existing, checkout)) return existing
    const added = existing ? await run(REPLACE, [...values, existing.token]) : await run(INSERT, values)
    if (added.rowCount === 1) return checkout
  }
}

export function postgresCheckouts({ run, transaction }: Connections, timeout: number): CheckoutStore {
  const insertAll = async (checkouts: NewCheckout[]) => {
    // In the same order at every server: two batches that wait for each other would never end.
    const rows = checkouts.toSorted(byReference).map(checkoutValues)
    const columns = CHECKOUT_COLUMNS.split(',').map((_, i) => rows.map(row => row[i]))
    return new Set((await run(INSERT_ALL, columns)).rows.map(({ token }) => String(token)))
  }
  const inTurn = takeTurns()
  const add = (checkout: NewCheckout) =>
    inTurn(JSON.stringify([checkout.merchantId, referenceKey(checkout.cart.reference)]), () =>
      addCheckout(run, checkout)
    )
  return {
    newestCheckout: (merchantId, reference) => newestCheckout(run, merchantId, reference),
    addCheckout: groupInserts({ insertAll, add, timeout }),
    findCheckout: async (merchantId, token) => {
      // No column can hold it.
      if (token.includes('\0')) return undefined
      const [row] = (await run(SELECT_BY_TOKEN, [token, merchantId])).rows
      return row && checkoutFromRow(row)
    },
    deleteExpired: (merchantId, before, limit, recordsFrom) =>
      transaction(async run => {
        const { rows } = await run(DELETE_EXPIRED, [merchantId, before, limit, recordsFrom])
        const recorded = rows.filter(({ cart }) => cart !== null)
        await insertTransfers(
          run,
          recorded.map(row => ({
            merchantId,
            reference: JSON.parse(String(row.cart)).reference,
            option: String(row.transfer_option),
            at: String(row.created_at),
            outcome: 'accepted',
            mistakes: []
          }))
        )
        return rows.length
      })
  }
}

function byReference({ cart: a }: NewCheckout, { cart: b }: NewCheckout): number {
  return a.reference < b.reference ? -1 : Number(a.reference > b.reference)
}
