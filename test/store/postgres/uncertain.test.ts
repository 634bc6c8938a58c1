// A connection that breaks before PostgreSQL has answered: what was to be written may have been.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { StoreUnavailable, StoreUncertain } from '../../../src/errors.ts'
import { openPostgres } from '../../../src/store/postgres/postgres-store.ts'
import type { Store } from '../../../src/store/store.ts'
import { openNetwork } from '../../faults/network.ts'
import { until } from '../../until.ts'
import { newOrder, PLACED } from '../new-order.ts'
import { newCheckout } from '../store-suite.ts'
import { urlOf } from './opened.ts'

const order = newOrder(1, { token: 't1', reference: 'order-1' })
const CALLS: [name: string, call: (store: Store) => Promise<unknown>, isUncertain: boolean][] = [
  ['an order', store => store.placeOrder(order), true],
  ['a bag', store => store.addCheckout(newCheckout('t2', { reference: 'order-2' })), true],
  ['a batch of the clean-up', store => store.deleteExpired('shop', PLACED, 1, PLACED), false],
  ['a page', store => store.findCheckout('shop', 't1'), false]
]

t.test('of what was to be written nobody knows, and what was read was not there', async t => {
  // Not tap's own folder: the path of a socket may not be as long.
  const folder = mkdtempSync(join(tmpdir(), 'cart-transfer-network-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const network = await openNetwork(t, await urlOf(t), folder)
  const store = await openPostgres(network.url)
  t.teardown(() => store.close())
  await store.addCheckout(newCheckout('t1'))
  for (const [name, call, isUncertain] of CALLS) {
    await store.findCheckout('shop', 't1')
    network.hold(true)
    const failing = call(store).catch(error => error)
    await until('the statement', () => network.held() === 1)
    network.silence(true)
    const error = await failing
    t.ok(error instanceof StoreUnavailable, name)
    t.equal(error instanceof StoreUncertain, isUncertain, name)
    network.silence(false)
    network.hold(false)
    await until('the connection', () => store.findCheckout('shop', 't1').catch(() => false))
  }
})
