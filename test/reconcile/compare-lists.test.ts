// The site records the result of every transfer, even if refused, without delaying responses, and deletes it later.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import t, { type Test } from 'tap'
import { referenceKey } from '../../src/cart/cart.ts'
import { deleteExpired, type TransferRecord } from '../../src/checkout/checkout-store.ts'
import { StoreUnavailable } from '../../src/errors.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite-store.ts'
import type { Store } from '../../src/store/store.ts'
import { anyMerchant, anyWay } from '../any-merchant.ts'
import { type Build, type Built, build, merchantFile, uuid } from '../build.ts'
import { newRecord } from '../store/transfers-suite.ts'
import { until } from '../until.ts'

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const MUG = [{ sku: 'MUG', quantity: 1 }]
const AT = '2026-11-20T10:00:00.000Z'

type Recorded = Built & { records: () => object[]; send: (cart: object, leaves?: number) => Promise<number> }

/** A site whose database the test reads directly. */
async function openSite(t: Test, parts: Build = {}): Promise<Recorded> {
  const built = await build(t, parts)
  const db = new DatabaseSync(join(built.folder, 'data/test.sqlite'), { readOnly: true })
  t.teardown(() => db.close())
  /** The transfer records, oldest first, without ids and keys. */
  const records = () =>
    db
      .prepare('SELECT * FROM transfers ORDER BY rowid')
      .all()
      .map(
        ({ merchant_id, reference_key, reference, transfer_option, transferred_at, outcome, problem, mistakes }) => ({
          merchantId: merchant_id,
          reference: reference ?? reference_key,
          option: transfer_option,
          at: transferred_at,
          outcome,
          ...(problem !== null && { problem }),
          mistakes: JSON.parse(String(mistakes))
        })
      )
  /** Sends a cart, and waits for its log line and the expected number of records. */
  const send = async (cart: object, leaves = 1) => {
    const [lines, kept] = [built.logs.length, records().length]
    const { statusCode } = await built.app.inject({ method: 'POST', url: '/shop/cart', payload: cart })
    await until('the record', () => built.logs.length > lines && records().length >= kept + leaves)
    return statusCode
  }
  return { ...built, records, send }
}

/** What is sent, and the record that it leaves: none if a checkout is the record. */
const sent: [string, object, number, Partial<TransferRecord> | undefined][] = [
  ['accepted', { items: MUG, currency: 'GBP', reference: uuid(1) }, 200, undefined],
  [
    'repeated',
    { items: MUG, currency: 'GBP', reference: uuid(1) },
    200,
    { reference: uuid(1), outcome: 'repeated', mistakes: [] }
  ],
  [
    'refused by the catalogue, each code once',
    { items: [...MUG, ...['X', 'Y', 'LAMP'].map(sku => ({ sku, quantity: 1 }))], currency: 'GBP', reference: uuid(2) },
    422,
    {
      reference: uuid(2),
      outcome: 'refused',
      problem: 'cart-not-sellable',
      mistakes: ['sku-unknown', 'out-of-stock']
    }
  ],
  [
    'refused by the contract',
    { items: [], currency: 'GBP', reference: uuid(3) },
    400,
    { reference: uuid(3), outcome: 'refused', problem: 'contract-broken', mistakes: ['items-empty'] }
  ],
  [
    'refused for the hyphens of its reference',
    { items: MUG, currency: 'GBP', reference: '5e0fbb2d-8d3e-4d0c-9b1b-0d6a1b7f7c11' },
    400,
    {
      reference: '5e0fbb2d-8d3e-4d0c-9b1b-0d6a1b7f7c11',
      outcome: 'refused',
      problem: 'contract-broken',
      mistakes: ['reference-invalid']
    }
  ],
  [
    'refused without a readable reference',
    { items: MUG, currency: 'GBP', reference: 'ada@example.com' },
    400,
    { outcome: 'refused', problem: 'contract-broken', mistakes: ['reference-invalid'] }
  ]
]

