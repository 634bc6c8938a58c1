// A database as tables and rows of plain values, for copying one into another.
import { createHash } from 'node:crypto'

/** In the order of the table's columns. */
export type TableRow = (string | number | null)[]

export type DatabaseTable = { name: string; columns: string[] }

export type Tables = {
  tables: (DatabaseTable & { rows: number })[]
  readRows: (table: DatabaseTable) => Iterable<TableRow>
}

/** Adds up a hash of each row: two tables have the same sum if they have the same rows, each as often, in any order. */
export function rowSum(): { add: (rows: TableRow[]) => void; result: () => bigint } {
  let sum = 0n
  return {
    add: rows => {
      for (const row of rows) {
        const hash = createHash('sha256').update(JSON.stringify(row)).digest()
        sum = BigInt.asUintN(128, sum + hash.readBigUInt64LE(0) + (hash.readBigUInt64LE(8) << 64n))
      }
    },
    result: () => sum
  }
}
