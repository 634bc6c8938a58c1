// What one merchant's calls can take from those of another: here they wait for locks that somebody else holds, for as long as
// the test wants.
import t, { type Test } from 'tap'
import type { Store } from '../../../src/store/store.ts'
import { sharedPostgres } from '../../postgres.ts'
import { until } from '../../until.ts'
import { newOrder, PLACED } from '../new-order.ts'
import { begin, facts, keyOf, newPayment } from '../payments-suite.ts'
import { newCheckout } from '../store-suite.ts'
import { connectClient, openTested } from './opened.ts'

/** Long enough that what waits for a lock of this test is let go, and not given up. */
const TIMEOUT = 60_000
const PRESSES = 40

const bag = (n: number) => ({ token: `t${n}`, reference: `order-${n}` })

/** A store with some bags of the merchant `shop`, each with a payment, all of which somebody else has locked. */
async function openLocked(t: Test, bags: number) {
  const store = await openTested(t, { timeout: TIMEOUT })
  t.teardown(store.close)
  for (let n = 0; n < bags; n++) await begin(store, n, bag(n))
  const client = await connectClient(t)
  await client.query('BEGIN')
  await client.query(`SELECT 1 FROM checkouts WHERE merchant_id = 'shop' FOR UPDATE`)
  const { query } = await sharedPostgres()
  const waiting = async () => {
    const { rows } = await query(`SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'`)
    return Number(rows[0].count)
  }
  return { store, waiting, letGo: () => client.query('COMMIT') }
}

/** What a shopper of the other merchant does, and the server. */
async function serveOthers(store: Store, i: number): Promise<void> {
  const other = { merchantId: 'other', token: `theirs-${i}`, reference: `theirs-${i}` }
  await store.addCheckout(newCheckout(other.token, other))
  await store.findCheckout('other', other.token)
  await store.beginPayment(newPayment(500 + i, other))
  await store.placeOrder(newOrder(600 + i, other))
  await store.checkReady()
}

type Press = (store: Store, i: number) => Promise<unknown>

const presses: [what: string, bags: number, waits: number, press: Press][] = [
  ['forty presses on one bag', 1, 1, (store, i) => store.beginPayment(newPayment(i, bag(0)))],
  ['forty orders of one bag', 1, 1, (store, i) => store.placeOrder(newOrder(i, bag(0)))],
  [
    'forty bags of one reference',
    1,
    1,
    (store, i) => store.addCheckout(newCheckout(`n${i}`, { reference: 'order-0', currency: `C${i}` }))
  ],
  [
    'forty notifications of one payment',
    1,
    1,
    store => store.changePayment({ ...keyOf(0), ...bag(0) }, { type: 'reported', facts: facts('paid') }, PLACED)
  ],
  ['presses on forty bags', PRESSES, 4, (store, i) => store.beginPayment(newPayment(i, bag(i)))]
]

for (const [what, bags, waits, press] of presses) {
  t.test(`${what} hold ${waits} of eight connections, and no other merchant waits for them`, async t => {
    const { store, waiting, letGo } = await openLocked(t, bags)
    let pressed = 0
    const pressing = Array.from({ length: PRESSES }, (_, i) => press(store, i).then(() => pressed++))
    await until('the presses to wait', async () => (await waiting()) >= waits)
    await Promise.all(Array.from({ length: 20 }, (_, i) => serveOthers(store, i)))
    t.equal(pressed, 0, 'meanwhile nothing that was locked goes on')
    t.equal(await waiting(), waits, 'connections that wait')
    await letGo()
    await Promise.all(pressing)
  })
}
