// `npm run refund`, on a database that a server has open, with the stand-in for Stripe at the other end of a socket.
import { writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { refundOrder } from '../../src/cli/refund.ts'
import type { PaymentAction } from '../../src/kit/payment/checkout-account.ts'
import type { Order } from '../../src/orders/order.ts'
import { httpFetch } from '../../src/outgoing/http-client.ts'
import { stripe } from '../../src/payment/stripe/stripe.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite-store.ts'
import { merchantFile } from '../build.ts'
import { openDouble } from '../kit/payment/open-double.ts'
import { listen } from '../listen.ts'
import { type NodeProcess, runNode } from '../node-process.ts'
import { newOrder, place } from '../store/new-order.ts'
import { begin } from '../store/payments-suite.ts'
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
  const account = await stripe.connect({
    ...{ settings, secret: secretKey, webhookSecrets: [webhookSecret], fetch: httpFetch }
  })
  const signal = AbortSignal.timeout(600_000)

  /** Writes a merchant file. */
  const write = (name: string, payment: object | undefined, id = 'shop') => {
    const content = merchantFile('1', { id, ...(payment && { checkout: { payment: { ...PAYMENT, ...payment } } }) })
    writeFileSync(join(folder, name), JSON.stringify(content))
  }
  write('shop.json', settings)

  /** Has an order paid. @returns the name of its payment here, and at Stripe */
  async function pay(n: number, actions: PaymentAction[] = ['pay'], changes: Partial<Order> = {}) {
    const { id, orderNumber, reference, currency, amount: total, order } = await begin(store, n, changes)
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
    await store.paymentOpened(id, { providerId, url, expiresAt: expiresAt.toISOString() }, NOW)
    for (const action of actions) {
      double.act(providerId, action)
      const facts = await account.look(providerId, signal)
      if (facts) await store.settlePayment(id, facts, NOW)
    }
    const { transactionId } = (await store.findPayment('shop', id)) ?? {}
    return { id, transactionId: String(transactionId) }
  }

  const env = { DATABASE_URL: `sqlite:${join(folder, 'test.sqlite')}`, INIT_CWD: folder }
  const run = (...args: string[]) => runHere(refundOrder, args, env)
  const kept = async (id: string) => {
    const { state, refunded } = (await store.findPayment('shop', id)) ?? {}
    return [state, refunded]
  }
  return { folder, store, double, account, signal, write, pay, env, run, kept }
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

t.test('what was sent back without our knowing is not sent back again: the same command finishes', async t => {
  const { double, account, signal, write, pay, env, run, kept } = await setUp(t)
  const lost = await pay(1)
  double.fail('forgetful')
  const { code, stdout, stderr } = await run('AAAA-0001', 'shop.json', '--amount', '5')
  t.strictSame([code, stdout], [1, ''])
  t.match(
    stderr,
    /^AAAA-0001: no connection to Stripe: \w+; it may have been sent back: give the same command again\n$/
  )
  t.strictSame(await kept(lost.id), ['paid', 0])
  double.fail()
  t.match(await run('AAAA-0001', 'shop.json', '--amount', '5'), { code: 0 })
  t.strictSame(await kept(lost.id), ['paid', 500])

  const died = await pay(2)
  const { origin } = await listen(t, async request => {
    await passOn(double.origin, request)
    child?.kill('SIGKILL')
  })
  write('gate.json', { apiUrl: origin })
  let child: NodeProcess | undefined
  const args = ['src/cli/refund.ts', 'AAAA-0002', 'gate.json', '--amount', '80']
  const killed = await runNode(args, { env: { ...process.env, ...env } }, started => {
    child = started
  })
  t.strictSame(killed, { code: null, stdout: '', stderr: '' })
  t.strictSame(await kept(died.id), ['paid', 0])
  t.match(await run('AAAA-0002', 'shop.json', '--amount', '80'), { code: 0, stdout: /14\.45 GBP of .* is left\n$/ })
  t.strictSame(await kept(died.id), ['paid', 8000])

  const rest = { transactionId: lost.transactionId, currency: 'GBP', key: 'the rest' }
  await t.rejects(account.refund({ ...rest, amount: 8946 }, signal), { message: /amount/ })
  await account.refund({ ...rest, amount: 8945, key: 'all of the rest' }, signal)
  t.pass('5.00 was sent back once')
})

async function passOn(origin: string, request: IncomingMessage): Promise<Response> {
  const { method = '', url, headers } = request
  const body = Buffer.concat(await request.toArray()).toString()
  const { host, connection, 'content-length': length, 'transfer-encoding': coding, ...sent } = headers
  return fetch(origin + url, { method, headers: sent as Record<string, string>, body })
}

/** Passes refunds on to Stripe, once two of them have come. */
async function openGate(t: Test, origin: string): Promise<string> {
  const both = Promise.withResolvers<void>()
  let refunds = 0
  const gate = await listen(t, async (request, response) => {
    if (++refunds === 2) both.resolve()
    await both.promise
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
  await store.paymentRefunded(wholly.id, 0, 9445)
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
      '--amount is 94.46, more than what is left: 94.45 GBP; nothing was sent back\n'
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
  t.match(down, { code: 1, stdout: '', stderr: /Stripe answered 503; it may have been sent back: give the same/ })
  double.fail()
  process.env.REFUND_KEY = 'sk_test_of_somebody_else'
  const refused = await run('AAAA-0001', 'shop.json')
  process.env.REFUND_KEY = SECRETS.REFUND_KEY
  t.match(refused, { code: 1, stdout: '', stderr: /^AAAA-0001: Stripe answered 401.*; nothing was sent back\n$/ })
  t.strictSame(await kept(paid.id), ['paid', 0])
})