t.test(
  'each transfer is recorded with merchant, reference, option, time, outcome and codes, and nothing else',
  async t => {
    const { records, send, store } = await openSite(t)
    for (const [name, cart, status, record] of sent) {
      const leavesRecord = record?.reference !== undefined
      t.equal(await send(cart, leavesRecord ? 1 : 0), status, name)
      if (leavesRecord) t.strictSame(records().at(-1), { merchantId: 'shop', option: '1', at: AT, ...record }, name)
    }
    t.equal(records().length, sent.length - 2)
    await until('the count', async () => (await store.unreadableTransfers('shop', AT, AT)) > 0)
    t.equal(await store.unreadableTransfers('shop', AT, AT), 1, 'a transfer without a reference is counted')
    const references = [uuid(1), uuid(2), uuid(3), '5e0fbb2d8d3e4d0c9b1b0d6a1b7f7c11']
    t.match(await store.referenceHistories(['shop'], references), [
      [{ checkouts: [{ createdAt: AT }], lastTransfer: { outcome: 'repeated' } }],
      [
        {
          lastTransfer: { outcome: 'refused', problem: 'cart-not-sellable', mistakes: ['sku-unknown', 'out-of-stock'] }
        }
      ],
      [{ lastTransfer: { outcome: 'refused', problem: 'contract-broken', mistakes: ['items-empty'] } }],
      [{ lastTransfer: { outcome: 'refused', problem: 'contract-broken', mistakes: ['reference-invalid'] } }]
    ])
  }
)

t.test('options 2A and 2B leave the same records', async t => {
  const { records, app } = await openSite(t, {
    merchants: [merchantFile('2A'), merchantFile('2B', { id: 'get', publicUrl: 'http://127.0.0.1:3000/get' })]
  })
  const query = (sku: string, reference: string) =>
    `item_0_sku=${sku}&item_0_quantity=1&currency=GBP&reference=${reference}`
  const payload = 'items[0][sku]=MUG&items[0][quantity]=1&currency=GBP&reference=a'
  for (let times = 0; times < 2; times++) {
    await app.inject({ method: 'POST', url: '/shop/cart', headers: FORM, payload })
    await app.inject(`/get/cart?${query('MUG', 'b')}`)
  }
  await app.inject(`/get/cart?${query('NONE', 'c')}`)
  await until('three records', () => records().length === 3)
  t.match(records(), [
    { merchantId: 'shop', option: '2A', reference: 'a', outcome: 'repeated' },
    { merchantId: 'get', option: '2B', reference: 'b', outcome: 'repeated' },
    { merchantId: 'get', option: '2B', reference: 'c', outcome: 'refused', mistakes: ['sku-unknown'] }
  ])
})

t.test('a cart that the server failed to store is recorded with its reference', async t => {
  let isDown = true
  const { records, send } = await openSite(t, {
    store: store => ({
      ...store,
      addCheckout: (...args) => (isDown ? Promise.reject(new StoreUnavailable('locked')) : store.addCheckout(...args))
    })
  })
  const cart = { items: MUG, currency: 'GBP', reference: uuid(1) }
  t.equal(await send(cart), 503)
  isDown = false
  t.equal(await send(cart, 0), 200)
  t.match(records(), [{ reference: uuid(1), outcome: 'refused', problem: 'store-unavailable' }])
})

t.test('if a record cannot be written, the transfer still succeeds and the cause is logged', async t => {
  const { logs, send } = await openSite(t, {
    store: store => ({ ...store, addTransfer: () => Promise.reject(new StoreUnavailable('the disk is full')) })
  })
  const cart = { items: MUG, currency: 'GBP', reference: uuid(1) }
  t.equal(await send(cart, 0), 200, 'an accepted transfer is recorded by its checkout')
  t.equal(await send(cart, 0), 200, 'a repeated transfer has a record of its own')
  await until('the cause in the log', () => logs.at(-1)?.level === 50)
  t.match(logs.at(-1), { level: 50, msg: 'transfer not recorded', err: { message: 'the disk is full' } })
})

t.test(
  'the checkout of an accepted transfer is its record, and a record takes its place once it is deleted',
  async t => {
    const { store, records, send } = await openSite(t)
    t.equal(await send({ items: MUG, currency: 'GBP', reference: uuid(1) }, 0), 200)
    t.match(await store.referenceHistories(['shop'], [uuid(1)]), [[{ checkouts: [{ createdAt: AT }] }]])
    t.strictSame(records(), [])
    t.equal(await deleteExpired(store, [anyMerchant()], new Date('2027-01-31T00:00:00.000Z')), 1)
    const record = { merchantId: 'shop', option: '1', at: AT, reference: uuid(1), outcome: 'accepted', mistakes: [] }
    t.strictSame(records(), [record])
  }
)

