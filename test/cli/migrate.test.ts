// `npm run migrate`: a shop's data moved from SQLite to a real PostgreSQL.
import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import t, { type Test } from 'tap'
import { moveToPostgres } from '../../src/cli/migrate.ts'
import type { CommandContext } from '../../src/cli/run-command.ts'
import { openPostgres } from '../../src/store/postgres/postgres-store.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite-store.ts'
import type { Store } from '../../src/store/store.ts'
import { runNode } from '../node-process.ts'
import { sharedPostgres } from '../postgres.ts'
import { addCart, extrasOf } from '../store/cart-extras-suite.ts'
import { newOrder, PLACED, place } from '../store/new-order.ts'
import { opened } from '../store/payments-suite.ts'
import { newReport } from '../store/reported-orders-suite.ts'
import { newCheckout } from '../store/store-suite.ts'
import { runHere } from './run-here.ts'

const LONG_AGO = '2020-01-01T00:00:00.000Z'
const HANDOVER = { url: 'https://shop.example/bag', httpMethod: 'GET' } as const

/** At least one row of each table, with everything that is optional, and without. */
async function fill(store: Store): Promise<void> {
  await addCart(store, 1)
  await store.placeOrder({ ...newOrder(1), ...extrasOf(1) }, { notifiesWebhook: true })
  const { delivery, ...collected } = newOrder(2)
  await place(store, { ...collected, reference: 'Ő "2" \\ \t' }, false)
  await store.eraseOrder(collected.number)
  await store.addCheckout(newCheckout('older', { reference: 'open' }))
  await store.addCheckout(newCheckout('newer', { reference: 'open', items: [{ sku: 'LAMP 💡', quantity: 7 }] }))
  await store.addCheckout(newCheckout('handed-over', { reference: 'reported-1', handover: HANDOVER }))
  await store.keepReport(newReport(1))
  await store.keepReport(newReport(2))
  const { merchantId, cart, createdAt } = newCheckout('attempt', { reference: 'attempt' })
  await store.beginHandoff({ key: 'attempt', merchantId, cart, createdAt }, LONG_AGO)
  const record = { merchantId, option: '1', at: PLACED, outcome: 'refused', problem: 'contract-broken' } as const
  await store.addTransfer({ ...record, mistakes: [] })
  for (let i = 0; i < 3; i++) await store.addTransfer({ ...record, reference: 'bad', mistakes: ['sku-invalid'] })
  await store.stopMessages('closed', PLACED)
  const key = { merchantId: 'shop', scope: 'key', digest: 'sent', at: PLACED }
  await store.keepAnswer(key, { status: 200, body: '{}' })
  await opened(store, 3)
  const payment = await opened(store, 4)
  const { currency, amount } = payment
  for (const state of ['pending', 'paid'] as const) {
    const facts = { state, providerId: 'cs_1', transactionId: 'pi_1', currency, amount }
    await store.changePayment(payment, { type: 'reported', facts }, PLACED, { notifiesWebhook: true })
  }
}

const COPIED = `checkouts             7
handovers             1
idempotency_keys      1
orders                3
outbox                3
payments              2
reported_orders       2
stopped_webhooks      1
transfers             3
unreadable_transfers  1
Start the servers with the new DATABASE_URL.
Move the old file away, so that nothing opens it, and keep it as a backup.
`

async function setUp(t: Test) {
  const file = join(t.testdir({}), 'shop.sqlite')
  const store = openSqlite(file)
  await fill(store)
  await store.close()
  const { newUrl, query } = await sharedPostgres()
  const url = await newUrl()
  const schema = String(/search_path%3D(\w+)/.exec(url)?.[1])
  const run = (...args: string[]) => runHere(moveToPostgres, args, { PORT: 'not read' })
  return { file, from: `sqlite:${file}`, url, schema, query, run }
}

/** What the commands and the pages find in a store. */
async function contentsOf(store: Store) {
  const checkouts = ['token-1', 'token-2', 'older', 'newer', 'handed-over']
  const references = ['open', 'reported-1', 'bad', 'attempt']
  const orders = await store.listOrders({}, undefined, 100)
  const contents = {
    orders,
    payments: await store.paymentsOf({}, 100),
    messages: await Promise.all(orders.map(({ number }) => store.findMessage(number))),
    checkouts: await Promise.all(checkouts.map(token => store.findCheckout('shop', token))),
    histories: await store.referenceHistories(['shop'], references),
    unreadable: await store.unreadableTransfers('shop', '2026-11-20', '2026-11-21'),
    merchants: await store.merchantsInStore()
  }
  await store.close()
  return contents
}

t.test('everything is in PostgreSQL afterwards, and works as before', async t => {
  const { file, from, url } = await setUp(t)
  const env = { ...process.env, DATABASE_URL: 'sqlite:not/used' }
  const result = await runNode(['src/cli/migrate.ts', from, url], { env, coverage: true })
  t.strictSame(result, { code: 0, stdout: `Everything was copied, and every row compared:\n${COPIED}`, stderr: '' })
  const original = await contentsOf(openSqlite(file))
  t.equal(original.orders.length, 5)
  t.match(original.payments, [
    { order: undefined, state: 'paid' },
    { order: { customer: {} }, state: 'open' }
  ])
  t.strictSame(await contentsOf(await openPostgres(url)), original)

  const store = await openPostgres(url)
  const leased = await store.leaseMessage('shop', '2026-11-21T00:00:00.000Z', '2026-11-21T00:01:00.000Z')
  t.match(leased, { order: { ...newOrder(1), ...extrasOf(1) } })
  const again = await store.addCheckout(newCheckout('again', { reference: 'order-1' }))
  t.match(
    again,
    { token: 'token-1', cart: { ...extrasOf(1), buyer: undefined } },
    'the buyer is kept with the order alone'
  )
  await store.close()
})

