// A store with many orders, the platform's list of them, and a run of the command that compares the two and tells its
// time and its memory. One in a thousand differs, and each side misses one in a thousand.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { connectSqlite, migrateSqlite } from '../../src/store/sqlite/sqlite-store.ts'

const ROOT = join(import.meta.dirname, '../..')
const PLACED = '2026-11-20T10:00:00.000Z'
const EVERY = 1000

/** A reference that looks as random as a real one, the same each time. */
export function referenceOf(n: number): string {
  return createHash('md5').update(String(n)).digest('hex')
}

/** Fills a store with orders, all placed on one day at the merchant `shop`; every thousandth is only in the list. */
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
    if (n % EVERY === 1) continue
    const reference = referenceOf(n)
    insert.run(`N${n}`, reference, `t${n}`, reference, lines, PLACED)
  }
  db.exec('COMMIT')
  db.close()
}

/** Writes the list; every thousandth order is missing and every thousandth has another quantity. */
export async function writeList(file: string, count: number): Promise<void> {
  const out = createWriteStream(file)
  out.write('reference,order,currency,total,items\n')
  for (let n = 0; n < count; n++) {
    if (n % EVERY === 2) continue
    const reference = referenceOf(n).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
    const row = `${reference.toUpperCase()},N${n},GBP,25.00,MUG:${n % EVERY === 3 ? 1 : 2}\n`
    if (!out.write(row)) await once(out, 'drain')
  }
  out.end()
  await once(out, 'close')
}

export type Run = { code: number; stdout: string; seconds: number; computed: number; peak: number }

/** Runs the command by itself, without what a test runner adds to its environment. @returns `peak` in bytes */
export async function runReconcile(folder: string, database: string, args: string[]): Promise<Run> {
  const peakFile = join(folder, 'peak')
  const started = performance.now()
  const child = spawn(
    process.execPath,
    ['--import', join(ROOT, 'test/peak-memory.ts'), join(ROOT, 'src/cli/reconcile.ts'), ...args],
    {
      env: { DATABASE_URL: `sqlite:${database}`, PEAK_FILE: peakFile, TMPDIR: process.env.TMPDIR ?? '/tmp' },
      stdio: ['ignore', 'pipe', 'inherit']
    }
  )
  const chunks: string[] = []
  child.stdout.setEncoding('utf8').on('data', chunk => chunks.push(chunk))
  const [code] = await once(child, 'close')
  const seconds = (performance.now() - started) / 1000
  const [peak, computed] = JSON.parse(readFileSync(peakFile, 'utf8'))
  return { code, stdout: chunks.join(''), seconds, computed, peak }
}
