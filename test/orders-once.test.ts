// Exactly one order, however many requests submit a checkout at once, in one process or in two sharing a database.
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pino } from 'pino'
import t, { type Test } from 'tap'
import type { Order } from '../src/checkout/orders/order.ts'
import { readEnvironment } from '../src/environment.ts'
import { noopObserver } from '../src/observer.ts'
import { openServerStore } from '../src/start/open-store.ts'
import { spawnNode } from './node-process.ts'
import { ADA, openShop, stable } from './pages/shopper.ts'
import { sharedPostgres } from './postgres.ts'
import { sendRaw } from './raw-http.ts'
import { newCheckout } from './store/store-suite.ts'

const SUBMITS = 50

t.test(
  '50 concurrent submits on separate connections make one order, and all redirect to its confirmation',
  async t => {
    const shop = await openShop(t, '1')
    await shop.app.listen({ host: '127.0.0.1', port: 0 })
    const port = Number(new URL(shop.app.listeningOrigin).port)
    const { action, fields } = await shop.form(await shop.transfer())
    const answers = await Promise.all(
      Array.from({ length: SUBMITS }, (_, i) => {
        const body = `${new URLSearchParams({ ...fields, ...ADA, name: `Ada ${i}` })}`
        const head = [
          `POST ${action} HTTP/1.1`,
          'Host: shop.example',
          'Content-Type: application/x-www-form-urlencoded',
          `Content-Length: ${Buffer.byteLength(body)}`,
          'Connection: close'
        ]
        return sendRaw(port, `${head.join('\r\n')}\r\n\r\n${body}`)
      })
    )
    t.strictSame(answers.map(({ status }) => status).sort(), [303, ...Array(SUBMITS - 1).fill(409)])
    const [order, ...more] = shop.orders()
    t.strictSame(more, [])
    const confirmation = `${action.replace('?', '')}/complete?order=${order?.number}`
    const locations = answers.map(({ headers }) => stable(headers.location))
    t.equal(locations.filter(location => location === confirmation).length, 1, 'the order is that of one of them')
  }
)

/** Places the next order. @returns its number and its shopper */
type Placer = () => Promise<string>

/** Starts a process that places orders from these checkouts, one after the other. */
async function startPlacer(t: Test, url: string, name: string, tokens: string[]): Promise<Placer> {
  const script = join(import.meta.dirname, 'checkout/orders/place-all.ts')
  const child = spawnNode([script, url, name, ...tokens], { stdio: ['pipe', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  t.teardown(async () => {
    child.kill('SIGKILL')
    await exited
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  if ((await lines.next()).value !== 'ready') throw new Error('the process did not start')
  return async () => {
    child.stdin.write('next\n')
    return String((await lines.next()).value)
  }
}

/** Opens the store of the address as both processes do. */
const openStore = (url: string) =>
  openServerStore(readEnvironment({ DATABASE_URL: url }), pino({ enabled: false }), noopObserver)

const addresses: [name: string, newUrl: (t: Test) => Promise<string>][] = [
  ['an SQLite file', async t => `sqlite:${join(t.testdir({}), 'shop.sqlite')}`],
  ['a PostgreSQL', async () => (await sharedPostgres()).newUrl()]
]
for (const [name, newUrl] of addresses) {
  t.test(`two processes sharing ${name} place the same checkouts at once: one order per checkout`, async t => {
    const url = await newUrl(t)
    const tokens = Array.from({ length: 100 }, (_, i) => `t${i}`)
    const store = await openStore(url)
    t.teardown(store.close)
    await Promise.all(tokens.map(token => store.addCheckout(newCheckout(token, { reference: token }))))

    const placers = await Promise.all(['Ada', 'Eve'].map(name => startPlacer(t, url, name, tokens)))
    const reported: string[] = []
    for (const [i] of tokens.entries()) {
      const inTurn = i % 2 ? placers : placers.toReversed()
      const [first, second] = inTurn as [Placer, Placer]
      // Each process places one before the other, however busy the machine is; then they race.
      const [one = '', other] = i < 2 ? [await first(), await second()] : await Promise.all([first(), second()])
      if (one !== other) t.fail(`${tokens[i]}: one process says ${one}, the other ${other}`)
      reported.push(one)
    }
    const orders = (await store.listOrders({}, undefined, 1000)) as Order[]
    const kept = new Map(orders.map(({ token, number, customer }) => [token, `${number} ${customer?.address.name}`]))
    t.equal(orders.length, tokens.length)
    t.strictSame(
      tokens.map(token => kept.get(token)),
      reported,
      'both processes report the stored orders'
    )
    t.equal(new Set(reported).size, tokens.length)
    t.equal(new Set(reported.map(order => order.split(' ')[1])).size, 2, 'each process has placed some')
  })
}