t.test('again with the same database changes nothing, and with another one is refused', async t => {
  const { file, from, url, run } = await setUp(t)
  t.match((await run(from, url)).stdout, /^Everything was copied/)
  t.equal((await run(from, url)).stdout, `Everything is there already; every row was compared:\n${COPIED}`)
  const store = openSqlite(file)
  await store.addCheckout(newCheckout('later', { reference: 'later' }))
  await store.close()
  const full =
    'checkouts, handovers, idempotency_keys, orders, outbox, payments, reported_orders, stopped_webhooks, transfers, unreadable_transfers'
  const stderr = `the target has other rows already, in ${full}; give an empty database`
  t.match(await run(from, url), { code: 1, stderr })
})

t.test('many rows are copied in batches, and a copy that fails leaves nothing', async t => {
  const { file, from, url, run, query, schema } = await setUp(t)
  const db = new DatabaseSync(file)
  db.exec(`WITH RECURSIVE many (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM many WHERE n < 1000)
    INSERT INTO checkouts SELECT 'many-' || n, 'shop', 'many-' || n, '1', printf('%.*c', 3000, 'x'), '', '', NULL, 0, NULL, NULL, NULL
    FROM many`)
  const shown: number[] = []
  const printed: unknown[] = []
  const context = {
    print: async text => void printed.push(text),
    showProgress: (_what, done, total = 0) => void shown.push(done / total)
  } as CommandContext
  const runShown = () => moveToPostgres.run({ values: {}, positionals: [from, url] }, context)

  const setLast = (cart: string) => db.exec(`UPDATE checkouts SET cart = ${cart} WHERE token = 'many-1000'`)
  setLast("x'00'")
  db.close()
  await t.rejects(runShown())
  db.open()
  setLast("'{}'")
  db.close()
  shown.length = 0
  t.equal(await runShown(), 0)
  t.match(printed, [/^Everything was copied.*:\ncheckouts +1,007\n/])
  t.ok(Number(shown[0]) < 0.25, 'the first batch has a part of the first table')
  const { rows } = await query(`SELECT FROM pg_stats WHERE schemaname = '${schema}'`)
  t.ok(rows.length > 0, 'the planner knows what is in the tables')
  t.equal(shown.at(-1), 1)
  t.strictSame(shown, shown.toSorted())
  t.match((await run(from, url)).stdout, /^Everything is there already/)
})

t.test('of two at once, the second waits and finds everything there', async t => {
  const { file, from, url, run } = await setUp(t)
  copyFileSync(file, `${file}-copy`)
  const results = await Promise.all([run(from, url), run(`${from}-copy`, url)])
  t.match(results.map(({ stdout }) => stdout).sort(), [/^Everything is there already/, /^Everything was copied/])
})

t.test('a database that a server has open is left alone', async t => {
  const { file, from, url, run } = await setUp(t)
  const server = openSqlite(file)
  const stderr = `another process has ${file} open; stop every server and command that uses it`
  t.match(await run(from, url), { code: 1, stderr })
  await server.close()
  t.match((await run(from, url)).stdout, /^Everything was copied/)
})

t.test('a copy that PostgreSQL has changed is not kept', async t => {
  const { from, url, run, query, schema } = await setUp(t)
  await (await openPostgres(url)).close()
  await query(`CREATE FUNCTION ${schema}.trim() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN NEW.cart := trim(NEW.cart, '}'); RETURN NEW; END $$`)
  await query(`CREATE TRIGGER trim BEFORE INSERT ON ${schema}.checkouts FOR EACH ROW EXECUTE FUNCTION ${schema}.trim()`)
  const stderr = 'the copy of the table checkouts differs from the original; nothing was copied'
  t.match(await run(from, url), { code: 1, stderr })
  t.strictSame((await query(`SELECT * FROM ${schema}.checkouts`)).rows, [])
})

t.test('what is not from SQLite to PostgreSQL', async t => {
  const { file, from, url, run } = await setUp(t)
  copyFileSync(file, `${file}-newer`)
  const newer = new DatabaseSync(`${file}-newer`)
  newer.exec(`INSERT INTO migrations VALUES ('999-newer')`)
  newer.close()
  writeFileSync(`${file}-notes`, 'Only text, and more of it than a database has in its head. '.repeat(20))
  const usage = 'give "sqlite:" with the path of a file, and the address of a PostgreSQL database'
  for (const args of [[], [from], [url, from], [from, from], [from, url, url]]) {
    t.match(await run(...args), { code: 2, stderr: `${usage}\n\nnpm run migrate` })
  }
  const unknown = 'the database has the migration "999-newer", which this version does not know; use a newer version'
  const unreachable = '127.0.0.1:1/shop'
  const refused: [from: string, to: string, stderr: string][] = [
    [`${from}x`, url, `there is no database ${file}x; give the file of the server`],
    [
      from,
      `postgres://ada:secret@${unreachable}`,
      `postgres://ada@${unreachable}: no PostgreSQL listens there; start it, or correct the address`
    ],
    [`${from}-newer`, url, `${file}-newer: ${unknown}`],
    [`${from}-notes`, url, `${file}-notes: file is not a database; give an SQLite file`]
  ]
  for (const [source, target, stderr] of refused) {
    t.strictSame(await run(source, target), { code: 1, stdout: '', stderr: `${stderr}\n` })
  }
})
