// A checkout that is found again is the one in the database, whichever process has changed it.
import { DatabaseSync } from 'node:sqlite'
import t from 'tap'
import { sqliteStore } from '../../../src/store/sqlite/sqlite-store.ts'
import { newOrder } from '../new-order.ts'
import { CREATED, EXPIRES, NO_RECORDS, newCheckout } from '../store-suite.ts'
import { type Connected, connect } from './connected.ts'

/** A store that has found a checkout before, and another on the same file, as in another process. */
async function foundBefore(t: Parameters<typeof connect>[0]) {
  const { store, file }: Connected = connect(t)
  await store.addCheckout(newCheckout('known'))
  const other = sqliteStore(new DatabaseSync(file))
  t.teardown(other.close)
  const find = () => store.findCheckout('shop', 'known')
  t.strictSame(await find(), newCheckout('known'))
  return { other, find }
}

t.test('a checkout that is found again has the same cart, as the same object', async t => {
  const { find } = await foundBefore(t)
  const first = await find()
  t.strictSame(first, newCheckout('known'))
  t.equal((await find())?.cart, first?.cart)
})

t.test('once another process has replaced it, it says so', async t => {
  const { other, find } = await foundBefore(t)
  const at = '2026-11-20T11:00:00.000Z'
  await other.addCheckout(newCheckout('newer', { currency: 'EUR', createdAt: at }))
  t.strictSame(await find(), { ...newCheckout('known'), supersededAt: at })
})

t.test('once another process has placed its order, it has its number', async t => {
  const { other, find } = await foundBefore(t)
  const order = newOrder(1, { token: 'known' })
  await other.placeOrder(order)
  t.strictSame(await find(), { ...newCheckout('known'), orderNumber: order.number })
})

t.test('once another process has deleted it, it is gone', async t => {
  const { other, find } = await foundBefore(t)
  t.equal(await other.deleteExpired('shop', '2027', 10, NO_RECORDS), 1)
  t.equal(await find(), undefined)
})

t.test('another merchant does not find it', async t => {
  const { store } = connect(t)
  await store.addCheckout(newCheckout('known'))
  t.ok(await store.findCheckout('shop', 'known'))
  t.equal(await store.findCheckout('other', 'known'), undefined)
  t.match(await store.findCheckout('shop', 'known'), { createdAt: CREATED, expiresAt: EXPIRES })
})
