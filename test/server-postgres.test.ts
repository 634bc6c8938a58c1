// The real server on PostgreSQL: two of them share everything, one outlives an outage, and one starts before its database.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import t from 'tap'
import { backup } from '../src/cli/backup.ts'
import { readEnvironment } from '../src/environment.ts'
import { noopObserver } from '../src/observer.ts'
import { dataFolder, openExistingStore, openServerStore } from '../src/start/open-store.ts'
import { uuid } from './build.ts'
import { runHere } from './cli/run-here.ts'
import { runNode } from './node-process.ts'
import { sharedPostgres } from './postgres.ts'
import { bagOf, openCheckout, sendBag, sendOrder, shopFolder, startShop } from './running-shop.ts'
import { openNetworkOf } from './store/postgres/opened.ts'
import { until } from './until.ts'

t.test('any server answers any request: what one has taken, the other shows and orders, at once', async t => {
  const folder = shopFolder(t)
  const DATABASE_URL = await (await sharedPostgres()).newUrl()
  const env = { DATABASE_URL }
  const [one, other] = await Promise.all([startShop(t, { folder, env }), startShop(t, { folder, env })])
  const path = await openCheckout(one.origin, bagOf(uuid()))
  t.equal(
    await openCheckout(other.origin, bagOf(uuid())),
    path,
    'the same bag, sent to the other, has the same checkout'
  )
  t.match(await (await fetch(other.origin + path)).text(), /data-sku="?MUG/)

  const placed = await sendOrder(one.origin + path, other.origin + path)
  t.equal(placed.status, 303)
  const confirmation = String(placed.headers.get('location'))
  t.equal((await fetch(new URL(confirmation, one.origin))).status, 200)
  t.match((await sendBag(one.origin, bagOf(uuid(), 'MUG', 3))).status, 409, 'the reference is used up')
  t.match((await fetch(one.origin + path)).status, 409)

  const number = new URL(confirmation, one.origin).searchParams.get('order') ?? ''
  const run = (...args: string[]) => runNode(args, { env: { ...process.env, DATABASE_URL, INIT_CWD: folder } })
  t.match(await run('src/cli/orders.ts', 'erase', number), { code: 0, stdout: /has no personal data any more/ })
  writeFileSync(join(folder, 'list.csv'), `reference,total,currency\n${uuid()},12.50,GBP\n`)
  t.match(await run('src/cli/reconcile.ts', 'list.csv'), { code: 0, stdout: /matched +1\n/ })
  t.match(await runHere(backup, ['backup.sqlite'], { DATABASE_URL, INIT_CWD: folder }), {
    code: 1,
    stderr: /^this copies an SQLite file; .* pg_dump --format=custom --file=backup\.sqlite /
  })
})

t.test('without its database a server answers what needs none, and refuses bags until it is back', async t => {
  const postgres = await sharedPostgres()
  const folder = shopFolder(t)
  const env = { DATABASE_URL: await postgres.newUrl() }
  const { origin, logs } = await startShop(t, { folder, env })
  const path = await openCheckout(origin, bagOf(uuid()))
  const statusOf = async (path: string) => (await fetch(origin + path)).status

  await postgres.stop()
  await until('the server to notice', async () => (await statusOf('/readyz')) === 503)
  const refused = await Promise.all(Array.from({ length: 50 }, (_, n) => sendBag(origin, bagOf(uuid(100 + n)))))
  for (const { status, headers } of refused) t.strictSame([status, headers.get('retry-after')], [503, '5'])
  t.match(await (await sendBag(origin, bagOf(uuid(2)))).json(), { title: 'The store cannot be reached at the moment' })
  t.equal((await sendOrder(origin + path, origin + path)).status, 503)
  t.strictSame(
    await Promise.all([
      statusOf(path),
      statusOf('/healthz'),
      statusOf('/shop/pictures/mug.svg'),
      statusOf('/nowhere'),
      sendBag(origin, bagOf('no uuid')).then(({ status }) => status)
    ]),
    [503, 200, 200, 404, 400]
  )

  await postgres.start()
  await until('the server to be ready', async () => (await statusOf('/readyz')) === 200)
  t.equal(await statusOf(path), 200, 'what it had answered is there')
  t.equal((await sendOrder(origin + path, origin + path)).status, 303)
  const failures = () => logs().filter(({ msg }) => msg === 'The store cannot be reached at the moment')
  await until('the log', () => failures().length > 0)
  t.ok(failures().length < 50, `${failures().length} lines in the log, not one for each bag`)
})

t.test('a server that starts before its database waits for it, and says so', async t => {
  const postgres = await sharedPostgres()
  const { url, attempts } = await openNetworkOf(t)
  await postgres.stop()
  const lines: Record<string, unknown>[] = []
  const logger = pino({ base: null }, { write: line => void lines.push(JSON.parse(line)) })
  const environment = readEnvironment({ DATABASE_URL: url })
  const opening = openServerStore(environment, logger, noopObserver)
  await until('it to try again', () => attempts() > 1)
  await postgres.start()
  const store = await opening
  await store.checkReady()
  await store.close()
  await (await openExistingStore(environment)).close()
  t.equal(dataFolder(environment), 'data', 'where copies of feeds are')
  t.match(lines, [
    { level: 40, msg: 'waiting for the database', reason: /^postgres:\/\/postgres@\S+: ./ },
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
  await t.rejects(openServerStore(environment, logger, noopObserver, 700), {
    message: /^DATABASE_URL: postgres:\S+: ./
  })
  t.match(lines, [{ level: 40, msg: 'waiting for the database' }])
  t.equal(lines.length, 1)
  await postgres.start()
})