t.test('a slow record does not delay a response', async t => {
  let finish = () => {}
  const { app } = await openSite(t, {
    store: store => ({
      ...store,
      addTransfer: () =>
        new Promise(resolve => {
          finish = resolve
        })
    })
  })
  const address = await app.listen({ port: 0, host: '127.0.0.1' })
  for (let i = 0; i < 3; i++) {
    const body = JSON.stringify({ items: MUG, currency: 'GBP', reference: uuid(1) })
    const answer = await fetch(`${address}/shop/cart`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body
    })
    t.match(await answer.json(), { body: /^token=/ })
  }
  finish()
})

t.test('a merchant that keeps records for 0 days keeps none', async t => {
  const { records, send, logs } = await openSite(t, {
    merchants: [merchantFile('1', { transfer: { keepRecordsDays: 0 } })]
  })
  t.equal(await send({ items: MUG, currency: 'GBP', reference: uuid(1) }, 0), 200)
  t.match(logs.at(-1), { msg: 'transfer', outcome: 'accepted' }, 'the transfer is still logged')
  t.equal(await send({ items: MUG, currency: 'GBP', reference: uuid(1) }, 0), 200, 'nor is a repeat recorded')
  t.strictSame(records(), [])
})

const NOW = new Date('2026-11-20T12:00:00.000Z')

t.test('old records are deleted in small batches, by the period of each merchant', async t => {
  const opened = openSqlite(join(t.testdir({}), 'test.sqlite'))
  t.teardown(() => opened.close())
  const batches: string[] = []
  const store: Store = {
    ...opened,
    deleteTransfers: async (merchant, before, limit, option) => {
      const deleted = await opened.deleteTransfers(merchant, before, limit, option)
      t.ok(deleted <= limit && limit <= 200)
      batches.push(`${merchant} ${deleted}`)
      return deleted
    }
  }
  const add = (merchantId: string, reference: string, at: string) =>
    opened.addTransfer(newRecord({ merchantId, reference, at }))
  await Promise.all(Array.from({ length: 250 }, (_, i) => add('long', `old-${i}`, `2026-08-01T00:00:00.${100 + i}Z`)))
  for (const merchant of ['long', 'short', 'other']) {
    await add(merchant, 'gone', '2026-08-22T11:59:59.999Z')
    await add(merchant, 'month', '2026-10-20T12:00:00.000Z')
    await add(merchant, 'edge', '2026-08-22T12:00:00.000Z')
  }
  const keeping = (id: string, keepRecordsDays: number) => anyMerchant({ id, ways: [anyWay({ keepRecordsDays })] })
  t.equal(await deleteExpired(store, [keeping('long', 90), keeping('short', 10)], NOW), 254)
  t.strictSame(batches, ['long 200', 'long 51', 'short 3'])
  const left = async (merchant: string) =>
    (await opened.referenceHistories([merchant], ['gone', 'edge', 'month'].map(referenceKey))).map(
      known => known.length
    )
  t.strictSame(
    [await left('long'), await left('short'), await left('other')],
    [
      [0, 1, 1],
      [0, 0, 0],
      [1, 1, 1]
    ]
  )

  const ways = anyMerchant({
    id: 'other',
    ways: [anyWay({ keepRecordsDays: 90 }), { ...anyWay({ keepRecordsDays: 10 }), name: '2A' }]
  })
  const add2A = (reference: string, at: string) =>
    opened.addTransfer(newRecord({ merchantId: 'other', option: '2A', reference, at }))
  await add2A('month-2A', '2026-10-20T12:00:00.000Z')
  await add2A('new-2A', '2026-11-19T12:00:00.000Z')
  t.equal(await deleteExpired(store, [ways], NOW), 2, 'each way for its own period')
  const kept = await opened.referenceHistories(['other'], ['gone', 'month', 'month-2A', 'new-2A'])
  t.strictSame(
    kept.map(({ length }) => length),
    [0, 1, 0, 1]
  )

  const stopping = new AbortController()
  stopping.abort()
  batches.length = 0
  t.equal(await deleteExpired(store, [keeping('other', 0)], NOW, stopping.signal), 0)
  t.strictSame(batches, [], 'nothing is deleted while the server stops')
})
