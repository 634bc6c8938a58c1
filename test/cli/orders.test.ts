// `npm run orders` as a separate process, on a database that a server has open.
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Value } from '@sinclair/typebox/value'
import { parse } from 'csv-parse/sync'
import t, { type Test } from 'tap'
import { orderDetails } from '../../src/cli/order-text.ts'
import { readOrdersRequest } from '../../src/cli/orders.ts'
import { UsageError } from '../../src/cli/run-command.ts'
import { type Order, OrderData } from '../../src/orders/order.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite-store.ts'
import type { Store } from '../../src/store/store.ts'
import type { LeasedMessage } from '../../src/webhook/outbox.ts'
import { type NodeRun, runNode, spawnNode } from '../node-process.ts'
import { newOrder, place } from '../store/new-order.ts'
import { newReport } from '../store/reported-orders-suite.ts'
import { newCheckout } from '../store/store-suite.ts'

const SCRIPT = 'src/cli/orders.ts'
const NOW = '2026-11-20T10:06:00.000Z'

type Run = (...args: string[]) => Promise<NodeRun>
type Setup = { store: Store; file: string; run: Run; runCovered: Run }

const runOn = (file: string, args: string[], coverage = true): Promise<NodeRun> =>
  runNode([SCRIPT, ...args], { env: { ...process.env, DATABASE_URL: `sqlite:${file}` }, coverage })

/** Opens a store with these orders; it stays open, as a server's does. */
async function setUp(t: Test, ...orders: Order[]): Promise<Setup> {
  const file = join(t.testdir({}), 'test.sqlite')
  const store = openSqlite(file)
  t.teardown(() => store.close())
  await Promise.all(orders.map(order => place(store, order)))
  return { store, file, run: (...args) => runOn(file, args, false), runCovered: (...args) => runOn(file, args) }
}

async function failWebhook(store: Store, merchantId = 'shop'): Promise<void> {
  const leased = (await store.leaseMessage(merchantId, NOW, NOW)) as LeasedMessage
  await store.settleMessage(leased, {
    state: 'failed',
    attempts: 10,
    dueAt: NOW,
    attemptedAt: NOW,
    problem: 'answered 500'
  })
}

const HOSTILE = newOrder(2, {
  merchantId: 'other',
  reference: '=1+1',
  customer: { email: '\u001b[31m@x', country: 'GB', address: { name: '=cmd()' } }
})

t.test('list prints a table', async t => {
  const { run, runCovered, store } = await setUp(t, newOrder(1), HOSTILE)
  await store.stopMessages('other', NOW)
  t.strictSame(await runCovered('list'), {
    code: 0,
    stderr: '',
    stdout: `NUMBER     PLACED (UTC)      MERCHANT  REFERENCE  ITEMS  TOTAL      WEBHOOK                  EMAIL
AAAA-0001  2026-11-20 10:05  shop      order-1    3      94.45 GBP  pending                  ada1@example.com
AAAA-0002  2026-11-20 10:05  other     =1+1       3      94.45 GBP  pending, stopped by 410  \\u{1b}[31m@x
`
  })
  t.match((await run('list', '--merchant', 'other')).stdout, /^NUMBER.*\nAAAA-0002.*\n$/)
})

t.test('list --json and --csv print all orders, over several pages of the store', async t => {
  const numbers = Array.from({ length: 450 }, (_, n) => n + 10)
  const { run, runCovered, store } = await setUp(t, HOSTILE, ...numbers.map(n => newOrder(n)))
  await store.stopMessages('other', NOW)
  const json = JSON.parse((await runCovered('list', '--json')).stdout)
  t.equal(json.length, 451)
  t.match(json[0], {
    orderNumber: 'AAAA-0002',
    customer: HOSTILE.customer,
    webhook: { state: 'pending', stoppedAt: NOW }
  })
  t.strictSame(json[1].webhook, { state: 'pending' })
  for (const { placedAt, webhook, ...order } of json) if (!Value.Check(OrderData, order)) t.fail(JSON.stringify(order))
  const csv = parse((await runCovered('list', '--csv')).stdout, { columns: true })
  t.equal(csv.length, 451)
  t.match(csv[0], { number: 'AAAA-0002', reference: "'=1+1", name: "'=cmd()" })
  t.match(parse((await run('list', '--csv', '--number', 'none')).stdout), [['number']])
  t.strictSame(JSON.parse((await run('list', '--json', '--number', 'none')).stdout), [])
})

