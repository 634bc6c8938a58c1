// Generates a store with many orders, the platform's list of them and the merchant's own, and measures the time and memory
// of reconciling two of them. One order in a thousand differs, and each side lacks one in a thousand.
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { connectSqlite } from '../../src/store/sqlite/sqlite-file.ts'
import { migrateSqlite } from '../../src/store/sqlite/sqlite-schema.ts'
import { ROOT, spawnNode } from '../node-process.ts'

const PLACED_AT = '2026-11-20T10:00:00.000Z'
const INTERVAL = 1000

/** A reference that looks random, as a real one does, but is the same in every run. */
export function referenceOf(n: number): string {
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

/** Writes the platform's list; every thousandth order is left out, and every thousandth has another quantity. */
export function writeList(file: string, count: number): Promise<void> {
  return writeRows(file, count, { leftOut: 2, changed: 3 })
}

/** Writes the merchant's list, with the orders that `writeOrders` has. */
export function writeMerchantList(file: string, count: number): Promise<void> {
  return writeRows(file, count, { leftOut: 1, changed: undefined })
}

type Places = { leftOut: number; changed: number | undefined }

async function writeRows(file: string, count: number, { leftOut, changed }: Places): Promise<void> {
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

export type Run = { code: number; stdout: string; seconds: number; cpuSeconds: number; peak: number }

/** Less than a list of 50,000 rows takes, and little of it for new objects: in MB. */
const SMALL_HEAP = ['--max-old-space-size=32', '--max-semi-space-size=1']

/** Runs the command in a small heap, without the environment that a test runner adds. @returns `peak` in bytes */
export async function runReconcile(folder: string, database: string, args: string[]): Promise<Run> {
  const peakFile = join(folder, 'peak')
  const started = performance.now()
  const child = spawnNode(
    [...SMALL_HEAP, '--import', join(ROOT, 'test/peak-memory.ts'), join(ROOT, 'src/cli/reconcile.ts'), ...args],
    {
      env: { DATABASE_URL: `sqlite:${database}`, PEAK_FILE: peakFile, TMPDIR: process.env.TMPDIR ?? '/tmp' },
      stdio: ['ignore', 'pipe', 'inherit']
    }
  )
  const chunks: string[] = []
  child.stdout.setEncoding('utf8').on('data', chunk => chunks.push(chunk))
  const [code] = await once(child, 'close')
  const seconds = (performance.now() - started) / 1000
  const [peak, cpuSeconds] = JSON.parse(readFileSync(peakFile, 'utf8'))
  return { code, stdout: chunks.join(''), seconds, cpuSeconds, peak }
}
