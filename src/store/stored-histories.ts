// What reconciling reads: orders, checkouts and records of transfers, by reference.
import { type CartExtras, extrasOf } from '../cart/cart.ts'
import type { ReconcileStore } from '../reconcile/compare-lists.ts'
import type { ListItem } from '../reconcile/list-entry.ts'
import type { KnownPayment, OrderTime, ReferenceHistory } from '../reconcile/reference-result.ts'
import { type Database, type DatabaseRow, statement, type Work } from './database.ts'
import { CART_OF_ORDER, CART_OF_REPORTED, dayOf, originColumns, originFrom } from './stored-checkouts.ts'
import { REPORTED_ORDER_COLUMNS } from './stored-orders.ts'

/** How many superseded checkouts a history has at most. */
const MAX_SUPERSEDED = 20

/** Reads an index once for each merchant, however many rows it has. */
const merchantsIn = (rows: string) => `SELECT id FROM (
  WITH RECURSIVE ids AS (
    SELECT min(merchant_id) AS id FROM ${rows} merchant_id > ''
    UNION ALL SELECT (SELECT min(merchant_id) FROM ${rows} merchant_id > ids.id) FROM ids WHERE id IS NOT NULL
  ) SELECT id FROM ids WHERE id IS NOT NULL) AS found`
/** No index covers both kinds of checkouts. */
const CHECKOUTS = ['checkouts WHERE superseded_at IS NULL AND', 'checkouts WHERE superseded_at IS NOT NULL AND']
const OTHERS = ['orders', 'reported_orders', 'transfers', 'unreadable_transfers'].map(table => `${table} WHERE`)
const SELECT_MERCHANTS = `${[...CHECKOUTS, ...OTHERS].map(merchantsIn).join(' UNION ')} ORDER BY id`

const OF_REFERENCES = 'merchant_id = ANY ($1) AND reference_key = ANY ($2)'
const EACH = 'PARTITION BY merchant_id, reference_key'
const PAYMENT = 'state AS payment, reason, provider, coalesce(transaction_id, provider_id) AS payment_name'
/** Orders, with their payments. */
const PAID = `(SELECT orders.*, ${PAYMENT} FROM orders LEFT JOIN payments ON payments.id = payment_id) AS orders`
const SELECT_PLACED = `SELECT merchant_id, reference_key, number, currency, total, lines, customer, placed_at, payment, reason,
  provider, payment_name, ${originColumns(CART_OF_ORDER)} FROM ${PAID} WHERE ${OF_REFERENCES}`
/** Those whose money came for no order first, then the latest. */
const SELECT_ATTEMPTS = `SELECT merchant_id, reference_key, ${PAYMENT} FROM payments WHERE ${OF_REFERENCES}
  ORDER BY reason IS NULL, created_at DESC`
const SELECT_REPORTED = `SELECT ${REPORTED_ORDER_COLUMNS} FROM reported_orders WHERE ${OF_REFERENCES}
  UNION ALL
  SELECT ${REPORTED_ORDER_COLUMNS} FROM reported_orders WHERE merchant_id = ANY ($1) AND further_of = ANY ($2)
  ORDER BY reported_at`
const CHECKOUT = 'merchant_id, reference_key, transfer_option, cart, created_at, expires_at, superseded_at'
/** The newest one first, then the superseded ones, latest first. */
const SELECT_CHECKOUTS = `SELECT ${CHECKOUT}, 0 AS place FROM checkouts WHERE ${OF_REFERENCES} AND superseded_at IS NULL
  UNION ALL
  SELECT * FROM (
    SELECT ${CHECKOUT}, row_number() OVER (${EACH} ORDER BY superseded_at DESC) AS place FROM checkouts
    WHERE ${OF_REFERENCES} AND superseded_at IS NOT NULL
  ) AS superseded WHERE place <= ${MAX_SUPERSEDED}
  ORDER BY place`
