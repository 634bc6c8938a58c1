// Generates a store with many orders, the platform's list of them and the merchant's own. One order in a thousand differs, and
// each side lacks one in a thousand.
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { connectSqlite, migrateSqlite } from '../../src/store/sqlite/sqlite-file.ts'
import { type NodeRun, runNode } from '../node-process.ts'

const PLACED_AT = '2026-11-20T10:00:00.000Z'
const INTERVAL = 1000

/** A reference that looks random, as a real one does, but is the same in every run. */
function referenceOf(n: number): string {
  return createHash('md5').update(String(n)).digest('hex')
}

/** Fills a store with orders of the merchant `shop`, all placed at the same time; every thousandth is left out. */
export function writeOrders(file: string, count: number): void {
  const db = connectSqlite(file)
  migrateSqlite(db)
  const insert = db.prepare(
    `INSERT INTO orders (number, merchant_id, reference_key, token, reference, currency, lines, subtotal, total, placed_at)
     VALUES (?, 'shop', ?, ?, ?, 'GBP', ?, 2500, 2500, ?)`
  )
  const lines = JSON.stringify([{ sku: 'MUG', title: 'Sea-glass mug', quantity: 2, unitPrice: 1250, lineTotal: 2500 }])
  db.exec('BEGIN')
  for (let n = 0; n < count; n++) {
    if (n % INTERVAL === 1) continue
    const reference = referenceOf(n)
    insert.run(`N${n}`, reference, `t${n}`, reference, lines, PLACED_AT)
  }
  db.exec('COMMIT')
  db.close()
}

/** Of a thousand orders, one is left out, and one may have another quantity; the merchant's list is as `writeOrders`. */
export async function writeList(
  file: string,
  count: number,
  side: 'platform' | 'merchant' = 'platform'
): Promise<void> {
  const { leftOut, changed } = side === 'merchant' ? { leftOut: 1 } : { leftOut: 2, changed: 3 }
  const out = createWriteStream(file)
  out.write('reference,order,currency,total,items\n')
  for (let n = 0; n < count; n++) {
    if (n % INTERVAL === leftOut) continue
    const reference = referenceOf(n).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
    const row = `${reference.toUpperCase()},N${n},GBP,25.00,MUG:${n % INTERVAL === changed ? 1 : 2}\n`
    if (!out.write(row)) await once(out, 'drain')
  }
  out.end()
  await once(out, 'close')
}

/** In MB: reconciling needs 12 however long the lists are; with the rows of one list of 50,000 in memory, 24 are too few. */
const SMALL_HEAP = ['--max-old-space-size=20', '--max-semi-space-size=1']

/** Runs the command in a small heap. */
export function reconcileInSmallHeap(database: string, args: string[]): Promise<NodeRun> {
  const env = { ...process.env, DATABASE_URL: `sqlite:${database}` }
  return runNode([...SMALL_HEAP, 'src/cli/reconcile.ts', ...args], { env })
}
