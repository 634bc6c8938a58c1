// What reconciling reads, from rows: the same in both databases.
import type { ListItem } from '../reconcile/list-entry.ts'
import type { OrderTime, ReferenceHistory } from '../reconcile/reconcile-store.ts'
import type { DatabaseRow } from './database-row.ts'
import { dayOf } from './transfer-rows.ts'

/** How many superseded checkouts a history has at most. */
export const MAX_SUPERSEDED = 20

/** What the store has on one reference of a merchant: its order, or what led to it. */
export type HistoryRows = {
  placed: DatabaseRow | undefined
  reported: DatabaseRow | undefined
  transfers: () => TransferRows
}

type TransferRows = {
  /** The newest one first, then the superseded ones, latest first. */
  checkouts: DatabaseRow[]
  last: DatabaseRow | undefined
}

/** The histories of one reference at several merchants: if any of them has an order, only of those with an order. */
export function historiesOf(found: (HistoryRows & { merchant: string })[]): ReferenceHistory[] {
  const ordered = found.flatMap(orderHistory)
  return ordered.length > 0 ? ordered : found.flatMap(transferHistory)
}

function orderHistory(found: HistoryRows & { merchant: string }): ReferenceHistory[] {
  const { merchant, placed, reported } = found
  if (placed) return [{ merchant, order: { ...amountsFromRow(placed), items: itemsOf(placed.lines) }, checkouts: [] }]
  if (!reported) return []
  const [history = { checkouts: [] }] = transferHistory(found)
  return [{ ...history, merchant, order: { ...amountsFromRow(reported), items: itemsOf(reported.items) } }]
}

function transferHistory({ merchant, transfers }: HistoryRows & { merchant: string }): ReferenceHistory[] {
  const { checkouts, last } = transfers()
  if (checkouts.length === 0 && !last) return []
  return [{ merchant, checkouts: checkouts.map(toCheckout), ...(last && { lastTransfer: toLastTransfer(last) }) }]
}

export function amountsFromRow(row: DatabaseRow) {
  const { placed_at, reported_at, arrived_at = null } = row
  const time: OrderTime =
    typeof placed_at === 'string'
      ? { placedAt: placed_at }
      : { reportedAt: String(reported_at), ...(arrived_at !== null && { arrivedAt: String(arrived_at) }) }
  return { number: String(row.number), currency: String(row.currency), total: Number(row.total), ...time }
}

/** The UTC day of the last moment before a time in ISO 8601. */
export function lastDayBefore(time: string): string {
  return dayOf(new Date(Date.parse(time) - 1).toISOString())
}

function toCheckout({
  cart,
  created_at,
  expires_at,
  superseded_at
}: DatabaseRow): ReferenceHistory['checkouts'][number] {
  return {
    items: itemsIn(JSON.parse(String(cart)).items),
    createdAt: String(created_at),
    expiresAt: String(expires_at),
    ...(superseded_at !== null && { supersededAt: String(superseded_at) })
  }
}

function toLastTransfer(row: DatabaseRow): NonNullable<ReferenceHistory['lastTransfer']> {
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