const SELECT_LAST_TRANSFERS = `SELECT * FROM (
    SELECT merchant_id, reference_key, transfer_option, transferred_at, outcome, problem, mistakes,
      row_number() OVER (${EACH} ORDER BY transferred_at DESC, outcome) AS place FROM transfers WHERE ${OF_REFERENCES}
  ) AS recorded WHERE place = 1`

/** Of orders whose carts came in by $4, if that is one, or by a way that is not known. */
const cameIn = (checkout: string) => `NOT EXISTS (SELECT 1 FROM checkouts WHERE ${checkout} AND transfer_option <> $4)`
const SUMMARY = 'reference_key, reference, number, currency, total'
/** Each table has its own limit: PostgreSQL would look up the cart of every order of the merchant, and then sort them. */
const SELECT_ORDERS = `SELECT * FROM (
    SELECT ${SUMMARY}, placed_at, NULL AS reported_at, NULL AS arrived_at, NULL AS status, payment, reason,
      provider, payment_name, customer, ${originColumns(CART_OF_ORDER)} FROM ${PAID}
    WHERE merchant_id = $1 AND reference_key > $2 AND ${cameIn(CART_OF_ORDER)} ORDER BY reference_key LIMIT $3
  ) AS placed
  UNION ALL
  SELECT * FROM (
    SELECT ${SUMMARY}, NULL AS placed_at, reported_at, arrived_at, status, NULL AS payment, NULL AS reason,
      NULL AS provider, NULL AS payment_name, NULL AS customer, ${originColumns(CART_OF_REPORTED)} FROM reported_orders
    WHERE merchant_id = $1 AND reference_key > $2 AND ${cameIn(CART_OF_REPORTED)} ORDER BY reference_key LIMIT $3
  ) AS reported
  ORDER BY reference_key LIMIT $3`
const SELECT_UNREADABLE = `SELECT coalesce(sum(transfers), 0) AS transfers FROM unreadable_transfers
  WHERE merchant_id = $1 AND transferred_on >= $2 AND transferred_on <= $3`

function* referenceHistories(merchants: string[], keys: string[]): Work<ReferenceHistory[][]> {
  /** @returns a function that finds the rows of a merchant's reference, in their order */
  function* select(sql: string, keys: string[]): Work<(merchant: string, key: string) => DatabaseRow[]> {
    const { rows } = yield statement(sql, [merchants, keys])
    const groups = Map.groupBy(rows, row => row.further_of ?? row.reference_key)
    return (merchant, key) => groups.get(key)?.filter(row => row.merchant_id === merchant) ?? []
  }
  const placed = yield* select(SELECT_PLACED, keys)
  const reported = yield* select(SELECT_REPORTED, keys)
  const isAt = (found: typeof placed, key: string) => merchants.some(merchant => found(merchant, key).length > 0)
  // What led to an order that was placed here is not part of a history.
  const open = keys.filter(key => isAt(reported, key) || !isAt(placed, key))
  const checkouts = yield* select(SELECT_CHECKOUTS, open)
  const transfers = yield* select(SELECT_LAST_TRANSFERS, open)
  const attempts = yield* select(SELECT_ATTEMPTS, open)

  /** A merchant's order under a reference, or what led to it; none if there is nothing. */
  function historyOf(merchant: string, key: string): ReferenceHistory[] {
    const [ours] = placed(merchant, key)
    if (ours)
      return [
        {
          merchant,
          order: { ...amountsFromRow(ours), items: itemsOf(ours.lines) },
          ...paymentFrom(ours),
          ...originFrom(ours),
          ...extrasFrom(ours.customer),
          checkouts: []
        }
      ]
    const all = reported(merchant, key)
    // The one that stands is what the platform should have.
    const theirs = all.find(isStanding) ?? all[0]
    const further = all.filter(row => row !== theirs && isStanding(row)).map(({ number }) => String(number))
    const [last] = transfers(merchant, key)
    const paying = theirs ? {} : paymentFrom(attempts(merchant, key)[0])
    const carts = checkouts(merchant, key)
    const history = {
      merchant,
      ...(theirs && { order: { ...amountsFromRow(theirs), items: itemsOf(theirs.items) } }),
      ...(further.length > 0 && { further }),
      ...paying,
      ...originFrom(carts[0] ?? last),
      ...extrasFrom(carts[0]?.cart),
      checkouts: carts.map(checkoutFromRow),
      ...(last && { lastTransfer: lastTransferFromRow(last) })
    }
    return theirs || last || paying.payment || history.checkouts.length > 0 ? [history] : []
  }

  return keys.map(key => {
    const histories = merchants.flatMap(merchant => historyOf(merchant, key))
    const ordered = histories.filter(({ order }) => order)
    return ordered.length > 0 ? ordered : histories
  })
}

