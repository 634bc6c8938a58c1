// The state of a checkout, its token, and the end of those that expired long ago: they are deleted in small batches.
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { checkoutState, deleteExpired, tokenSource } from '../../src/checkout/checkout-store.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite-store.ts'
import type { Store } from '../../src/store/store.ts'
import { MAX_TOKEN } from '../../src/transfer/option.ts'
import { anyMerchant, anyWay } from '../any-merchant.ts'
import { newCheckout } from '../store/store-suite.ts'

const expiresAt = '2026-11-21T10:00:00.000Z'
const supersededAt = '2026-11-20T12:00:00.000Z'
const orderNumber = '7KQM-3XH9'

const cases = [
  ['a moment before it expires', {}, '2026-11-21T09:59:59.999Z', 'open'],
  ['at the moment it expires', {}, expiresAt, 'expired'],
  ['superseded', { supersededAt }, '2026-11-20T13:00:00.000Z', 'superseded'],
  ['superseded and expired', { supersededAt }, '2027-01-01T00:00:00.000Z', 'superseded'],
  ['placed', { orderNumber }, '2026-11-20T13:00:00.000Z', 'placed'],
  ['placed, superseded and expired', { orderNumber, supersededAt }, '2027-01-01T00:00:00.000Z', 'placed']
] as const

t.test('placed takes precedence over superseded, superseded over expired', async t => {
  for (const [what, change, now, state] of cases) {
    t.equal(checkoutState({ ...newCheckout('t1', { expiresAt }), ...change }, new Date(now)), state, what)
  }
})

t.test('tokens sort by the time at which they were made', async t => {
  const times = [0, 1, 35, 36, 1000, 86_400_000, 1e12].map(
    later => new Date(Date.parse('2026-11-20T10:00:00.000Z') + later)
  )
  const tokens = times.map(tokenSource())
  t.strictSame(tokens.toSorted(), tokens)
})

t.test('a token has at least 128 random bits, in letters and digits, and is unique', async t => {
  const newToken = tokenSource()
  const tokens = Array.from({ length: 500 }, () => newToken(new Date(expiresAt)))
  t.equal(new Set(tokens).size, 500)
  t.ok(tokens.every(token => /^[a-z0-9]{8}[A-Za-z0-9]{24}$/.test(token) && token.length <= MAX_TOKEN))
  const random = tokens.map(token => token.slice(8))
  t.ok(
    random.every(({ length }) => length * Math.log2(62) >= 128),
    'each of 62'
  )
  const fewest = Math.min(...Array.from({ length: 24 }, (_, i) => new Set(random.map(text => text[i])).size))
  t.ok(fewest > 40, `every character takes nearly all of its 62 values: at least ${fewest}`)
})

const NOW = new Date('2026-12-31T12:00:00.000Z')
const LONG_AGO = '2026-01-01T00:00:00.000Z'

const keeping = (id: string, deleteAfterDays = 30) =>
  anyMerchant({ id, checkout: { ...anyMerchant().checkout, deleteAfterDays } })

/** A real store that records each batch. */
function sweep(t: Test) {
  const opened = openSqlite(join(t.testdir({}), 'test.sqlite'))
  t.teardown(() => opened.close())
  const batches: { merchantId: string; limit: number; deleted: number }[] = []
  const store: Store = {
    ...opened,
    deleteExpired: async (merchantId, before, limit, recordsFrom) => {
      const deleted = await opened.deleteExpired(merchantId, before, limit, recordsFrom)
      batches.push({ merchantId, limit, deleted })
      return deleted
    }
  }
  const add = (merchantId: string, expiries: string[]) =>
    Promise.all(
      expiries.map((expiresAt, i) =>
        opened.addCheckout(newCheckout(`${merchantId}-${i}`, { merchantId, reference: `order-${i}`, expiresAt }))
      )
    )
  const left = (merchantId: string, count: number) =>
    Promise.all(
      Array.from({ length: count }, async (_, i) =>
        Boolean(await opened.findCheckout(merchantId, `${merchantId}-${i}`))
      )
    )
  return { store, batches, add, left }
}

