// `npm run refund`, on a database that a server has open, with the stand-in for Stripe at the other end of a socket.
import { writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pino from 'pino'
import t, { type Test } from 'tap'
import type { Order } from '../../src/checkout/orders/order.ts'
import { sweepPayments } from '../../src/checkout/orders/poll-payments.ts'
import { refundOrder } from '../../src/cli/refund.ts'
import { httpFetch } from '../../src/integrations/outgoing/http-client.ts'
import { connectProviders, type PaymentGateway } from '../../src/integrations/payment/provider-call.ts'
import { stripe } from '../../src/integrations/payment/stripe/stripe.ts'
import type { PaymentAction } from '../../src/kit/payment/checkout-account.ts'
import { noopObserver } from '../../src/observer.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite-store.ts'
import { anyMerchant } from '../any-merchant.ts'
import { merchantFile } from '../build.ts'
import { openDouble } from '../kit/payment/open-double.ts'
import { listen } from '../listen.ts'
import { inTurn } from '../nightly.ts'
import { type NodeProcess, runNode } from '../node-process.ts'
import { newOrder, place } from '../store/new-order.ts'
import { begin, beginRefund, bookRefund, refundWhole } from '../store/payments-suite.ts'
import { newReport } from '../store/reported-orders-suite.ts'
import { runHere } from './run-here.ts'

const SECRETS = { REFUND_KEY: 'sk_test_of_the_refunds', REFUND_WEBHOOK_SECRET: 'whsec_of_the_refunds_here' }
Object.assign(process.env, SECRETS)
t.teardown(() => {
  for (const name of Object.keys(SECRETS)) delete process.env[name]
})

const NOW = '2026-11-20T10:10:00.000Z'
const PAYMENT = { provider: 'stripe', secretVariable: 'REFUND_KEY', webhookSecretVariable: 'REFUND_WEBHOOK_SECRET' }

async function setUp(t: Test) {
  const folder = t.testdir({})
  const store = openSqlite(join(folder, 'test.sqlite'))
  t.teardown(() => store.close())
  const { REFUND_KEY: secretKey, REFUND_WEBHOOK_SECRET: webhookSecret } = SECRETS
  const { double } = await openDouble(t, { clock: () => new Date(), secretKey, webhookSecret })
  const settings = { apiUrl: double.origin }
  const account = stripe.connect({
    ...{ settings, secret: secretKey, webhookSecrets: [webhookSecret], fetch: httpFetch }
  })
  const signal = AbortSignal.timeout(600_000)

  /** Writes a merchant file. */
  const write = (name: string, payment: object | undefined, id = 'shop', more: object = {}) => {
    const content = merchantFile('1', {
      id,
      ...more,
      ...(payment && { checkout: { payment: { ...PAYMENT, ...payment } } })
    })
    writeFileSync(join(folder, name), JSON.stringify(content))
  }
  write('shop.json', settings)

  /** Has an order paid. @returns its payment, with its name at Stripe */
  async function pay(n: number, actions: PaymentAction[] = ['pay'], changes: Partial<Order> = {}) {
    const payment = await begin(store, n, changes)
    const { id, orderNumber, reference, currency, amount: total, order } = payment
    const { lines, delivery } = order as Order
    const opened = await account.open(
      {
        ...{ id, merchantId: 'shop', orderNumber, reference, currency, total, lines, email: 'ada@example.com' },
        ...(delivery && { delivery }),
        ...{ language: 'en-GB', paidUrl: 'http://127.0.0.1/paid', cancelledUrl: 'http://127.0.0.1/checkout' },
        expiresAt: new Date(Date.now() + 3_600_000)
      },
      signal
    )
    const { providerId, url, expiresAt } = opened
    const page = { providerId, url, expiresAt: expiresAt.toISOString() }
    await store.changePayment(payment, { type: 'opened', page }, NOW)
    for (const action of actions) {
      double.act(providerId, action)
      const facts = await account.retrievePayment(providerId, signal)
      if (facts) await store.changePayment(payment, { type: 'reported', facts }, NOW)
    }
    const { transactionId } = (await store.findPayment('shop', id)) ?? {}
    return { ...payment, transactionId: String(transactionId) }
  }

  const env = { DATABASE_URL: `sqlite:${join(folder, 'test.sqlite')}`, INIT_CWD: folder }
  const run = (...args: string[]) => runHere(refundOrder, args, env)
  const kept = async (id: string) => {
    const { state, refunded } = (await store.findPayment('shop', id)) ?? {}
    return [state, refunded]
  }
  /** Sweeps a day later, as a server does. @param apiUrl of its way to Stripe @returns what it logs */
  async function sweep(apiUrl: string): Promise<object[]> {
    const lines: object[] = []
    const log = pino({}, { write: line => void lines.push(JSON.parse(line)) })
    const clock = () => new Date(Date.now() + 24 * 60 * 60_000)
    const payment = { provider: stripe, settings: { apiUrl }, secret: secretKey, webhookSecrets: [webhookSecret] }
    const parts = { fetch: httpFetch, clock, logger: log, observer: noopObserver }
    const gateway = connectProviders([{ id: 'shop', payment }], parts).get('shop') as PaymentGateway
    const merchant = anyMerchant({ id: 'shop' })
    await sweepPayments({ merchant, store, gateway, clock, log, observer: noopObserver })
    return lines
  }

  return { store, double, account, signal, settings, write, pay, env, run, kept, sweep }
}

t.test('a part is sent back, then all that is left', async t => {
  const { store, pay, run, kept } = await setUp(t)
  const { id, transactionId } = await pay(1)
  t.strictSame(await run('aaaa-0001', 'shop.json', '--amount', '12.50'), {
    ...{ code: 0, stderr: '' },
    stdout: `AAAA-0001: 12.50 GBP is sent back by Stripe, ${transactionId}
AAAA-0001: 81.95 GBP of 94.45 GBP is left
`
  })
  t.strictSame(await kept(id), ['paid', 1250])
  t.strictSame(await run('AAAA-0001', 'shop.json'), {
    ...{ code: 0, stderr: '' },
    stdout: `AAAA-0001: 81.95 GBP is sent back by Stripe, ${transactionId}
AAAA-0001: nothing is left
`
  })
  t.strictSame(await kept(id), ['refunded', 9445])
  t.match(await store.findOrder('shop', 'token-1'), { payment: { status: 'refunded', refunded: 9445 } })
})

t.test('yen have no decimals; as a process of its own, with the file of another merchant beside', async t => {
  const { write, pay, env, kept } = await setUp(t)
  write('other.json', undefined, 'other')
  const file = merchantFile('1', { id: 'other', publicUrl: 'http://127.0.0.1:3000/other' })
  writeFileSync(join(env.INIT_CWD, 'other.json'), JSON.stringify(file))
  const { id } = await pay(1, ['pay'], { currency: 'JPY' })
  const args = ['src/cli/refund.ts', 'AAAA-0001', 'other.json', 'shop.json', '--amount', '45']
  const { code, stdout, stderr } = await runNode(args, { env: { ...process.env, ...env }, coverage: true })
  t.strictSame([code, stderr], [0, ''])
  t.match(stdout, /^AAAA-0001: 45 JPY is sent back .*\nAAAA-0001: 9400 JPY of 9445 JPY is left\n$/)
  t.strictSame(await kept(id), ['paid', 45])
})

async function passOn(origin: string, request: IncomingMessage): Promise<Response> {
  const { method = '', url, headers } = request
  const body = Buffer.concat(await request.toArray()).toString()
  const { host, connection, 'content-length': length, 'transfer-encoding': coding, ...sent } = headers
  return fetch(origin + url, { method, headers: sent as Record<string, string>, ...(method === 'POST' && { body }) })
}

/** Passes refunds on to Stripe, once two of them have come. */
async function openGate(t: Test, origin: string): Promise<string> {
  const both = Promise.withResolvers<void>()
  let refunds = 0
  const gate = await listen(t, async (request, response) => {
    if (request.method === 'POST' && ++refunds === 2) both.resolve()
    if (request.method === 'POST') await both.promise
    const answer = await passOn(origin, request)
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
  })
  return gate.origin
}

t.test('two at once send the same back once', async t => {
  const { double, account, signal, write, pay, run, kept } = await setUp(t)
  const { id, transactionId } = await pay(1)
  write('shop.json', { apiUrl: await openGate(t, double.origin) })
  const command = ['AAAA-0001', 'shop.json', '--amount', '10']
  for (const { code, stdout } of await Promise.all([run(...command), run(...command)])) {
    t.equal(code, 0)
    t.match(stdout, 'AAAA-0001: 84.45 GBP of 94.45 GBP is left\n')
  }
  t.strictSame(await kept(id), ['paid', 1000])
  await account.refund({ transactionId, currency: 'GBP', amount: 8445, key: 'the rest' }, signal)
})

t.test('two at once that send back different amounts are both kept', async t => {
  const { double, write, pay, run, kept } = await setUp(t)
  const { id } = await pay(1)
  write('shop.json', { apiUrl: await openGate(t, double.origin) })
  const runs = ['10', '5'].map(amount => run('AAAA-0001', 'shop.json', '--amount', amount))
  for (const { code } of await Promise.all(runs)) t.equal(code, 0)
  t.strictSame(await kept(id), ['paid', 1500])
})

t.test('what cannot be sent back is refused with what to do, and nothing changes', async t => {
  const { store, double, write, pay, run, kept } = await setUp(t)
  const paid = await pay(1)
  await pay(2, ['pay-later'])
  await pay(3, ['pay-later', 'fail'])
  const wholly = await pay(4)
  await refundWhole(store, wholly)
  await begin(store, 5)
  await place(store, newOrder(6))
  await store.keepReport(newReport(1, { number: '#7' }))
  write('other.json', undefined, 'other')
  write('unpaid.json', undefined)
  writeFileSync(join(t.testdirName, 'broken.json'), '{}')

  const begun = 'a payment was begun: npm run orders -- payments --number AAAA-0005'
  const cases: [args: string, code: number, message: string | RegExp][] = [
    ['', 2, 'give the number of an order, and the file of its merchant'],
    ['AAAA-0001', 2, 'give the number of an order, and the file of its merchant'],
    ['none shop.json', 1, 'no order NONE was placed here\n'],
    ['AAAA-0005 shop.json', 1, `no order AAAA-0005 was placed here; ${begun}\n`],
    ['#7 shop.json', 1, "no order #7 was placed here; its merchant's own shop took the order: refund it there\n"],
    ['AAAA-0006 shop.json', 1, 'AAAA-0006: it was not paid through a provider; nothing was sent back\n'],
    [
      'AAAA-0002 shop.json',
      1,
      'AAAA-0002: the money is on its way; refund it once it is paid; nothing was sent back\n'
    ],
    ['AAAA-0003 shop.json', 1, 'AAAA-0003: the payment has failed; nothing was sent back\n'],
    ['AAAA-0004 shop.json', 1, 'AAAA-0004: all that was paid has been sent back already; nothing was sent back\n'],
    ['AAAA-0001 shop.json --amount 12,50', 2, '--amount is "12,50"; give an amount in GBP such as 94.45'],
    ['AAAA-0001 shop.json --amount 0', 2, '--amount is "0"; give an amount in GBP'],
    ['AAAA-0001 shop.json --amount 1.005', 2, '--amount is "1.005"; give an amount in GBP'],
    [
      'AAAA-0001 shop.json --amount 94.46',
      1,
      '--amount is 94.46, more than what is left: 94.45 GBP; it was not sent back\n'
    ],
    ['AAAA-0001 other.json', 1, 'none of these merchant files has the id "shop"; give that one\n'],
    ['AAAA-0001 unpaid.json', 1, '"shop" has no checkout.payment with "provider": "stripe", which took the money\n'],
    ['AAAA-0001 broken.json', 1, /broken\.json:1: .*id/],
    ['AAAA-0001 missing.json', 1, /missing\.json/]
  ]
  for (const [args, code, message] of cases) {
    const result = await run(...args.split(' ').filter(Boolean))
    t.strictSame([result.code, result.stdout], [code, ''], args)
    t.match(result.stderr, message, args)
  }
  double.fail('down')
  const down = await run('AAAA-0001', 'shop.json')
  t.match(down, { code: 1, stdout: '', stderr: /^AAAA-0001: Stripe answered 503; nothing was sent back\n$/ })
  double.fail()
  process.env.REFUND_KEY = 'sk_test_of_somebody_else'
  const refused = await run('AAAA-0001', 'shop.json')
  process.env.REFUND_KEY = SECRETS.REFUND_KEY
  t.match(refused, { code: 1, stdout: '', stderr: /^AAAA-0001: Stripe answered 401.*; nothing was sent back\n$/ })
  t.strictSame(await kept(paid.id), ['paid', 0])
})

/** What becomes of the refund that is asked for first: the provider never hears of it, or its answer is lost. */
const FAULTS = { unheard: false, lost: true, 'lost, but its notification is not': true }

/** A way to Stripe on which refunds are lost, until it is mended. */
async function openBrokenWay(t: Test, origin: string, isHeard: boolean) {
  const keys: unknown[] = []
  let isBroken = true
  const mend = () => {
    isBroken = false
  }
  const way = await listen(t, async (request, response) => {
    const isRefund = request.method === 'POST'
    if (isRefund) keys.push(request.headers['idempotency-key'])
    if (isRefund && isBroken && !isHeard) return response.destroy()
    const answer = await passOn(origin, request)
    if (isRefund && isBroken) return response.destroy()
    return response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
  })
  return { origin: way.origin, keys, mend }
}

type Next = { amount?: string; by?: 'command' | 'sweep'; refunded: number; code?: number; says: string | RegExp }

const BEGUN = '70.00 GBP, as was begun before,'

const NEXT: Record<string, Next> = {
  'the same amount': {
    amount: '70',
    refunded: 7000,
    says: /^AAAA-0001: 70.00 GBP, as was .* pi_\w+\nAAAA-0001: 24\.45 GBP of 94\.45 GBP is left\n$/
  },
  'another amount': {
    amount: '20',
    refunded: 9000,
    says: /begun before, is sent back .*\nAAAA-0001: 20\.00 GBP is sent back .*\n.* 4\.45 GBP of/
  },
  'more than is left then': { amount: '50', refunded: 7000, code: 1, says: `${BEGUN} is sent back by Stripe` },
  'no amount': {
    refunded: 9445,
    says: /begun before, is sent back .*\nAAAA-0001: 24\.45 GBP is sent back .*\n.*nothing is left\n$/
  },
  'the sweep': { by: 'sweep', refunded: 7000, says: 'payment refunded' }
}

t.test('a refund whose answer was lost is finished first by whatever comes next, and once', async t => {
  for (const [fault, isHeard] of Object.entries(FAULTS)) {
    for (const [name, { amount, by, refunded, code = 0, says }] of Object.entries(NEXT)) {
      await t.test(`${fault}, then ${name}`, async t => {
        const { store, double, write, pay, run, kept, sweep } = await setUp(t)
        const payment = await pay(1)
        const { id } = payment
        const way = await openBrokenWay(t, double.origin, isHeard)
        write('shop.json', { apiUrl: way.origin })
        const first = await run('AAAA-0001', 'shop.json', '--amount', '70')
        t.match(first, {
          code: 1,
          stdout: '',
          stderr: /; 70\.00 GBP may have been sent back: give the same command again\n$/
        })
        t.match(await store.findPayment('shop', id), { refunded: 0, refund: { before: 0, amount: 7000 } })
        way.mend()
        const isTold = fault.includes('notification')
        if (isTold) await bookRefund(store, payment, { refunded: 7000 }, NOW)
        if (by === 'sweep') t.match(await sweep(way.origin), isTold ? [] : [{ refunded: '70.00', msg: says }])
        else {
          const next = await run('AAAA-0001', 'shop.json', ...(amount === undefined ? [] : ['--amount', amount]))
          t.match(next, { code, stdout: says })
          t.match(next.stderr, code === 0 ? '' : '--amount is 50.00, more than what is left: 24.45 GBP')
        }
        t.equal(double.payments()[0]?.refunded, refunded, 'at Stripe')
        t.strictSame(await kept(id), [refunded === 9445 ? 'refunded' : 'paid', refunded], 'in the books')
        t.equal((await store.findPayment('shop', id))?.refund, undefined)
        if (!isHeard) t.equal(way.keys[1], way.keys[0], 'it is asked for under the same key')
        else
          t.notOk(
            way.keys.slice(1).includes(way.keys[0]),
            'it is not asked for again: Stripe may have forgotten the key'
          )
      })
    }
  }
})

t.test('whenever the command is killed, nothing is sent back twice, or forgotten', async t => {
  const moments = ['GET', 'before POST', 'POST'] as const
  for (const [i, moment] of moments.entries()) {
    for (const next of inTurn(['sweep', 'same'] as const, i)) {
      await t.test(`killed at ${moment}, then ${next}`, async t => {
        const { double, write, pay, env, run, kept, sweep, settings } = await setUp(t)
        const { id } = await pay(1)
        let child: NodeProcess | undefined
        const { origin } = await listen(t, async (request, response) => {
          if (moment === `before ${request.method}`) child?.kill('SIGKILL')
          else {
            const answer = await passOn(double.origin, request)
            if (moment === request.method) child?.kill('SIGKILL')
            response.writeHead(answer.status).end(await answer.text())
          }
        })
        write('shop.json', { apiUrl: origin })
        const args = ['src/cli/refund.ts', 'AAAA-0001', 'shop.json', '--amount', '70']
        const killed = await runNode(args, { env: { ...process.env, ...env } }, started => {
          child = started
        })
        t.strictSame(killed, { code: null, stdout: '', stderr: '' })
        t.strictSame(await kept(id), ['paid', 0])
        write('shop.json', settings)
        if (next === 'sweep') await sweep(double.origin)
        else t.match(await run('AAAA-0001', 'shop.json', '--amount', '70'), { code: 0 })
        const expected = next === 'sweep' && moment === 'GET' ? 0 : 7000
        t.equal(double.payments()[0]?.refunded, expected)
        t.strictSame(await kept(id), ['paid', expected])
      })
    }
  }
})

t.test('the sweep and a command that finish the same refund at once send it back once', async t => {
  const { double, write, pay, run, kept, sweep } = await setUp(t)
  const { id } = await pay(1)
  const way = await openBrokenWay(t, double.origin, false)
  write('shop.json', { apiUrl: way.origin })
  await run('AAAA-0001', 'shop.json', '--amount', '70')
  const gate = await openGate(t, double.origin)
  write('shop.json', { apiUrl: gate })
  const [, { code }] = await Promise.all([sweep(gate), run('AAAA-0001', 'shop.json', '--amount', '70')])
  t.equal(code, 0)
  t.equal(double.payments()[0]?.refunded, 7000)
  t.strictSame(await kept(id), ['paid', 7000])
})

t.test('what was sent back on the pages of Stripe since a refund was begun is in the books with it', async t => {
  const { double, write, settings, pay, run, kept } = await setUp(t)
  const { id } = await pay(1)
  const way = await openBrokenWay(t, double.origin, false)
  write('shop.json', { apiUrl: way.origin })
  t.match(await run('AAAA-0001', 'shop.json', '--amount', '30'), { code: 1 })
  double.refund(String(double.payments()[0]?.session.id), 1000)
  write('shop.json', settings)
  const { stdout } = await run('AAAA-0001', 'shop.json', '--amount', '30')
  t.match(stdout, /30\.00 GBP, as was begun before, is sent back .*\n.*54\.45 GBP of 94\.45 GBP is left/)
  t.strictSame(await kept(id), ['paid', 4000])
  t.equal(double.payments()[0]?.refunded, 4000)
})

t.test('a refund that was sent is in the books, though a dispute has opened again meanwhile', async t => {
  const { store, double, write, settings, pay, run, kept, sweep } = await setUp(t)
  const { id } = await pay(1)
  const session = String(double.payments()[0]?.session.id)
  for (const action of ['dispute', 'win'] as const) double.act(session, action)
  t.match(await run('AAAA-0001', 'shop.json', '--amount', '20'), { code: 0 })
  t.match(await store.findPayment('shop', id), { dispute: 'won', refunded: 2000 })
  const way = await openBrokenWay(t, double.origin, true)
  write('shop.json', { apiUrl: way.origin })
  await run('AAAA-0001', 'shop.json', '--amount', '70')
  double.act(session, 'dispute')
  write('shop.json', settings)
  await sweep(double.origin)
  t.strictSame(await kept(id), ['paid', 9000])
  t.match(await store.findPayment('shop', id), { dispute: 'open', refund: undefined })
})

t.test('what the provider refuses is begun no more, whatever comes next', async t => {
  const { store, double, write, settings, pay, run, kept, sweep } = await setUp(t)
  const { id } = await pay(1)
  const session = String(double.payments()[0]?.session.id)
  double.act(session, 'dispute')
  const disputed = await run('AAAA-0001', 'shop.json', '--amount', '70')
  t.match(disputed, { code: 1, stdout: '', stderr: /charge_disputed.*; 70\.00 GBP was not sent back\n$/ })
  t.match(await store.findPayment('shop', id), { refunded: 0, refund: undefined, dispute: 'open' })
  double.act(session, 'win')
  t.match(await run('AAAA-0001', 'shop.json', '--amount', '20'), { code: 0 })

  const way = await openBrokenWay(t, double.origin, false)
  const begin = async () => {
    write('shop.json', { apiUrl: way.origin })
    t.match(await run('AAAA-0001', 'shop.json', '--amount', '70'), { code: 1 })
    write('shop.json', settings)
  }
  await begin()
  double.refund(session, 1000)
  const refused = /70\.00 GBP, as was begun before, is not sent back: Stripe answered 400 \(.*amount\)/
  const same = await run('AAAA-0001', 'shop.json', '--amount', '70')
  t.match(same, { code: 1, stdout: refused, stderr: 'AAAA-0001: nothing was sent back\n' })
  t.strictSame(await kept(id), ['paid', 3000])
  t.match(await run('AAAA-0001', 'shop.json', '--amount', '10'), { code: 0 })
  t.equal(double.payments()[0]?.refunded, 4000)

  write('shop.json', { apiUrl: way.origin })
  t.match(await run('AAAA-0001', 'shop.json', '--amount', '50'), { code: 1 })
  double.refund(session, 1000)
  write('shop.json', settings)
  const other = await run('AAAA-0001', 'shop.json', '--amount', '5')
  t.match(other, {
    code: 0,
    stdout: /50\.00 GBP, as was begun before, is not sent back: .*\nAAAA-0001: 5\.00 GBP is sent/
  })
  t.strictSame(await kept(id), ['paid', 5500])

  write('shop.json', { apiUrl: way.origin })
  await run('AAAA-0001', 'shop.json', '--amount', '30')
  double.refund(session, 2000)
  t.match(await sweep(double.origin), [
    { level: 30, refunded: '75.00', msg: 'payment refunded' },
    { level: 50, msg: 'refund refused by the provider' }
  ])
  t.strictSame(await kept(id), ['paid', 7500])
})

t.test('a provider that is down, or does not know the payment, says nothing of a refund that was begun', async t => {
  const { store, double, pay, run, kept, write, sweep } = await setUp(t)
  const payment = await pay(1)
  const { id } = payment
  const other = await openDouble(t, { secretKey: SECRETS.REFUND_KEY })
  const begin = () => beginRefund(store, payment, { before: 0, amount: 7000, key: 'k' }, NOW)
  t.equal(await begin(), true)
  double.fail('down')
  const down = { code: 1, stdout: '', stderr: /Stripe answered 503; 70\.00 GBP may have been sent back: give the same/ }
  t.match(await run('AAAA-0001', 'shop.json', '--amount', '70'), down)
  double.fail()
  write('shop.json', { apiUrl: other.double.origin })
  const unknown =
    /^AAAA-0001: Stripe does not know the payment: is the key of another account\? 70\.00 GBP may have been/
  t.match(await run('AAAA-0001', 'shop.json'), { code: 1, stdout: '', stderr: unknown })
  // Nobody there can have sent it back: the refusal is final.
  t.match(await sweep(other.double.origin), [{ level: 50, msg: 'refund refused by the provider', reason: /404/ }])
  t.strictSame([await kept(id), (await store.findPayment('shop', id))?.refund], [['paid', 0], undefined])
})

t.test('what was sent back when the database failed is booked by the same command', async t => {
  const { double, pay, run, kept, write, settings, env } = await setUp(t)
  const { id } = await pay(1)
  const rename = (from: string, to: string) => {
    const db = new DatabaseSync(env.DATABASE_URL.replace('sqlite:', ''))
    db.exec(`ALTER TABLE payments RENAME COLUMN ${from} TO ${to}`)
    db.close()
  }
  const { origin } = await listen(t, async (request, response) => {
    const answer = await passOn(double.origin, request)
    if (request.method === 'POST') rename('dispute', 'lost')
    response.writeHead(answer.status).end(await answer.text())
  })
  write('shop.json', { apiUrl: origin })
  t.match(await run('AAAA-0001', 'shop.json', '--amount', '70'), {
    code: 1,
    stdout: '',
    stderr: /no such column: dispute/
  })
  rename('lost', 'dispute')
  write('shop.json', settings)
  t.match(await run('AAAA-0001', 'shop.json', '--amount', '70'), {
    code: 0,
    stdout: /as was begun before, is sent back/
  })
  t.equal(double.payments()[0]?.refunded, 7000)
  t.strictSame(await kept(id), ['paid', 7000])
})

t.test('an answer to a refund that cannot be read is no refusal, if the provider has made it', async t => {
  const { double, write, pay, run, kept } = await setUp(t)
  const { id } = await pay(1)
  const { origin } = await listen(t, async (request, response) => {
    const answer = await passOn(double.origin, request)
    response.writeHead(200).end(request.method === 'POST' ? '<html>' : await answer.text())
  })
  write('shop.json', { apiUrl: origin })
  t.match(await run('AAAA-0001', 'shop.json', '--amount', '70'), { code: 0, stdout: /^AAAA-0001: 70\.00 GBP is sent/ })
  t.strictSame(await kept(id), ['paid', 7000])
})

t.test('what was sent back on the pages of the provider is noticed, and counts', async t => {
  const { store, double, write, pay, run, kept, account, signal } = await setUp(t)
  const { id } = await pay(1)
  const session = String(double.payments()[0]?.session.id)
  double.refund(session, 9000)
  t.match(await run('AAAA-0001', 'shop.json', '--amount', '5'), {
    code: 1,
    stdout: 'AAAA-0001: 90.00 GBP has been sent back by now, by what Stripe says\n',
    stderr: '--amount is 5.00, more than what is left: 4.45 GBP; it was not sent back\n'
  })
  t.strictSame(await kept(id), ['paid', 9000])
  double.act(session, 'refund')
  t.match(await run('AAAA-0001', 'shop.json'), { code: 1, stderr: /all that was paid has been sent back already/ })
  t.strictSame(await kept(id), ['refunded', 9445])

  const second = await pay(2)
  const { origin } = await listen(t, async (request, response) => {
    const answer = await passOn(double.origin, request)
    const payment = await store.findPayment('shop', second.id)
    // Another command has sent something back, since this one has looked.
    if (payment?.refunded === 0) {
      const { transactionId } = second
      await account.refund({ transactionId, currency: 'GBP', amount: 1000, key: 'another' }, signal)
      await bookRefund(store, second, { refunded: 1000 }, NOW)
    }
    response.writeHead(answer.status).end(await answer.text())
  })
  write('shop.json', { apiUrl: origin })
  const late = await run('AAAA-0002', 'shop.json', '--amount', '10')
  t.match(late, { code: 1, stdout: '', stderr: /^AAAA-0002: 10\.00 GBP has been sent back by now, by somebody else/ })
  t.strictSame(await kept(second.id), ['paid', 1000])
})

t.test('the webhook of the merchant is told once of a refund by the command', async t => {
  const { store, write, settings, pay, run } = await setUp(t)
  process.env.REFUND_HOOK = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
  t.teardown(() => delete process.env.REFUND_HOOK)
  write('shop.json', settings, 'shop', {
    webhook: { url: 'https://acme.example/hooks', secretVariable: 'REFUND_HOOK' }
  })
  await pay(1)
  t.match(await run('AAAA-0001', 'shop.json', '--amount', '5'), { code: 0 })
  t.match(await store.leaseMessage('shop', '2099-01-01T00:00:00.000Z', '2099-01-02T00:00:00.000Z'), {
    event: 'order.refunded',
    order: { number: 'AAAA-0001', payment: { status: 'paid', refunded: 500 } }
  })
  t.match(await store.countUndelivered(), [{ pending: 1 }])
})