t.test('list ends without an error if its reader stops early', async t => {
  const { file } = await setUp(t, ...Array.from({ length: 900 }, (_, n) => newOrder(n)))
  const env = { ...process.env, DATABASE_URL: `sqlite:${file}` }
  const child = spawnNode([SCRIPT, 'list', '--json'], { env, coverage: true })
  const errors = child.stderr.toArray()
  await once(child.stdout, 'data')
  child.stdout.destroy()
  const [code] = await once(child, 'exit')
  t.strictSame([code, (await errors).join('')], [0, ''])
})

t.test('show prints all of one order', async t => {
  const { runCovered, store } = await setUp(t, newOrder(1))
  await failWebhook(store)
  t.strictSame(await runCovered('show', 'aaaa-0001'), {
    code: 0,
    stderr: '',
    stdout: `order      AAAA-0001
merchant   shop
reference  order-1
placed     2026-11-20T10:05:00.000Z
email      ada1@example.com
phone      +44 20 7946 1
name       Ada Lovelace 1
address1   1 Quay Street
city       Whitby
postcode   YO21 1AA
country    GB
webhook    failed, 10 failed, last attempt 2026-11-20T10:06:00.000Z, last problem: answered 500

SKU    TITLE                     QUANTITY  UNIT PRICE  AMOUNT
MUG    Sea-glass mug, Green · L  2         12.50       25.00
THROW  Herring throw             1         64.95       64.95
                                 subtotal              89.95
       Standard                  delivery              4.50
                                 total                 94.45 GBP
`
  })
  const { orderNumber, webhook } = JSON.parse((await runCovered('show', 'AAAA-0001', '--json')).stdout)
  t.match({ orderNumber, webhook }, { orderNumber: 'AAAA-0001', webhook: { state: 'failed', problem: 'answered 500' } })
})

t.test('show prints an order without phone, delivery method or webhook, and one whose webhook is pending', async t => {
  const { store, run, runCovered } = await setUp(t, newOrder(1))
  const { delivery, ...bare } = newOrder(2, { customer: { email: 'a@b', country: 'GB', address: {} } })
  await place(store, bare, false)
  const shown = (await runCovered('show', 'AAAA-0002')).stdout
  t.match((await runCovered('list', '--number', 'AAAA-0002')).stdout, /94\.45 GBP +- +a@b\n/)
  t.match(shown, /phone +-\n/)
  t.match(shown, /webhook +none\n/)
  t.match(shown, /delivery +0\.00\n/)
  t.notMatch((await run('show', 'AAAA-0002', '--json')).stdout, /webhook/)
  t.match((await runCovered('show', 'AAAA-0001')).stdout, /webhook +pending, due 2026-11-20T10:05:00.000Z\n/)
})

t.test('an order that waits since its merchant answered 410 says until when', async t => {
  const message = { state: 'pending', attempts: 0, dueAt: NOW, stoppedAt: NOW } as const
  const stopped = `stopped by an answer 410 at ${NOW}: sent after "redeliver", or when the server starts again`
  t.match(orderDetails(newOrder(1), message), `pending, ${stopped}\n`)
})

