// A database file that is damaged: no request gets a 500 for it, nothing more is taken, and readiness remembers it.
import { closeSync, copyFileSync, openSync, readFileSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import t from 'tap'
import { StoreDamaged, StoreUncertain } from '../../../src/errors.ts'
import { openSqliteTables } from '../../../src/store/sqlite/copy-sqlite.ts'
import { openSqlite } from '../../../src/store/sqlite/sqlite-store.ts'
import { build } from '../../build.ts'
import { textOf } from '../../pages/read-page.ts'
import { ADA, formOf } from '../../pages/shopper.ts'
import { bagOf } from '../../running-shop.ts'
import { newCheckout } from '../store-suite.ts'
import { connect, fileOf } from './connected.ts'

const PAGE = 4096
const ADVICE = 'stop every server and restore a backup, as src/store/README.md says'
const FULL_DAY = { createdAt: '2026-11-20T09:00:00.000Z', expiresAt: '2026-11-21T09:00:00.000Z' }
const tokenOf = (n: number) => `token-${n}-${'x'.repeat(20)}`
const referenceOf = (n: number) => `${n}`.padStart(32, '0')

/** A database of a few hundred pages. */
async function fill(file: string): Promise<{ tokens: string[]; pages: number }> {
  const store = openSqlite(file)
  const tokens = Array.from({ length: 600 }, (_, n) => tokenOf(n))
  await Promise.all(
    tokens.map((token, n) => {
      // Every fortieth is so large that its JSON goes on in pages of its own, which SQLite cannot check.
      const lines = n % 40 === 0 ? 150 : 1 + (n % 30)
      const items = Array.from({ length: lines }, () => ({ sku: 'MUG', quantity: 1 }))
      return store.addCheckout(newCheckout(token, { reference: referenceOf(n), items, ...FULL_DAY }))
    })
  )
  await store.close()
  return { tokens, pages: statSync(file).size / PAGE }
}

/** Overwrites every seventh of the pages that are leaves of a table or an index, or a part of a long row. */
function overwrite(file: string): number {
  const bytes = readFileSync(file)
  const [TABLE, INDEX] = [5, 2]
  let seen = 0
  let overwritten = 0
  for (let at = 40 * PAGE; at < bytes.length; at += PAGE) {
    const isBranch = bytes[at] === TABLE || bytes[at] === INDEX
    if (isBranch || seen++ % 7 > 0) continue
    bytes.fill(0xa5, at, at + PAGE)
    overwritten++
  }
  writeFileSync(file, bytes)
  return overwritten
}

t.test('with a page of seven overwritten nobody gets a 500, and /readyz is 503 from then on', async t => {
  const file = join(t.testdir({}), 'damaged.sqlite')
  const { tokens, pages } = await fill(file)
  const damaged = overwrite(file)
  t.ok(damaged > pages / 10, `${damaged} of ${pages} pages`)
  const damagedStore = openSqlite(file)
  await damagedStore.checkReady()
  const { app, logs } = await build(t, { store: store => ({ ...damagedStore, close: store.close }) })
  t.teardown(damagedStore.close)

  const statuses: number[] = []
  for (const token of tokens) statuses.push((await app.inject(`/shop/checkout/${token}`)).statusCode)
  t.strictSame([...new Set(statuses)].sort(), [200, 503])
  const unavailable = statuses.filter(status => status === 503).length
  t.ok(unavailable > tokens.length / 20, `${unavailable} pages of ${tokens.length}`)
  const headers = { 'content-type': 'application/json' }
  for (const payload of [bagOf('f'.repeat(32)), bagOf(referenceOf(1))]) {
    const refused = await app.inject({ method: 'POST', url: '/shop/cart', headers, payload })
    t.match([refused.statusCode, refused.json().type], [503, /store-unavailable/], 'a restored backup would lack it')
  }
  const sound = tokens.find((_token, n) => statuses[n] === 200)
  const page = await app.inject(`/shop/checkout/${sound}`)
  const order = await app.inject({
    method: 'POST',
    url: `/shop/checkout/${sound}`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: `${new URLSearchParams({ ...formOf(page.body)?.fields, ...ADA })}`
  })
  t.match([order.statusCode, textOf(order.body)], [503, /not been placed|no order/i])

  const lines = logs.filter(({ err }) => err)
  const told = lines.filter(({ msg }) => msg === 'The store cannot be reached at the moment')
  t.equal(told.length, 1)
  t.match(told, [{ err: { message: new RegExp(`^the database file ${file} is damaged: ${ADVICE}`) } }])
  t.equal((await app.inject('/readyz')).statusCode, 503)
})

t.test('JSON that was overwritten is damage too, of which the log shows nothing', async t => {
  const { store, db, file } = connect(t)
  await store.addCheckout(newCheckout('t1'))
  db.exec(`UPDATE checkouts SET cart = '{"reference": "Ada Lovelace' || char(1)`)
  const error = await store.findCheckout('shop', 't1').catch(error => error)
  t.ok(error instanceof StoreDamaged)
  t.equal(error.message, `the database file ${file} is damaged: ${ADVICE}`)
  t.equal(error.cause, undefined)
  t.equal(await store.checkReady().catch(error => error), error)
})

t.test('if a commit finds the index of the log damaged, nobody knows: the next start finds what it wrote', async t => {
  const { store, file } = connect(t)
  for (const n of [1, 2]) await store.addCheckout(newCheckout(`t${n}`, { reference: `${n}` }))
  const index = openSync(`${file}-shm`, 'r+')
  // From the first table of hashes on: as a stray write leaves it.
  writeSync(index, Buffer.alloc(4 * PAGE, 1), 0, 4 * PAGE, 4 * PAGE)
  closeSync(index)
  const error = await store.addCheckout(newCheckout('t3', { reference: '3' })).catch(error => error)
  t.ok(error instanceof StoreUncertain)
  t.match(error.cause, { message: /malformed/ })
  t.ok((await store.checkReady().catch(error => error)) instanceof StoreDamaged, 'but it is damage')

  const [copy, log] = ['', '-wal'].map(suffix => join(t.testdirName, `copy.sqlite${suffix}`)) as [string, string]
  copyFileSync(file, copy)
  copyFileSync(`${file}-wal`, log)
  const next = openSqlite(copy)
  t.teardown(() => next.close())
  t.match(await next.findCheckout('shop', 't3'), { token: 't3' })
})

t.test('a copy into another database of a table that is damaged says so before it begins', async t => {
  t.testdir({ data: {} })
  const file = fileOf(t)
  await fill(file)
  const db = new DatabaseSync(file)
  const root = Number(db.prepare(`SELECT rootpage FROM sqlite_schema WHERE name = 'checkouts'`).get()?.rootpage)
  db.close()
  const bytes = readFileSync(file)
  // The first page of rows: its number is in the first cell of the table's own page.
  const cell = (root - 1) * PAGE + bytes.readUInt16BE((root - 1) * PAGE + 12)
  const leaf = bytes.readUInt32BE(cell)
  writeFileSync(file, bytes.fill(0xa5, (leaf - 1) * PAGE, leaf * PAGE))
  t.throws(() => openSqliteTables(file), { message: `${file}: database disk image is malformed; ${ADVICE}` })
})
