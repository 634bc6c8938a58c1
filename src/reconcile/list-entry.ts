// The rows of two lists, and the entries that they make up, one per reference and list. Pure.
import type { ListedStatus } from './status-words.ts'

/** Whose list it is. */
export type ListSide = 'platform' | 'merchant'

export type ListItem = { sku: string; quantity: number }

/** Empty fields are absent, and are not compared. */
export type ListRow = {
  /** Its line in the file, counted from 1. */
  line: number
  /** Empty in a list without references, whose orders are known by their numbers. */
  reference: string
  /** The merchant's order number. */
  order?: string
  currency?: string
  /** Decimal, in major units. */
  total?: string
  items?: ListItem[]
  /** Absent if nothing is said; the order then stands. What begins with `payment-` is of orders placed here, and in no list. */
  status?: ListedStatus | 'payment-pending' | 'payment-failed'
  /** Where it came from, as the merchant's system says. */
  attribution?: string
  /** The item that the row is, if each row is one: the rows of a reference then belong together. */
  item?: ListItem
  /** Set if there is a mistake in it; it then has no more than its reference, its order number, and whether it is an item. */
  isUnreadable?: true
}

/** A row with its list, and the key that its reference is compared by. */
export type KeyedRow = ListRow & { key: string; side: ListSide }

/** Everything a list has on one reference, and the lines on which that reference is repeated. */
export type ReferenceEntry = Omit<ListRow, 'item'> & { repeats: number[] }

/** What the lists have on one reference. */
export type EntryPair = { key: string } & Partial<Record<ListSide, ReferenceEntry>>

export const FACTS = ['order', 'currency', 'total'] as const

/** What rows of one order agree on. */
const COMMON = [...FACTS, 'status'] as const

/**
 * Yields up to `limit` pairs at a time. Item rows of one reference make up one entry, wherever they are in the list, as long
 * as order number, currency, total and status agree; an empty cell agrees with anything. Item rows that disagree, and any
 * other row whose reference has occurred before, are repeats: only the first is compared. In the merchant's list, a row with
 * the order number of the first that agrees with it in all is no repeat. An unreadable row makes its entry unreadable if that
 * is made of items, or has no other.
 * @param rows sorted by key, then by list, then by line
 */
export function* pairEntries(rows: Iterable<KeyedRow>, limit: number): Generator<EntryPair[]> {
  let pairs: EntryPair[] = []
  /** The items of the entry, if it is made of item rows. */
  let joined: ListItem[] | undefined
  let others = new Set<string>()
  for (const { key, side, item, ...row } of rows) {
    if (pairs.at(-1)?.key !== key) {
      if (pairs.length === limit) {
        yield pairs
        pairs = []
      }
      pairs.push({ key })
    }
    const pair = pairs.at(-1) as EntryPair
    const entry = pair[side]
    if (!entry || (entry.isUnreadable && !joined)) {
      joined = item && [item]
      others = new Set()
      pair[side] = { ...row, ...(joined && { items: joined }), repeats: [] }
    } else if (joined && item && COMMON.every(fact => agrees(entry[fact], row[fact]))) {
      Object.assign(entry, { ...row, line: entry.line, reference: entry.reference })
      joined.push(item)
    } else if (!row.isUnreadable && !(side === 'merchant' && isFurtherRowOf(entry, row))) {
      // All rows of another order under the same reference are one repeat.
      const other = JSON.stringify(COMMON.map(fact => row[fact]))
      if (!item || !others.has(other)) entry.repeats.push(row.line)
      others.add(other)
    }
  }
  if (pairs.length > 0) yield pairs
}

/** Shops write a row for each item of an order, also if nobody reads which it is. */
function isFurtherRowOf(entry: ReferenceEntry, row: ListRow): boolean {
  const isSame = row.order !== undefined && row.order === entry.order && row.items === undefined
  return isSame && COMMON.every(fact => agrees(entry[fact], row[fact]))
}

function agrees(a: string | undefined, b: string | undefined): boolean {
  return a === undefined || b === undefined || a === b
}

/** A decimal without insignificant zeros: `0147.90` is `147.9`. */
export function plainDecimal(decimal: string): string {
  const plain = decimal.replace(/^0+(?=\d)/, '')
  return plain.includes('.') ? plain.replace(/\.?0+$/, '') : plain
}