t.test('reported orders are listed and shown beside placed ones, without personal data', async t => {
  const { store, runCovered } = await setUp(t, newOrder(1, { merchantId: 'other' }))
  await store.addCheckout(newCheckout('t1', { reference: 'reported-2' }))
  const reportedAt = '2026-11-20T10:06:00.000Z'
  for (const order of [
    newReport(1, { reportedAt, number: '=1' }),
    newReport(2, { reportedAt, number: '#a' }),
    newReport(3, { reportedAt, number: '#a', merchantId: 'third', currency: 'JPY' })
  ]) {
    await store.keepReport(order)
  }
  t.equal(
    (await runCovered('list')).stdout,
    `NUMBER     PLACED (UTC)      MERCHANT  REFERENCE   ITEMS  TOTAL      WEBHOOK  EMAIL
AAAA-0001  2026-11-20 10:05  other     order-1     3      94.45 GBP  pending  ada1@example.com
#a         2026-11-20 10:06  shop      reported-2  3      89.95 GBP  -        (reported)
#a         2026-11-20 10:06  third     reported-3  3      8995 JPY   -        (reported)
=1         2026-11-20 10:06  shop      reported-1  3      89.95 GBP  -        (reported)
`
  )
  const items = newReport(1).items
  const json = { merchant: 'shop', currency: 'GBP', items, total: '89.95', reportedAt }
  const [, second, , first] = JSON.parse((await runCovered('list', '--json')).stdout)
  const known = { orderNumber: '#a', reference: 'reported-2', arrivedAt: '2026-11-20T10:00:00.000Z' }
  t.strictSame(second, { ...json, ...known })
  t.strictSame(first, { ...json, orderNumber: '=1', reference: 'reported-1', arrivedAt: null })
  const csv = parse((await runCovered('list', '--csv', '--merchant', 'shop')).stdout, { columns: true })
  t.match(csv, [
    { number: '#a', placed_at: '', reported_at: reportedAt, subtotal: '', total: '89.95', items: 'MUG:2; THROW:1' },
    { number: "'=1", merchant: 'shop', reference: 'reported-1', email: '', webhook: '' }
  ])
  t.equal(
    (await runCovered('show', '#a')).stdout,
    `order      #a
merchant   shop
reference  reported-2
reported   2026-11-20T10:06:00.000Z
bag        arrived 2026-11-20T10:00:00.000Z
total      89.95 GBP

SKU    QUANTITY
MUG    2
THROW  1

order      #a
merchant   third
reference  reported-3
reported   2026-11-20T10:06:00.000Z
bag        none has arrived
total      8995 JPY

SKU    QUANTITY
MUG    2
THROW  1
`
  )
  const shown = (await runCovered('show', '#a', '--json')).stdout.trim().split('\n')
  t.match(
    shown.map(line => JSON.parse(line)),
    [
      { ...json, ...known },
      { merchant: 'third', total: '8995' }
    ]
  )
  t.match(await runCovered('redeliver', '#a'), { code: 1, stdout: '', stderr: 'no order #A was placed here\n' })
})

t.test('redeliver --failed makes due at once what waits for another attempt', async t => {
  const { store, runCovered } = await setUp(t, newOrder(1))
  const leased = (await store.leaseMessage('shop', NOW, NOW)) as LeasedMessage
  const dueAt = '2099-01-01T00:00:00.000Z'
  await store.settleMessage(leased, { state: 'pending', attempts: 9, dueAt, attemptedAt: NOW, problem: 'answered 500' })
  t.match(await runCovered('redeliver', '--failed'), { stdout: '1 due again: a running server sends them\n' })
  t.match(await store.findMessage('AAAA-0001'), { state: 'pending', attempts: 0 })
})