t.test('each merchant keeps expired checkouts for its own period', async t => {
  const { store, add, left } = sweep(t)
  const expiries = [
    LONG_AGO,
    '2026-12-01T11:59:59.999Z',
    '2026-12-01T12:00:00.000Z',
    '2026-12-31T11:59:59.999Z',
    '2026-12-31T12:00:00.000Z',
    '2027-01-01T00:00:00.000Z'
  ]
  const merchants: [string, number, boolean[]][] = [
    ['thirty', 30, [false, false, true, true, true, true]],
    ['none', 0, [false, false, false, false, true, true]],
    ['ten-years', 3650, [true, true, true, true, true, true]],
    ['unasked', 0, [true, true, true, true, true, true]]
  ]
  for (const [id] of merchants) await add(id, expiries)
  const configured = merchants.slice(0, 3).map(([id, days]) => keeping(id, days))
  t.equal(await deleteExpired(store, configured, NOW), 6, 'the number deleted')
  for (const [id, , stay] of merchants) t.strictSame(await left(id, expiries.length), stay, id)
})

t.test('records are kept for the days of their way, those of no way for the longest', async t => {
  const { store } = sweep(t)
  const way = (name: string, keepRecordsDays: number) => ({ ...anyWay({ keepRecordsDays }), name })
  const merchant = anyMerchant({ ways: [way('meta', 1), way('2A', 10)] })
  const records = ['meta', '2A', 'gone'].flatMap(option => [2, 11].map(days => ({ option, days })))
  for (const { option, days } of records) {
    const at = new Date(NOW.getTime() - days * 24 * 60 * 60_000 - 1).toISOString()
    const reference = `${option}-${days}`
    await store.addTransfer({ merchantId: 'shop', reference, option, at, outcome: 'repeated', mistakes: [] })
  }
  await deleteExpired(store, [merchant], NOW)
  const histories = await Promise.all(
    records.map(async ({ option, days }) => store.referenceHistories(['shop'], [`${option}-${days}`]))
  )
  t.strictSame(
    records.filter((_, i) => histories[i]?.[0]?.length).map(({ option, days }) => `${option}-${days}`),
    ['2A-2', 'gone-2']
  )
})

t.test('an attempt that came to nothing is kept no longer than its checkout would have been open', async t => {
  const { store } = sweep(t)
  const { cart } = newCheckout('t1', { merchantId: 'shop', reference: 'order-1', expiresAt })
  const attempt = { key: 'first', merchantId: 'shop', cart, createdAt: '2026-12-31T11:00:00.000Z' }
  await store.beginHandoff(attempt, LONG_AGO)
  const hour = anyMerchant({ checkout: { ...anyMerchant().checkout, expiresAfterMinutes: 60 } })
  t.equal(await deleteExpired(store, [hour], NOW), 0)
  t.equal(await store.beginHandoff({ ...attempt, key: 'second' }, LONG_AGO), 'first', 'until then it goes on')
  t.equal(await deleteExpired(store, [hour], new Date(NOW.getTime() + 1)), 1)
})

t.test('many checkouts are deleted in batches, without blocking the event loop', async t => {
  const { store, batches, add } = sweep(t)
  await add('big', Array(450).fill(LONG_AGO))
  await add('full', Array(200).fill(LONG_AGO))
  let turns = 0
  const timer = setInterval(() => turns++, 5)
  t.equal(await deleteExpired(store, [keeping('big'), keeping('full')], NOW), 650)
  clearInterval(timer)
  t.strictSame(
    batches.map(({ merchantId, deleted }) => `${merchantId} ${deleted}`),
    ['big 200', 'big 200', 'big 50', 'full 200', 'full 0']
  )
  t.ok(batches.every(({ deleted, limit }) => deleted <= limit && limit <= 200))
  t.ok(turns >= 3, `${turns} turns`)
})

t.test('deleting stops between two batches when the server stops', async t => {
  const { store, batches, add } = sweep(t)
  await add('shop', Array(250).fill(LONG_AGO))
  const stopping = new AbortController()
  const deleting = deleteExpired(store, [keeping('shop'), keeping('other')], NOW, stopping.signal)
  stopping.abort()
  t.equal(await deleting, 200)
  t.strictSame(batches, [{ merchantId: 'shop', limit: 200, deleted: 200 }])
  t.equal(await deleteExpired(store, [keeping('shop')], NOW, stopping.signal), 0, 'and does not start again')
})

t.test('an unavailable store rejects the call', async t => {
  const { store } = sweep(t)
  const broken: Store = { ...store, deleteExpired: () => Promise.reject(new Error('out of reach')) }
  await t.rejects(deleteExpired(broken, [keeping('shop')], NOW), { message: 'out of reach' })
})
