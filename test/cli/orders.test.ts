// `npm run orders`, on a database that a server has open.
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Value } from '@sinclair/typebox/value'
import { parse } from 'csv-parse/sync'
import t, { type Test } from 'tap'
import type { Order } from '../../src/checkout/orders/order.ts'
import type { LeasedMessage } from '../../src/checkout/webhook/outbox.ts'
import { orders } from '../../src/cli/orders.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite-store.ts'
import type { Store } from '../../src/store/store.ts'
import { OrderData } from '../checkout/orders/order-placed.ts'
import { spawnNode } from '../node-process.ts'
import { newOrder, place } from '../store/new-order.ts'
import { beginRefund, bookRefund, keyOf, opened, refundWhole, settle } from '../store/payments-suite.ts'
import { newReport } from '../store/reported-orders-suite.ts'
import { newCheckout } from '../store/store-suite.ts'
import { runHere } from './run-here.ts'

const NOW = '2026-11-20T10:06:00.000Z'

/** Opens a store with these orders; it stays open, as a server's does. */
async function setUp(t: Test, ...placed: Order[]) {
  const file = join(t.testdir({}), 'test.sqlite')
  const store = openSqlite(file)
  t.teardown(() => store.close())
  await Promise.all(placed.map(order => place(store, order)))
  const run = (...args: string[]) => runHere(orders, args, { DATABASE_URL: `sqlite:${file}` })
  return { store, file, run }
}

async function failWebhook(store: Store, merchantId = 'shop'): Promise<void> {
  const leased = (await store.leaseMessage(merchantId, NOW, NOW)) as LeasedMessage
  const problem = 'answered 500'
  await store.settleMessage(leased, { state: 'failed', attempts: 10, dueAt: NOW, attemptedAt: NOW, problem })
}

const HOSTILE = newOrder(2, {
  merchantId: 'other',
  reference: '=1+1',
  customer: { email: '\u001b[31m@x', country: 'GB', address: { name: '=cmd()' } }
})

t.test('list prints a table', async t => {
  const { run, store } = await setUp(t, newOrder(1), HOSTILE)
  await store.stopMessages('other', NOW)
  t.strictSame(await run('list'), {
    code: 0,
    stderr: '',
    stdout: `NUMBER     PLACED (UTC)      MERCHANT  REFERENCE  OPTION  ITEMS  TOTAL      WEBHOOK                  LANGUAGE  EMAIL             PAYMENT
AAAA-0001  2026-11-20 10:05  shop      order-1    1       3      94.45 GBP  pending                  en-GB     ada1@example.com  -
AAAA-0002  2026-11-20 10:05  other     =1+1       1       3      94.45 GBP  pending, stopped by 410  en-GB     \\u{1b}[31m@x      -
`
  })
  t.match((await run('list', '--merchant', 'other')).stdout, /^NUMBER.*\nAAAA-0002.*\n$/)
})

t.test('list --json and --csv print all orders, over several pages of the store', async t => {
  const numbers = Array.from({ length: 450 }, (_, n) => n + 10)
  const { run, store } = await setUp(t, HOSTILE, ...numbers.map(n => newOrder(n)))
  await store.stopMessages('other', NOW)
  const json = JSON.parse((await run('list', '--json')).stdout)
  t.equal(json.length, 451)
  t.match(json[0], {
    orderNumber: 'AAAA-0002',
    customer: HOSTILE.customer,
    webhook: { state: 'pending', stoppedAt: NOW }
  })
  t.strictSame(json[1].webhook, { state: 'pending' })
  for (const { placedAt, webhook, option, ...order } of json)
    if (!Value.Check(OrderData, order)) t.fail(JSON.stringify(order))
  const csv = parse((await run('list', '--csv')).stdout, { columns: true })
  t.equal(csv.length, 451)
  t.match(csv[0], { number: 'AAAA-0002', reference: "'=1+1", name: "'=cmd()" })
  t.match(parse((await run('list', '--csv', '--number', 'none')).stdout), [['number']])
  t.strictSame(JSON.parse((await run('list', '--json', '--number', 'none')).stdout), [])
})