t.test('redeliver sends webhooks again, by number or all that failed', async t => {
  const { store, runCovered } = await setUp(t, ...[1, 2, 3].map(n => newOrder(n)), newOrder(9, { merchantId: 'other' }))
  for (let i = 0; i < 3; i++) await failWebhook(store)
  await failWebhook(store, 'other')
  await store.stopMessages('shop', NOW)
  await store.stopMessages('other', NOW)
  const resumed = ', and whatever else waits since the merchant answered 410'
  t.match(await runCovered('redeliver', 'AAAA-0001', 'NONE', 'AAAA-0002'), {
    code: 1,
    stdout: `AAAA-0001 is due again: a running server sends it, if its merchant has a webhook${resumed}
AAAA-0002 is due again: a running server sends it, if its merchant has a webhook
`,
    stderr: 'no order NONE was placed here\n'
  })
  t.match(await store.findMessage('AAAA-0001'), { state: 'pending', attempts: 0 })
  t.match(await runCovered('redeliver', '--failed'), {
    code: 0,
    stdout: `2 due again: a running server sends them${resumed}\n`
  })
  t.match(await store.findMessage('AAAA-0003'), { state: 'pending' })
})

t.test('redeliver --failed handles more than one batch, and one merchant', async t => {
  const orders = Array.from({ length: 251 }, (_, n) => newOrder(n, n === 0 ? { merchantId: 'other' } : {}))
  const { file, store, runCovered } = await setUp(t, ...orders)
  const db = new DatabaseSync(file)
  db.exec(`UPDATE outbox SET state = 'failed', attempted_at = '${NOW}'`)
  db.close()
  const stdout = '250 due again: a running server sends them\n'
  t.match(await runCovered('redeliver', '--failed', '--merchant', 'shop'), { code: 0, stdout })
  t.match(await store.redeliverFailed('2099-01-01T00:00:00.000Z', 2), { due: 1 }, 'that of the other merchant')
})

t.test('erase removes personal data from the file while another store has it open, and keeps the accounts', async t => {
  const { file, store, runCovered } = await setUp(t, newOrder(1), newOrder(2, { token: 'token-2' }))
  const bytes = () =>
    ['', '-wal'].map(end => (existsSync(file + end) ? readFileSync(file + end, 'latin1') : '')).join('')
  const typed = (n: number) => [`ada${n}@example.com`, `+44 20 7946 ${n}`, `Ada Lovelace ${n}`, `${n} Quay Street`]
  t.ok([...typed(1), ...typed(2)].every(text => bytes().includes(text)))
  t.match(await runCovered('erase', 'aaaa-0001', 'NONE'), {
    code: 1,
    stdout: 'AAAA-0001 has no personal data any more\n',
    stderr: 'no order NONE was placed here\n'
  })
  t.strictSame(
    typed(1).filter(text => bytes().includes(text)),
    []
  )
  t.ok(typed(2).every(text => bytes().includes(text)))
  const { customer, ...kept } = newOrder(1)
  t.strictSame(await store.findOrder('shop', 'token-1'), kept)
  t.match((await runCovered('list')).stdout, /AAAA-0001.*94\.45 GBP.*\(erased\)\n/)
  t.match((await runCovered('show', 'AAAA-0001')).stdout, /customer +\(erased\)\n/)
})

t.test('a merchant that is not in the store is reported', async t => {
  const { run, runCovered } = await setUp(t, newOrder(1))
  t.match(await runCovered('list', '--merchant', 'shpo'), {
    code: 0,
    stderr: 'the store has nothing of "shpo"; it has shop\n'
  })
  t.match(
    await run('list', '--merchant', 'shop', '--from', '2027-01-01'),
    { code: 0, stderr: '' },
    'no warning if only the period is empty'
  )
  const empty = await setUp(t)
  t.match(await empty.runCovered('list', '--merchant', 'x'), {
    stderr: 'the store has nothing of "x"; it has nothing at all\n'
  })
})

t.test('a mistake in the arguments ends with 2 and a hint', async t => {
  const { runCovered } = await setUp(t)
  t.match(await runCovered('list', '--from', '\u001b[2J'), {
    code: 2,
    stdout: '',
    stderr: /--from is "\\u001b\[2J"[\s\S]*npm run/
  })
  t.match(await runCovered('--help'), { code: 0, stdout: /npm run orders -- list/ })
  t.match(await runCovered('show', 'NONE'), { code: 1, stderr: 'there is no order NONE\n' })
})

