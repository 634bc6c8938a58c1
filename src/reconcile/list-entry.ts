// The rows of a list, and the entries that they make up, one per reference. Pure.

/** Whose list it is. */
export type ListSide = 'platform' | 'merchant'

export type ListItem = { sku: string; quantity: number }

/** One row of the list. Empty fields are absent, and are not compared. */
export type ListRow = {
  /** Its line in the file, counted from 1. */
  line: number
  reference: string
  /** The merchant's order number. */
  order?: string
  currency?: string
  /** Decimal, in major units. */
  total?: string
  items?: ListItem[]
  /** The item that the row is, if each row is one: the rows of a reference then belong together. */
  item?: ListItem
}

/** A row with its list, and the key that its reference is compared by. */
export type KeyedRow = ListRow & { key: string; side: ListSide }

/** Everything a list has on one reference, and the lines on which that reference is repeated. */
export type ReferenceEntry = Omit<KeyedRow, 'item'> & { repeats: number[] }

/**
 * Joins rows into entries. Item rows of one reference make up one entry, wherever they are in the list, as long as
 * order number, currency and total agree; an empty cell agrees with anything. Item rows that disagree, and any other
 * row whose reference has occurred before, are repeats: only the first is compared.
 * @param rows sorted by key, then by list, then by line
 */
export function* joinRows(rows: Iterable<KeyedRow>): Generator<ReferenceEntry> {
  let entry: ReferenceEntry | undefined
  /** The items of the entry, if it is made of item rows. */
  let joined: ListItem[] | undefined
  let others = new Set<string>()
  for (const { item, ...row } of rows) {
    if (entry?.key !== row.key || entry.side !== row.side) {
      if (entry) yield entry
      joined = item && [item]
      entry = { ...row, ...(joined && { items: joined }), repeats: [] }
      others = new Set()
    } else if (joined && item && FACTS.every(fact => agrees(entry?.[fact], row[fact]))) {
      for (const fact of FACTS) if (entry[fact] === undefined && row[fact] !== undefined) entry[fact] = row[fact]
      joined.push(item)
    } else {
      // All rows of another order under the same reference are one repeat.
      const other = JSON.stringify(FACTS.map(fact => row[fact]))
      if (!item || !others.has(other)) entry.repeats.push(row.line)
      others.add(other)
    }
  }
  if (entry) yield entry
}

/** What the lists have on one reference: an entry of either, or of both. */
export type EntryPair = { key: string } & Partial<Record<ListSide, ReferenceEntry>>

/** @param entries sorted by key */
export function* pairEntries(entries: Iterable<ReferenceEntry>): Generator<EntryPair> {
  let pair: EntryPair | undefined
  for (const entry of entries) {
    if (pair?.key !== entry.key) {
      if (pair) yield pair
      pair = { key: entry.key }
    }
    pair[entry.side] = entry
  }
  if (pair) yield pair
}

const FACTS = ['order', 'currency', 'total'] as const

function agrees(a: string | undefined, b: string | undefined): boolean {
  return a === undefined || b === undefined || a === b
}

/** A decimal without insignificant zeros: `0147.90` is `147.9`. */
export function plainDecimal(decimal: string): string {
  const plain = decimal.replace(/^0+(?=\d)/, '')
  return plain.includes('.') ? plain.replace(/\.?0+$/, '') : plain
}
