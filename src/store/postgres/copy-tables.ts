// Tables copied into PostgreSQL, in one transaction: in the end all of their rows are there, compared with the original,
// or none is. Whoever else uses the database waits meanwhile.
import { createHash } from 'node:crypto'
import { OperatorError } from '../../errors.ts'
import type { DatabaseTable, TableRow, Tables } from '../sqlite/copy-sqlite.ts'
import type { Connections, Run } from './connections.ts'

/** Roughly how many characters one statement inserts. */
const BATCH_SIZE = 1_000_000
const FETCHED_ROWS = 500

const NO_TIMEOUTS = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout']

/** Whether the rows were copied, or all of them were there before. */
export type CopyResult = 'copied' | 'there-already'

/**
 * Copies every row into the table of the same name, and reads it again. All these tables have to be empty.
 * @param progress told after each batch how many rows have been read, of the original and again of the copy
 * @throws OperatorError if the target has other rows, or if a copy differs from its original; then nothing was copied
 */
export function copyTables(
  { session }: Connections,
  source: Tables,
  progress: (done: number) => void
): Promise<CopyResult> {
  // A session that fails is closed, and its transaction with it.
  return session(async run => {
    for (const name of NO_TIMEOUTS) await run(`SET ${name} = 0`)
    await run('BEGIN')
    const result = await copyAll(run, source, progress)
    await run('ANALYZE')
    await run('COMMIT')
    return result
  })
}

async function copyAll(run: Run, { tables, readRows }: Tables, progress: (done: number) => void): Promise<CopyResult> {
  await run(`LOCK TABLE ${tables.map(({ name }) => name).join(', ')} IN ACCESS EXCLUSIVE MODE`)
  const used: string[] = []
  for (const { name } of tables) {
    if ((await run(`SELECT 1 FROM ${name} LIMIT 1`)).rows.length > 0) used.push(name)
  }
  const isEmpty = used.length === 0
  let done = 0
  const count = (rows: TableRow[]) => {
    done += rows.length
    progress(done)
  }
  for (const table of tables) {
    const { insert, read } = await tableIn(run, table)
    let original = 0n
    for (const rows of batches(readRows(table))) {
      if (isEmpty) await insert(rows)
      original = addHashes(original, rows)
      count(rows)
    }
    let copy = 0n
    for await (const rows of read()) {
      copy = addHashes(copy, rows)
      count(rows)
    }
    if (original === copy) continue
    throw new OperatorError(
      isEmpty
        ? `the copy of the table ${table.name} differs from the original; nothing was copied`
        : `the target has other rows already, in ${used.join(', ')}; give an empty database`
    )
  }
  return isEmpty ? 'copied' : 'there-already'
}

/** Adds a hash of each row to a sum: two tables have the same if they have the same rows, each as often, in any order. */
function addHashes(sum: bigint, rows: TableRow[]): bigint {
  for (const row of rows) {
    const hash = createHash('sha256').update(JSON.stringify(row)).digest()
    sum = BigInt.asUintN(128, sum + hash.readBigUInt64LE(0) + (hash.readBigUInt64LE(8) << 64n))
  }
  return sum
}

/** A table of the copy: its rows can be inserted, and read. */
async function tableIn(run: Run, { name, columns }: DatabaseTable) {
  const { rows } = await run(
    `SELECT attname FROM pg_attribute WHERE attrelid = $1::regclass AND atttypid = 'bigint'::regtype`,
    [name]
  )
  /** The driver gives their values as text, as they may be too large for a number. */
  const bigints = new Set(rows.map(({ attname }) => attname))
  const arrays = columns.map((column, i) => `$${i + 1}::${bigints.has(column) ? 'bigint' : 'text'}[]`)
  return {
    insert: (rows: TableRow[]) =>
      run(
        `INSERT INTO ${name} (${columns.join(', ')}) SELECT * FROM unnest(${arrays.join(', ')})`,
        columns.map((_, i) => rows.map(row => row[i] ?? null))
      ),
    read: async function* (): AsyncIterable<TableRow[]> {
      await run(`DECLARE copied CURSOR FOR SELECT ${columns.join(', ')} FROM ${name}`)
      while (true) {
        const { rows } = await run(`FETCH ${FETCHED_ROWS} FROM copied`)
        if (rows.length === 0) break
        yield rows.map(row =>
          columns.map(column => {
            const value = row[column] as string | null
            return value !== null && bigints.has(column) ? Number(value) : value
          })
        )
      }
      await run('CLOSE copied')
    }
  }
}

function* batches(rows: Iterable<TableRow>): Iterable<TableRow[]> {
  let batch: TableRow[] = []
  let size = 0
  for (const row of rows) {
    batch.push(row)
    size += row.join('').length
    if (size < BATCH_SIZE) continue
    yield batch
    batch = []
    size = 0
  }
  if (batch.length > 0) yield batch
}
