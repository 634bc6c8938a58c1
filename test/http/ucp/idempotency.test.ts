// The same key and the same request get the same answer, for two days; another request with that key is refused.
import t from 'tap'
import { deleteExpired } from '../../../src/checkout/checkout-store.ts'
import { AnsweredMeanwhile } from '../../../src/checkout/kept-answer.ts'
import { StoreUnavailable } from '../../../src/errors.ts'
import type { Store } from '../../../src/store/store.ts'
import { build, merchantFile } from '../../build.ts'
import { type CartAnswer, cartOf, openUcp, wrong } from './platform.ts'

const MUG = cartOf('1 MUG')
const HOUR = 3_600_000

const said = ({ status, text }: CartAnswer) => [status, text]

t.test('a repeat gets the same bytes and changes nothing', async t => {
  const { create, update, cancel, read, changeOffer, transfers } = await openUcp(t)
  const first = await create(MUG, { key: 'a' })
  changeOffer('MUG', { price: 9900 })
  t.strictSame(said(await create(MUG, { key: 'a' })), said(first))
  const { id } = first.body
  const changed = await update(id, cartOf('2 MUG'), { key: 'a' })
  await update(id, cartOf('3 MUG'), { key: 'b' })
  t.strictSame(said(await update(id, cartOf('2 MUG'), { key: 'a' })), said(changed))
  t.equal((await read(id)).body.line_items[0]?.quantity, 3)
  const cancelled = await cancel(id, { key: 'a' })
  t.strictSame(said(await cancel(id, { key: 'a' })), said(cancelled))
  t.strictSame(wrong(await cancel(id, { key: 'b' })), ['not_found'])
  t.match(transfers(), [
    { outcome: 'accepted', reference: id, lines: 1 },
    { outcome: 'repeated', reference: id, lines: 1 },
    { outcome: 'accepted' },
    { outcome: 'accepted' },
    { outcome: 'repeated', reference: id }
  ])
})

t.test('another request with the key is refused; the key is that of a platform, an operation and a cart', async t => {
  const { create, update, cancel } = await openUcp(t)
  // Any printable key.
  const key = 'recv-idem-cart-1a2b3c4d !"§'
  const { body } = await create(MUG, { key })
  for (const cart of [cartOf('2 MUG'), ' {}', '']) {
    t.match(await create(cart, { key }), {
      status: 409,
      body: { code: 'idempotency_conflict', content: /was used before/ }
    })
  }
  const other = await create(cartOf('2 MUG'), { key, profile: 'https://other.example/' })
  t.equal(other.status, 201)
  const second = await create(MUG, { key: 'second' })
  t.equal((await update(body.id, cartOf('3 MUG'), { key })).status, 200)
  t.equal((await update(second.body.id, cartOf('4 MUG'), { key })).status, 200)
  t.match(await update(body.id, cartOf('4 MUG'), { key }), { status: 409 })
  t.equal((await cancel(body.id, { key })).status, 200)
})

t.test('an empty key is none', async t => {
  const { create } = await openUcp(t)
  const first = await create(MUG, { key: '' })
  const second = await create(cartOf('2 MUG'), { key: '' })
  t.match([first.status, second.status], [201, 201])
})

t.test('a refusal is kept too; what could not be served is not', async t => {
  const { create, changeOffer, transfers } = await openUcp(t)
  changeOffer('MUG', { availability: 'out_of_stock' })
  const refused = await create(MUG, { key: 'a' })
  t.strictSame(wrong(refused), ['out_of_stock $.line_items[0]'])
  t.match(await create('no JSON', { key: 'b' }), { status: 400 })
  changeOffer('MUG', { availability: 'in_stock' })
  t.strictSame(said(await create(MUG, { key: 'a' })), said(refused))
  t.match(await create(cartOf('2 MUG'), { key: 'a' }), { status: 409 })
  t.match(await create(MUG, { key: 'b' }), { status: 201 })
  t.match(transfers()[2], { outcome: 'repeated', reference: undefined })
})

t.test('of many at once, one opens a checkout, and all get its answer', async t => {
  let added = 0
  const counting = (store: Store): Store => ({
    ...store,
    addAnswered: async (...args) => {
      const stored = await store.addAnswered(...args)
      added++
      return stored
    }
  })
  const { create } = await openUcp(t, {}, { store: counting })
  const answers = await Promise.all(Array.from({ length: 20 }, () => create(MUG, { key: 'a' })))
  t.equal(new Set(answers.map(({ text }) => text)).size, 1)
  t.match(answers[0], { status: 201 })
  t.equal(added, 1)
  const refusals = await Promise.all(Array.from({ length: 5 }, () => create(cartOf('1 LAMP'), { key: 'b' })))
  t.equal(new Set(refusals.map(({ text }) => text)).size, 1)
})

t.test('whoever has been overtaken by another request with the key is refused like the others', async t => {
  const overtaken = (store: Store): Store => ({
    ...store,
    keepAnswer: async () => {
      throw new AnsweredMeanwhile({ digest: 'another', status: 200, body: '{}' })
    }
  })
  const { create } = await openUcp(t, {}, { store: overtaken })
  t.match(await create(cartOf('1 LAMP'), { key: 'a' }), { status: 409 })
})

t.test('if the store fails, nothing is done', async t => {
  const failing = (store: Store): Store => ({
    ...store,
    findAnswer: async () => {
      throw new StoreUnavailable('locked')
    }
  })
  const { create, transfers } = await openUcp(t, {}, { store: failing })
  t.match(await create(MUG, { key: 'a' }), {
    status: 503,
    headers: { 'retry-after': '5' },
    body: { code: 'store_unavailable' }
  })
  t.match(transfers(), [{ outcome: 'refused', problem: 'store-unavailable' }])
  t.match(await create(MUG), { status: 201 })
})

t.test('answers are kept for two days, also if the merchant takes no UCP carts any more', async t => {
  const { create, tick, store, clock } = await openUcp(t)
  const { merchants } = await build(t, { merchants: [merchantFile('2B')] })
  const first = await create(MUG, { key: 'a' })
  tick(48 * HOUR)
  await deleteExpired(store, merchants, clock())
  t.equal((await create(MUG, { key: 'a' })).body.id, first.body.id)
  tick(1)
  await deleteExpired(store, merchants, clock())
  t.not((await create(MUG, { key: 'a' })).body.id, first.body.id)
})
