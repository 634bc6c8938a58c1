// The real server on PostgreSQL: two of them share everything, one outlives an outage, and one starts before its database.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import t, { type Test } from 'tap'
import { backUp } from '../src/cli/backup.ts'
import { readEnvironment } from '../src/environment.ts'
import { noopObserver } from '../src/observer.ts'
import { dataFolder, openExistingStore, openServerStore } from '../src/start/open-store.ts'
import { FEED, merchantFile, uuid } from './build.ts'
import { runNode } from './node-process.ts'
import { sharedPostgres } from './postgres.ts'
import { startServer } from './server-process.ts'
import { until } from './until.ts'

const JSON_TYPE = { 'Content-Type': 'application/json' }
const TYPED = { email: 'ada@example.com', name: 'Ada', address1: '1 Quay', city: 'Whitby', postcode: 'YO21' }

/** A folder with a shop, whose feed has a picture beside it. */
function shopFolder(t: Test): string {
  const folder = t.testdir({ 'feed.tsv': FEED, pictures: { 'mug.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>' } })
  writeFileSync(join(folder, 'shop.json'), JSON.stringify(merchantFile('1', { publicUrl: '/shop' })))
  return folder
}

const sendBag = (origin: string, reference: string, quantity = 2) =>
  fetch(`${origin}/shop/cart`, {
    method: 'POST',
    headers: JSON_TYPE,
    body: JSON.stringify({ items: [{ sku: 'MUG', quantity }], currency: 'GBP', reference })
  })

/** Sends a bag. @returns the path of its checkout */
async function openCheckout(origin: string, reference: string, quantity?: number): Promise<string> {
  const { url, body } = (await (await sendBag(origin, reference, quantity)).json()) as { url: string; body: string }
  return `${new URL(url).pathname}/${body.slice('token='.length)}`
}

async function order(page: string, at: string): Promise<Response> {
  const [, digest = ''] = /name=digest value="([^"]+)"/.exec(await (await fetch(page)).text()) ?? []
  return fetch(at, { method: 'POST', body: new URLSearchParams({ digest, ...TYPED }), redirect: 'manual' })
}

t.test('any server answers any request: what one has taken, the other shows and orders, at once', async t => {
  const folder = shopFolder(t)
  const DATABASE_URL = await (await sharedPostgres()).newUrl()
  const env = { DATABASE_URL }
  const [one, other] = (await Promise.all([0, 1].map(() => startServer(t, { folder, args: ['shop.json'], env })))) as [
    Awaited<ReturnType<typeof startServer>>,
    Awaited<ReturnType<typeof startServer>>
  ]
  const path = await openCheckout(one.origin, uuid())
  t.equal(await openCheckout(other.origin, uuid()), path, 'the same bag, sent to the other, has the same checkout')
  t.match(await (await fetch(other.origin + path)).text(), /data-sku="?MUG/)

  const placed = await order(one.origin + path, other.origin + path)
  t.equal(placed.status, 303)
  const confirmation = String(placed.headers.get('location'))
  t.equal((await fetch(new URL(confirmation, one.origin))).status, 200)
  t.match((await sendBag(one.origin, uuid(), 3)).status, 409, 'the reference is used up')
  t.match((await fetch(one.origin + path)).status, 409)

  const number = new URL(confirmation, one.origin).searchParams.get('order') ?? ''
  const run = (...args: string[]) => runNode(args, { env: { ...process.env, DATABASE_URL, INIT_CWD: folder } })
  t.match(await run('src/cli/orders.ts', 'erase', number), { code: 0, stdout: /has no personal data any more/ })
  writeFileSync(join(folder, 'list.csv'), `reference,total,currency\n${uuid()},25.00,GBP\n`)
  t.match(await run('src/cli/reconcile.ts', 'list.csv'), { code: 0, stdout: /matched +1\n/ })
  const backup = backUp(['backup.sqlite'], readEnvironment({ DATABASE_URL, INIT_CWD: folder }))
  await t.rejects(backup, { message: /^this copies an SQLite file; .* pg_dump --format=custom --file=backup\.sqlite / })
})

t.test('without its database a server answers what needs none, and refuses bags until it is back', async t => {
  const postgres = await sharedPostgres()
  const folder = shopFolder(t)
  const env = { DATABASE_URL: await postgres.newUrl() }
  const { origin, logs } = await startServer(t, { folder, args: ['shop.json'], env })
  const path = await openCheckout(origin, uuid())
  const statusOf = async (path: string) => (await fetch(origin + path)).status

  await postgres.stop()
  await until('the server to notice', async () => (await statusOf('/readyz')) === 503)
  const refused = await Promise.all(Array.from({ length: 50 }, (_, n) => sendBag(origin, uuid(100 + n))))
  for (const { status, headers } of refused) t.strictSame([status, headers.get('retry-after')], [503, '5'])
  t.match(await (await sendBag(origin, uuid(2))).json(), { title: 'The store cannot be reached at the moment' })
  t.equal((await order(origin + path, origin + path)).status, 503)
  t.strictSame(
    await Promise.all([
      statusOf(path),
      statusOf('/healthz'),
      statusOf('/shop/pictures/mug.svg'),
      statusOf('/nowhere'),
      sendBag(origin, 'no uuid').then(({ status }) => status)
    ]),
    [503, 200, 200, 404, 400]
  )

  await postgres.start()
  await until('the server to be ready', async () => (await statusOf('/readyz')) === 200)
  t.equal(await statusOf(path), 200, 'what it had answered is there')
  t.equal((await order(origin + path, origin + path)).status, 303)
  const failures = logs().filter(({ msg }) => msg === 'The store cannot be reached at the moment')
  t.ok(failures.length > 0 && failures.length < 50, `${failures.length} lines in the log`)
})

t.test('a server that starts before its database waits for it, and says so', async t => {
  const postgres = await sharedPostgres()
  const url = await postgres.newUrl()
  await postgres.stop()
  const lines: Record<string, unknown>[] = []
  const logger = pino({ base: null }, { write: line => void lines.push(JSON.parse(line)) })
  const environment = readEnvironment({ DATABASE_URL: url })
  const opening = openServerStore(environment, logger, noopObserver)
  await until('it to wait', () => lines.length > 0)
  await postgres.start()
  const store = await opening
  await store.checkReady()
  await store.close()
  await (await openExistingStore(environment)).close()
  t.equal(dataFolder(environment), 'data', 'where copies of feeds are')
  t.match(lines, [
    { level: 40, msg: 'waiting for the database', reason: /^postgres:\/\/postgres@.*ENOENT/ },
    { level: 30, msg: 'database created', database: /^postgres:\/\/postgres@[^?]*\/\w+$/ }
  ])
  lines.length = 0
  await (await openServerStore(environment, logger, noopObserver)).close()
  t.match(lines, [{ level: 30, msg: 'database opened', database: /^postgres:\/\/postgres@[^?]*\/\w+$/ }])
  lines.length = 0
  const missing = readEnvironment({ DATABASE_URL: url.replace('/postgres?', '/missing?') })
  await t.rejects(openServerStore(missing, logger, noopObserver), { message: /database "missing" does not exist/ })
  t.strictSame(lines, [], 'nothing to wait for')
  await postgres.stop()
  lines.length = 0
  // Three attempts.
  await t.rejects(openServerStore(environment, logger, noopObserver, 700), {
    message: /^DATABASE_URL: postgres:.*: connect/
  })
  t.match(lines, [{ level: 40, msg: 'waiting for the database' }])
  t.equal(lines.length, 1)
  await postgres.start()
})