t.test('a missing database is reported, not created', async t => {
  const file = join(t.testdir({}), 'none.sqlite')
  t.match(await runOn(file, ['list']), { code: 1, stderr: /there is no database .*none\.sqlite; set DATABASE_URL/ })
  t.notOk(existsSync(file))
})

t.test('a file that is not a database is reported', async t => {
  const file = join(t.testdir({}), 'text.sqlite')
  writeFileSync(file, 'no database, only text. '.repeat(100))
  t.match(await runOn(file, ['list']), { code: 1, stderr: /file is not a database/ })
})

const list = (filter: object, format = 'table') => ({ command: 'list', filter, format })

const requests: [string, object][] = [
  ['list', list({})],
  ['list --json', list({}, 'json')],
  ['list --csv', list({}, 'csv')],
  ['list --merchant harbour', list({ merchantId: 'harbour' })],
  ['list --reference ABC-1', list({ reference: 'ABC-1' })],
  ['list --number 7kqm-3xh9', list({ number: '7kqm-3xh9' })],
  ['list --from 2026-11-20', list({ from: '2026-11-20T00:00:00.000Z' })],
  ['list --to 2026-11-20', list({ before: '2026-11-21T00:00:00.000Z' })],
  ['list --to 2026-12-31', list({ before: '2027-01-01T00:00:00.000Z' })],
  ['list --from 2026-11-20T10:00Z', list({ from: '2026-11-20T10:00:00.000Z' })],
  ['list --from 2026-11-20T10:00:00+01:00', list({ from: '2026-11-20T09:00:00.000Z' })],
  ['list --to 2026-11-20T10:00:00.5Z', list({ before: '2026-11-20T10:00:00.500Z' })],
  ['show 7kqm-3xh9', { command: 'show', number: '7kqm-3xh9', format: 'table' }],
  ['show A --json', { command: 'show', number: 'A', format: 'json' }],
  ['redeliver A b', { command: 'redeliver', numbers: ['A', 'B'] }],
  ['redeliver --failed', { command: 'redeliver-failed' }],
  ['redeliver --failed --merchant harbour', { command: 'redeliver-failed', merchantId: 'harbour' }],
  ['erase A b', { command: 'erase', numbers: ['A', 'B'] }]
]
for (const [args, request] of requests) {
  t.test(args, t => {
    t.strictSame(readOrdersRequest(args.split(' ')), request)
    t.end()
  })
}

const mistakes: [string, RegExp][] = [
  ['', /give a command/],
  ['delete', /"delete" is not a command/],
  ['__proto__', /is not a command/],
  ['list --form 2026-11-20', /--form/],
  ['list --failed', /"list" takes no --failed/],
  ['list AAAA-0001', /give --number/],
  ['list --json --csv', /--json or --csv, not both/],
  ['list --from yesterday', /--from is "yesterday"; give a day/],
  ['list --to 2026-02-30', /--to is "2026-02-30"/],
  ['list --to 2026-13-01', /--to/],
  ['list --from 2026-11-20T10:00', /--from/],
  ['show', /"show" needs the number/],
  ['show A B', /takes one number/],
  ['show A --csv', /"show" takes no --csv/],
  ['redeliver', /"redeliver" needs the number/],
  ['redeliver A --failed', /numbers or --failed, not both/],
  ['redeliver A --merchant harbour', /--merchant goes with --failed/],
  ['erase', /"erase" needs the number/],
  ['erase --failed', /"erase" takes no --failed/]
]
for (const [args, message] of mistakes) {
  t.test(`refused: ${args || 'no arguments'}`, t => {
    t.throws(() => readOrdersRequest(args.split(' ').filter(Boolean)), { constructor: UsageError, message })
    t.end()
  })
}
