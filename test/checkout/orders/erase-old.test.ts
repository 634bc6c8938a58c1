import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import t, { type Test } from 'tap'
import { eraseOldOrders } from '../../../src/checkout/orders/erase-old.ts'
import type { Merchant } from '../../../src/merchant/merchant.ts'
import { openSqlite } from '../../../src/store/sqlite/sqlite-store.ts'
import type { Store } from '../../../src/store/store.ts'
import { anyMerchant } from '../../any-merchant.ts'
import { addCart } from '../../store/cart-extras-suite.ts'
import { newOrder, place } from '../../store/new-order.ts'

const NOW = new Date('2026-12-31T12:00:00.000Z')
const daysAgo = (days: number) => new Date(NOW.getTime() - days * 86_400_000).toISOString()

type Erasing = {
  store: Store
  logs: Record<string, unknown>[]
  erase: (merchants: Partial<Merchant>[], signal?: AbortSignal) => Promise<void>
  /** The orders that still have personal data, by number. */
  left: () => Promise<string[]>
}

/** A real store, and the log of what is erased from it. */
function erasing(t: Test): Erasing {
  const store = openSqlite(join(t.testdir({}), 'test.sqlite'))
  t.teardown(() => store.close())
  const logs: Erasing['logs'] = []
  const logger = pino({ base: null, timestamp: false }, { write: line => void logs.push(JSON.parse(line)) })
  const left = async () =>
    (await store.listOrders({}, undefined, 1000)).filter(order => 'customer' in order).map(({ number }) => number)
  return {
    store,
    logs,
    erase: (merchants, signal) => eraseOldOrders(store, merchants.map(anyMerchant), NOW, logger, signal),
    left
  }
}

t.test('each merchant erases after its own time, and never without the setting', async t => {
  const { store, logs, erase, left } = erasing(t)
  const placed: [n: number, merchantId: string, age: number][] = [
    [1, 'month', 31],
    [2, 'month', 30],
    [3, 'month', 29],
    [4, 'day', 2],
    [5, 'never', 3000]
  ]
  for (const [n, merchantId, age] of placed) {
    await place(store, newOrder(n, { merchantId, placedAt: daysAgo(age) }), false)
  }
  const merchants = [{ id: 'month', eraseAfterDays: 30 }, { id: 'day', eraseAfterDays: 1 }, { id: 'never' }]
  await erase(merchants)
  const expected = ['AAAA-0005', 'AAAA-0002', 'AAAA-0003']
  t.strictSame(await left(), expected, 'an order of exactly that age stays')
  const lines = [
    { level: 30, merchant: 'month', orders: 1, msg: 'personal data erased' },
    { level: 30, merchant: 'day', orders: 1, msg: 'personal data erased' }
  ]
  t.strictSame(logs, lines)
  await erase(merchants)
  t.strictSame(await left(), expected, 'erasing again changes nothing')
  t.strictSame(logs, lines, 'and logs nothing')
})

t.test('an order whose webhook has not been delivered is kept, and reported each time', async t => {
  const { store, logs, erase, left } = erasing(t)
  await place(store, newOrder(1, { placedAt: daysAgo(31) }))
  await place(store, newOrder(2, { placedAt: daysAgo(31) }), false)
  const merchants = [{ id: 'shop', eraseAfterDays: 30 }]
  await erase(merchants)
  t.strictSame(await left(), ['AAAA-0001'])
  const kept = { level: 40, merchant: 'shop', orders: 1, msg: 'personal data kept: webhook not delivered' }
  t.strictSame(logs.splice(0), [{ level: 30, merchant: 'shop', orders: 1, msg: 'personal data erased' }, kept])
  await erase(merchants)
  t.strictSame(logs.splice(0), [kept])

  const leased = await store.leaseMessage('shop', NOW.toISOString(), daysAgo(-1))
  if (!leased) return t.fail('there is no message')
  const at = NOW.toISOString()
  await store.settleMessage(leased, { state: 'delivered', attempts: 1, dueAt: at, attemptedAt: at })
  await erase(merchants)
  t.strictSame(await left(), [], 'once it is delivered, it is erased')
})

t.test('many orders are erased in batches, which end when the server stops', async t => {
  const { store, logs, erase, left } = erasing(t)
  const numbers = Array.from({ length: 250 }, (_, i) => i + 1)
  await Promise.all(numbers.map(n => place(store, newOrder(n, { placedAt: daysAgo(31) }), false)))
  const stopping = new AbortController()
  const merchants = [{ id: 'shop', eraseAfterDays: 30 }]
  const erased = erase(merchants, stopping.signal)
  stopping.abort()
  await erased
  t.equal((await left()).length, 50, 'the batch under way is finished')
  await erase(merchants)
  t.strictSame(
    logs.map(({ orders }) => orders),
    [200, 50]
  )
})

t.test('what came along with carts that are deleted is gone, also of a merchant that erases nothing else', async t => {
  const { store, erase, logs } = erasing(t)
  await erase([{}])
  await addCart(store, 1, { expiresAt: daysAgo(31) })
  t.equal(await store.deleteExpired('shop', daysAgo(30), 10, daysAgo(1)), 1)
  const isLeft = () =>
    ['', '-wal'].some(end => readFileSync(join(t.testdirName, `test.sqlite${end}`)).includes('source-1.'))
  t.equal(isLeft(), true, 'until the log is emptied')
  await erase([{}])
  t.equal(isLeft(), false)
  t.strictSame(logs, [])
})