t.test('list ends without an error if its reader stops early', async t => {
  const { file } = await setUp(t, ...Array.from({ length: 900 }, (_, n) => newOrder(n)))
  const env = { ...process.env, DATABASE_URL: `sqlite:${file}` }
  const child = spawnNode(['src/cli/orders.ts', 'list', '--json'], { env, coverage: true })
  const errors = child.stderr.toArray()
  await once(child.stdout, 'data')
  child.stdout.destroy()
  const [code] = await once(child, 'exit')
  t.strictSame([code, (await errors).join('')], [0, ''])
})

t.test('show prints all of one order', async t => {
  const { run, store } = await setUp(t, newOrder(1))
  await failWebhook(store)
  t.strictSame(await run('show', 'aaaa-0001'), {
    code: 0,
    stderr: '',
    stdout: `order      AAAA-0001
merchant   shop
reference  order-1
placed     2026-11-20T10:05:00.000Z
language   en-GB
option     1
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
  const { orderNumber, webhook } = JSON.parse((await run('show', 'AAAA-0001', '--json')).stdout)
  t.match({ orderNumber, webhook }, { orderNumber: 'AAAA-0001', webhook: { state: 'failed', problem: 'answered 500' } })
})

t.test(
  'show prints an order without phone, delivery method, language or webhook, and one whose webhook is pending or stopped',
  async t => {
    const { store, run } = await setUp(t, newOrder(1))
    const { delivery, language, ...bare } = newOrder(2, { customer: { email: 'a@b', country: 'GB', address: {} } })
    await place(store, bare, false)
    const shown = (await run('show', 'AAAA-0002')).stdout
    t.match((await run('list', '--number', 'AAAA-0002')).stdout, /94\.45 GBP +- +- +a@b +-\n/)
    t.match(shown, /language +-\n/)
    t.match(shown, /phone +-\n/)
    t.match(shown, /webhook +none\n/)
    t.match(shown, /delivery +0\.00\n/)
    t.notMatch((await run('show', 'AAAA-0002', '--json')).stdout, /webhook/)
    t.match((await run('show', 'AAAA-0001')).stdout, /webhook +pending, due 2026-11-20T10:05:00.000Z\n/)
    await store.stopMessages('shop', NOW)
    const stopped = `stopped by an answer 410 at ${NOW}: sent after "redeliver", or when the server starts again`
    t.match((await run('show', 'AAAA-0001')).stdout, `pending, ${stopped}\n`)
  }
)

t.test('cancelled and refunded orders, and further ones of a reference, are told apart', async t => {
  const { store, run } = await setUp(t, newOrder(1, { merchantId: 'other' }))
  await store.addCheckout(newCheckout('t1', { reference: 'one' }))
  const reports = [
    newReport(1, { reference: 'one', status: 'refunded' }),
    newReport(2, { reference: 'one' }),
    newReport(3, { reference: 'one' })
  ]
  for (const order of reports) await store.keepNotice(order)
  await store.keepNotice({
    ...newReport(3, { reference: 'one' }),
    status: 'cancelled',
    statusAt: '2026-11-20T11:00:00.000Z'
  })
  const { stdout } = await run('list', '--reference', 'one')
  t.match(
    stdout,
    /^#1 .* one .*\(refunded\) +-\n#2 .* one .*\(reported, further order\) +-\n#3 .*\(cancelled, further order\) +-\n/m
  )
  const json = JSON.parse((await run('list', '--json', '--reference', 'one')).stdout)
  t.match(json, [
    { status: 'refunded', isFurther: undefined },
    { status: 'placed', isFurther: true },
    { status: 'cancelled' }
  ])
  const csv = parse((await run('list', '--csv')).stdout, { columns: true })
  const states = ['', 'refunded', 'reported, further order', 'cancelled, further order']
  t.strictSame(
    (csv as { status: string }[]).map(({ status }) => status),
    states
  )
  t.match((await run('show', '#3')).stdout, /^status {5}cancelled, further order$/m)
})

t.test('reported orders are listed and shown beside placed ones, without personal data', async t => {
  const { store, run } = await setUp(t, newOrder(1, { merchantId: 'other' }))
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
    (await run('list')).stdout,
    `NUMBER     PLACED (UTC)      MERCHANT  REFERENCE   OPTION  ITEMS  TOTAL      WEBHOOK  LANGUAGE  EMAIL             PAYMENT
AAAA-0001  2026-11-20 10:05  other     order-1     1       3      94.45 GBP  pending  en-GB     ada1@example.com  -
#a         2026-11-20 10:06  shop      reported-2  1       3      89.95 GBP  -        -         (reported)        -
#a         2026-11-20 10:06  third     reported-3  -       3      8995 JPY   -        -         (reported)        -
=1         2026-11-20 10:06  shop      reported-1  -       3      89.95 GBP  -        -         (reported)        -
`
  )
  const items = newReport(1).items
  const json = { merchant: 'shop', currency: 'GBP', items, total: '89.95', status: 'placed', reportedAt }
  const [, second, , first] = JSON.parse((await run('list', '--json')).stdout)
  const known = { orderNumber: '#a', reference: 'reported-2', arrivedAt: '2026-11-20T10:00:00.000Z', option: '1' }
  t.strictSame(second, { ...json, ...known })
  t.strictSame(first, { ...json, orderNumber: '=1', reference: 'reported-1', arrivedAt: null })
  const csv = parse((await run('list', '--csv', '--merchant', 'shop')).stdout, { columns: true })
  t.match(csv, [
    {
      number: '#a',
      placed_at: '',
      reported_at: reportedAt,
      subtotal: '',
      total: '89.95',
      items: 'MUG:2; THROW:1',
      language: ''
    },
    { number: "'=1", merchant: 'shop', reference: 'reported-1', email: '', webhook: '' }
  ])
  t.equal(
    (await run('show', '#a')).stdout,
    `order      #a
merchant   shop
reference  reported-2
reported   2026-11-20T10:06:00.000Z
status     reported
option     1
bag        arrived 2026-11-20T10:00:00.000Z
total      89.95 GBP

SKU    QUANTITY
MUG    2
THROW  1

order      #a
merchant   third
reference  reported-3
reported   2026-11-20T10:06:00.000Z
status     reported
bag        none has arrived
total      8995 JPY

SKU    QUANTITY
MUG    2
THROW  1
`
  )
  const [here, third] = (await run('show', '#a', '--json')).stdout.trim().split('\n')
  t.match(JSON.parse(String(here)), { ...json, ...known })
  t.match(JSON.parse(String(third)), { merchant: 'third', total: '8995' })
  t.match(await run('redeliver', '#a'), { code: 1, stdout: '', stderr: 'no order #A was placed here\n' })
  const none = { code: 1, stdout: '', stderr: 'there is no order \\u{202e}none\n' }
  t.strictSame(await run('show', '\u202enone'), none)
})

/** Orders that are paid, pending, partly and wholly refunded, and have failed; then one that is no order, as its amount differs. */
async function setUpPaid(t: Test) {
  const built = await setUp(t, newOrder(9))
  const { store } = built
  const pay = async (n: number, changes = {}) => {
    const payment = await opened(store, n)
    const paid = { providerId: `cs_${n}`, transactionId: `pi_${n}`, ...changes }
    await settle(store, payment, 'pending', paid)
    if (n !== 2) await settle(store, payment, n === 5 ? 'failed' : 'paid', paid)
    return payment
  }
  for (const n of [1, 2]) await pay(n)
  for (const [n, amount] of [
    [3, 500],
    [4, 9445]
  ] as const) {
    const payment = await pay(n)
    await bookRefund(store, payment, { refunded: amount }, NOW)
    if (n === 3) await bookRefund(store, payment, { dispute: 'open' }, '2026-11-21T10:00:00.000Z')
  }
  await pay(5)
  await pay(6, { amount: 1 })
  return built
}

t.test('list and show say how orders are paid, and list finds them by it', async t => {
  const { run } = await setUpPaid(t)
  const { stdout } = await run('list')
  const last = stdout.split('\n').map(line => line.split(/ {2,}/).at(-1))
  const states = ['paid', 'pending', 'paid, 5.00 refunded, dispute open', 'refunded', 'failed']
  t.strictSame(last, ['PAYMENT', '-', ...states, ''])
  for (const [payment, numbers] of Object.entries({
    pending: ['AAAA-0002'],
    paid: ['AAAA-0001', 'AAAA-0003'],
    failed: ['AAAA-0005'],
    refunded: ['AAAA-0004']
  })) {
    const json = JSON.parse((await run('list', '--json', '--payment', payment)).stdout)
    t.strictSame(
      json.map(({ orderNumber }: OrderData) => orderNumber),
      numbers
    )
    for (const { placedAt, webhook, option, ...order } of json) t.strictSame([...Value.Errors(OrderData, order)], [])
    t.ok(json.every((order: OrderData) => order.payment?.status === payment))
  }
  const csv: Record<string, string>[] = parse((await run('list', '--csv')).stdout, { columns: true })
  const cells = csv.map(row => Object.entries(row).slice(-10, -4))
  const names = ['status', 'provider', 'id', 'amount', 'refunded', 'dispute'].map(name => `payment_${name}`)
  const cellsOf = (...values: string[]) => names.map((name, i) => [name, values[i]])
  t.strictSame(cells[0], cellsOf('', '', '', '', '', ''))
  t.strictSame(cells[1], cellsOf('paid', 'stripe', 'pi_1', '94.45', '', ''))
  t.strictSame(cells[3], cellsOf('paid', 'stripe', 'pi_3', '94.45', '5.00', 'open'))
  t.match(
    (await run('show', 'aaaa-0003')).stdout,
    /^payment {4}paid, 5\.00 refunded, dispute open, 94\.45 GBP, stripe pi_3$/m
  )
  t.notMatch((await run('show', 'AAAA-0009')).stdout, /^payment/m)
  const shown = JSON.parse((await run('show', 'AAAA-0003', '--json')).stdout)
  const told = { status: 'paid', provider: 'stripe', id: 'pi_3', amount: '94.45', refunded: '5.00', dispute: 'open' }
  t.strictSame(shown.payment, told)
})

t.test('where is it? A payment that is no order is found, with its state and why, and a hint leads there', async t => {
  const { store, run } = await setUpPaid(t)
  await opened(store, 7)
  const hint = (number: string) => `a payment was begun: npm run orders -- payments --number ${number}\n`
  const none = { code: 1, stdout: '', stderr: `there is no order aaaa-0006; ${hint('AAAA-0006')}` }
  t.strictSame(await run('show', 'aaaa-0006'), none)
  t.match(await run('list', '--reference', 'order-7'), { code: 0, stderr: hint('AAAA-0007') })
  t.match(await run('list', '--number', 'aaaa-0007', '--merchant', 'shop'), { stderr: hint('AAAA-0007') })
  for (const args of ['--reference order-1', '--number none', '--from 2027-01-01']) {
    t.match(await run('list', ...args.split(' ')), { code: 0, stderr: '' }, args)
  }
  const { stdout } = await run('payments', '--number', 'aaaa-0006')
  t.equal(
    stdout,
    `PAYMENT      BEGAN (UTC)       MERCHANT  REFERENCE  STATE      AMOUNT     REFUNDED  PROVIDER  ID    REASON
AAAA-0006-1  2026-11-20 10:05  shop      order-6    refunding  94.45 GBP  -         stripe    pi_6  amount-differs
`
  )
  await refundWhole(store, keyOf(6))
  const states = async (...args: string[]) =>
    JSON.parse((await run('payments', '--json', ...args)).stdout).map(({ state }: { state: string }) => state)
  t.strictSame(await states('--reference', 'order-6'), ['refunded'])
  t.strictSame(await states('--state', 'open'), ['open'])
  t.equal((await states('--merchant', 'shop')).length, 7)
  t.strictSame(await states('--merchant', 'other'), [])
  const [paid] = JSON.parse((await run('payments', '--json', '--number', 'AAAA-0003')).stdout)
  t.strictSame(paid, {
    ...{ payment: 'AAAA-0003-1', orderNumber: 'AAAA-0003', merchant: 'shop', reference: 'order-3', state: 'paid' },
    ...{ provider: 'stripe', providerId: 'pi_3', currency: 'GBP', amount: '94.45', refunded: '5.00', dispute: 'open' },
    ...{ createdAt: '2026-11-20T10:05:00.000Z', expiresAt: '2026-11-20T11:05:00.000Z' }
  })
  t.match((await run('payments', '--number', 'AAAA-0007')).stdout, / open .* stripe {4}cs_1 {2}-\n$/)
  t.match((await run('payments', '--number', 'AAAA-0003')).stdout, / 94\.45 GBP {2}5\.00 .* dispute open\n$/)
  const refund = { before: 500, amount: 1000, key: 'k' }
  t.equal(await beginRefund(store, keyOf(3), refund, '2026-11-21T10:00:00.000Z'), true)
  t.match((await run('payments', '--number', 'AAAA-0003')).stdout, / 94\.45 GBP {2}5\.00, 10\.00 begun /)
  t.match(JSON.parse((await run('payments', '--json', '--number', 'AAAA-0003')).stdout), [{ refundBegun: '10.00' }])
})

t.test('of very many payments the latest are listed, and it is said that there are more', async t => {
  const { file, run } = await setUpPaid(t)
  const db = new DatabaseSync(file)
  db.exec(`WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 1001)
    INSERT INTO payments (id, order_number, attempt, merchant_id, token, reference_key, reference, currency, amount,
    provider, state, created_at, expires_at) SELECT 'P-' || i, 'P', i, 'shop', 'P', 'P', 'P', 'GBP', 1, 'stripe',
    'ended', '2026-12-01T00:00:00.000Z', '2026-12-01' FROM n`)
  db.close()
  const { code, stdout, stderr } = await run('payments')
  t.strictSame([code, stdout.split('\n').length], [0, 1002])
  t.match(stdout, /^P-1000 .* stripe {4}- {3}-$/m)
  t.equal(stderr, 'there are more, begun before these: give --number, --reference or --state\n')
  t.equal((await run('payments', '--state', 'paid')).stderr, '')
})

t.test('redeliver sends webhooks again, by number or all that failed', async t => {
  const { store, run } = await setUp(t, ...[1, 2, 3].map(n => newOrder(n)), newOrder(9, { merchantId: 'other' }))
  for (let i = 0; i < 3; i++) await failWebhook(store)
  await failWebhook(store, 'other')
  await store.stopMessages('shop', NOW)
  await store.stopMessages('other', NOW)
  const resumed = ', and whatever else waits since the merchant answered 410'
  t.match(await run('redeliver', 'AAAA-0001', 'NONE', 'AAAA-0002'), {
    code: 1,
    stdout: `AAAA-0001 is due again: a running server sends it, if its merchant has a webhook${resumed}
AAAA-0002 is due again: a running server sends it, if its merchant has a webhook
`,
    stderr: 'no order NONE was placed here\n'
  })
  t.match(await store.findMessage('AAAA-0001'), { state: 'pending', attempts: 0 })
  t.match(await run('redeliver', '--failed'), {
    code: 0,
    stdout: `2 due again: a running server sends them${resumed}\n`
  })
  t.match(await store.findMessage('AAAA-0003'), { state: 'pending' })
})

t.test('redeliver --failed handles more than one batch, and one merchant', async t => {
  const orders = Array.from({ length: 251 }, (_, n) => newOrder(n, n === 0 ? { merchantId: 'other' } : {}))
  const { file, store, run } = await setUp(t, ...orders)
  const db = new DatabaseSync(file)
  db.exec(`UPDATE outbox SET state = 'failed', attempted_at = '${NOW}'`)
  db.close()
  const stdout = '250 due again: a running server sends them\n'
  t.match(await run('redeliver', '--failed', '--merchant', 'shop'), { code: 0, stdout })
  t.match(await store.redeliverFailed('2099-01-01T00:00:00.000Z', 2), { due: 1 }, 'that of the other merchant')
})

t.test('erase removes personal data from the file while another store has it open, and keeps the accounts', async t => {
  const { file, store, run } = await setUp(t, newOrder(1), newOrder(2, { token: 'token-2' }))
  const bytes = () =>
    ['', '-wal'].map(end => (existsSync(file + end) ? readFileSync(file + end, 'latin1') : '')).join('')
  const typed = (n: number) => [`ada${n}@example.com`, `+44 20 7946 ${n}`, `Ada Lovelace ${n}`, `${n} Quay Street`]
  t.ok([...typed(1), ...typed(2)].every(text => bytes().includes(text)))
  t.match(await run('erase', 'aaaa-0001', 'NONE'), {
    code: 1,
    stdout: 'AAAA-0001 has no personal data any more\n',
    stderr: 'no order NONE was placed here\n'
  })
  t.notOk(typed(1).some(text => bytes().includes(text)))
  t.ok(typed(2).every(text => bytes().includes(text)))
  const { customer, ...kept } = newOrder(1)
  t.strictSame(await store.findOrder('shop', 'token-1'), kept)
  t.match((await run('list')).stdout, /AAAA-0001.*94\.45 GBP.*\(erased\) +-\n/)
  t.match((await run('show', 'AAAA-0001')).stdout, /customer +\(erased\)\n/)
})

t.test('a merchant that is not in the store is reported', async t => {
  const { run } = await setUp(t, newOrder(1))
  const stderr = 'the store has nothing of "shpo"; it has shop\n'
  t.match(await run('list', '--merchant', 'shpo'), { code: 0, stderr })
  const onlyPeriodIsEmpty = await run('list', '--merchant', 'shop', '--from', '2027-01-01')
  t.match(onlyPeriodIsEmpty, { code: 0, stderr: '' })
  const empty = await setUp(t)
  t.match((await empty.run('list', '--merchant', 'x')).stderr, /nothing of "x"; it has nothing at all\n/)
})

t.test('list selects by merchant, reference, number and period', async t => {
  const later = newOrder(3, { placedAt: '2026-11-21T00:00:00.000Z' })
  const { run } = await setUp(t, newOrder(1), newOrder(2, { merchantId: 'other' }), later)
  const selected: [args: string, numbers: string[]][] = [
    ['--merchant other', ['AAAA-0002']],
    ['--reference order-1', ['AAAA-0001']],
    ['--number aaaa-0003', ['AAAA-0003']],
    ['--from 2026-11-21', ['AAAA-0003']],
    ['--to 2026-11-20', ['AAAA-0001', 'AAAA-0002']],
    ['--from 2026-11-20 --to 2026-11-20 --merchant shop', ['AAAA-0001']]
  ]
  for (const [args, numbers] of selected) {
    const listed: OrderData[] = JSON.parse((await run('list', '--json', ...args.split(' '))).stdout)
    t.strictSame(
      listed.map(({ orderNumber }) => orderNumber),
      numbers,
      args
    )
  }
})

t.test('a mistake in the arguments ends with 2, a hint and the usage', async t => {
  const { run } = await setUp(t)
  const mistakes: [args: string, message: RegExp][] = [
    ['', /give a command/],
    ['delete', /"delete" is not a command/],
    ['__proto__', /is not a command/],
    ['list --form 2026-11-20', /--form/],
    ['list --failed', /"list" takes no --failed/],
    ['list AAAA-0001', /give --number/],
    ['list --payment open', /--payment is "open"; give one of pending, paid, failed, refunded/],
    ['payments --state lost', /--state is "lost"; give one of opening, open,/],
    ['payments AAAA-0001', /"payments" takes no number; give --number, or "show"/],
    ['payments --csv', /"payments" takes no --csv/],
    ['list --json --csv', /--json or --csv, not both/],
    ['list --from \u001b[2J', /--from is "\\u001b\[2J"; give a day/],
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
    const { code, stdout, stderr } = await run(...args.split(' ').filter(Boolean))
    t.strictSame([code, stdout], [2, ''], args)
    t.match(stderr, message)
    t.match(stderr, '\n\nnpm run orders -- list')
  }
})