export function storedHistories({ read, snapshot, of }: Database): ReconcileStore {
  return {
    merchantsInStore: async () => (await read(SELECT_MERCHANTS)).rows.map(({ id }) => String(id)),
    referenceHistories: (merchants, keys) => {
      const queries = merchants.length === 1 ? of(String(merchants[0])) : { snapshot }
      return queries.snapshot(() => referenceHistories(merchants, keys))
    },
    ordersAfter: async (merchant, after, limit, way) =>
      (await read(SELECT_ORDERS, [merchant, after, limit, way ?? null])).rows.map(row => ({
        key: String(row.reference_key),
        reference: String(row.reference),
        ...amountsFromRow(row),
        ...paymentFrom(row),
        ...originFrom(row),
        ...extrasFrom(row.customer)
      })),
    unreadableTransfers: async (merchant, from, before) =>
      Number((await read(SELECT_UNREADABLE, [merchant, dayOf(from), lastDayBefore(before)])).rows[0]?.transfers)
  }
}

function isStanding({ status = null }: DatabaseRow): boolean {
  return status === null || status === 'placed'
}

function amountsFromRow(row: DatabaseRow) {
  const { placed_at, reported_at, arrived_at = null, status } = row
  const time: OrderTime =
    typeof placed_at === 'string'
      ? { placedAt: placed_at }
      : {
          reportedAt: String(reported_at),
          ...(arrived_at !== null && { arrivedAt: String(arrived_at) }),
          ...(!isStanding(row) && { status: String(status) })
        }
  return { number: String(row.number), currency: String(row.currency), total: Number(row.total), ...time }
}

function paymentFrom({ payment: state = null, reason, provider, payment_name: id }: DatabaseRow = {}): {
  payment?: KnownPayment
} {
  if (state === null) return {}
  const payment = { state, ...(reason !== null && { reason }), provider, ...(id !== null && { id }) }
  return { payment: payment as KnownPayment }
}

/** @param json a cart, or what is personal of an order; null if that is erased */
function extrasFrom(json: unknown = null): CartExtras {
  return json === null ? {} : extrasOf(JSON.parse(String(json)))
}

function checkoutFromRow(row: DatabaseRow): ReferenceHistory['checkouts'][number] {
  return {
    items: itemsIn(JSON.parse(String(row.cart)).items),
    createdAt: String(row.created_at),
    expiresAt: String(row.expires_at),
    ...(row.superseded_at !== null && { supersededAt: String(row.superseded_at) })
  }
}

function lastTransferFromRow(row: DatabaseRow): NonNullable<ReferenceHistory['lastTransfer']> {
  return {
    at: String(row.transferred_at),
    outcome: String(row.outcome),
    ...(row.problem !== null && { problem: String(row.problem) }),
    mistakes: JSON.parse(String(row.mistakes))
  }
}

function itemsOf(json: unknown): ListItem[] {
  return itemsIn(JSON.parse(String(json)))
}

function itemsIn(lines: ListItem[]): ListItem[] {
  return lines.map(({ sku, quantity }) => ({ sku, quantity }))
}

/** The UTC day of the last moment before a time in ISO 8601. */
function lastDayBefore(time: string): string {
  return dayOf(new Date(Date.parse(time) - 1).toISOString())
}
