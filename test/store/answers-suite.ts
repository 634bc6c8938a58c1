// Answers that a store keeps for repeats, as documented in src/checkout/kept-answer.ts, for every implementation.
import type { Test } from 'tap'
import type { StoredCheckout } from '../../src/checkout/checkout-store.ts'
import { AnsweredMeanwhile, type AnswerKey } from '../../src/checkout/kept-answer.ts'
import { newOrder } from './new-order.ts'
import { begin, newPayment, opened, settle } from './payments-suite.ts'
import { CREATED, closed, newCheckout, type OpenStore } from './store-suite.ts'

const LATER = '2026-11-20T11:00:00.000Z'

const OTHER = { items: [{ sku: 'LAMP', quantity: 1 }] }

const keyOf = (scope: string, changes: Partial<AnswerKey> = {}): AnswerKey => ({
  merchantId: 'shop',
  scope,
  digest: 'what was sent',
  at: CREATED,
  ...changes
})

const naming = ({ token }: StoredCheckout) => ({ status: 201, body: `{"token":"${token}"}` })

export function answersSuite(t: Test, name: string, open: OpenStore, openAgain: OpenStore): void {
  const fresh = closed(open)
  const another = closed(openAgain)

  t.test(`${name}: a checkout and the answer to it are stored together, or neither is`, async t => {
    const store = await fresh(t)
    const checkout = newCheckout('a')
    t.strictSame(await store.addAnswered(checkout, keyOf('one'), naming), checkout)
    const kept = { digest: 'what was sent', ...naming(checkout) }
    t.strictSame(await (await another(t)).findAnswer('shop', 'one'), kept)
    t.equal(await store.findAnswer('other', 'one'), undefined)
    t.equal(await store.findAnswer('shop', 'two'), undefined)

    const late = newCheckout('b', { reference: 'order-2' })
    await t.rejects(store.addAnswered(late, keyOf('one', { digest: 'other' }), naming), new AnsweredMeanwhile(kept))
    t.equal(await store.newestCheckout('shop', 'order-2'), undefined)
    const failing = store.addAnswered(late, keyOf('two'), () => {
      throw new Error('no answer')
    })
    await t.rejects(failing, { message: 'no answer' })
    t.equal(await store.newestCheckout('shop', 'order-2'), undefined)
    t.strictSame(await store.addAnswered(late, undefined, naming), late)
    t.strictSame(await store.newestCheckout('shop', 'order-2'), late)
  })

  t.test(`${name}: of many requests with one key, at two servers, one is answered`, async t => {
    const stores = [await fresh(t), await another(t)]
    const tokens = Array.from({ length: 20 }, (_, i) => `token-${i}`)
    const results = await Promise.allSettled(
      tokens.map((token, i) =>
        stores[i % 2]?.addAnswered(newCheckout(token, { reference: token }), keyOf('one'), naming)
      )
    )
    const taken = results.flatMap(result => (result.status === 'fulfilled' ? (result.value?.token ?? []) : []))
    t.equal(taken.length, 1)
    const answers = results.flatMap(result => (result.status === 'rejected' ? result.reason.answer?.body : []))
    t.strictSame(answers, Array(19).fill(`{"token":"${taken[0]}"}`))
    const stored = await Promise.all(tokens.map(token => stores[0]?.newestCheckout('shop', token)))
    t.equal(stored.filter(Boolean).length, 1)
  })

  t.test(`${name}: the same cart again keeps its checkout, with what came along now`, async t => {
    const store = await fresh(t)
    const first = newCheckout('a')
    await store.addAnswered(first, undefined, naming)
    const cart = { ...first.cart, attribution: { utm_source: 'app' } }
    t.match(await store.addAnswered({ ...newCheckout('b'), cart }, keyOf('one'), naming), { token: 'a' })
    t.match(await store.findAnswer('shop', 'one'), { body: '{"token":"a"}' })
    t.strictSame(await store.newestCheckout('shop', 'order-1'), { ...first, cart })
  })

  t.test(`${name}: so are an answer and a checkout that leads to the shop`, async t => {
    const store = await fresh(t)
    const handover = { url: 'https://shop.example/', httpMethod: 'GET' } as const
    const checkout = newCheckout('a', { handover })
    await store.beginHandoff({ key: 'a', merchantId: 'shop', cart: checkout.cart, createdAt: CREATED }, CREATED)
    await store.addAnswered(checkout, keyOf('one'), naming)
    t.match(await store.findAnswer('shop', 'one'), { body: '{"token":"a"}' })
    t.match(await store.newestCheckout('shop', 'order-1'), { token: 'a', handover })
    const replaced = newCheckout('b', { handover, items: [{ sku: 'LAMP', quantity: 1 }] })
    t.equal(await store.addAnswered(replaced, keyOf('two'), naming), undefined)
    t.equal(await store.findAnswer('shop', 'two'), undefined)
  })

  t.test(`${name}: an answer alone is kept once`, async t => {
    const store = await fresh(t)
    await store.keepAnswer(keyOf('one'), { status: 200, body: 'no' })
    const kept = { digest: 'what was sent', status: 200, body: 'no' }
    await t.rejects(store.keepAnswer(keyOf('one'), { status: 200, body: 'yes' }), new AnsweredMeanwhile(kept))
    t.strictSame(await store.findAnswer('shop', 'one'), kept)
  })

  t.test(`${name}: a checkout is cancelled, and nothing is in its place`, async t => {
    const store = await fresh(t)
    const checkout = newCheckout('a')
    await store.addCheckout(checkout)
    const last = { status: 200, body: 'last' }
    t.equal(await store.cancelCheckout(checkout, LATER, keyOf('one'), last), true)
    t.match(await store.findAnswer('shop', 'one'), last)
    t.equal(await store.newestCheckout('shop', 'order-1'), undefined)
    t.match(await store.findCheckout('shop', 'a'), { supersededAt: LATER })
    t.match(await store.referenceHistories(['shop'], ['order-1']), [
      [{ option: '1', checkouts: [{}], lastTransfer: { outcome: 'cancelled', at: LATER } }]
    ])
    t.equal(await store.cancelCheckout(checkout, LATER, keyOf('two'), last), false, 'only once')
    t.equal(await store.findAnswer('shop', 'two'), undefined)
    const again = newCheckout('b')
    await store.addCheckout(again)
    t.equal(await store.cancelCheckout(again, LATER, undefined, last), true, 'without a key')
  })

  t.test(`${name}: a cart is not updated once it is cancelled, not even at once`, async t => {
    const store = await fresh(t)
    const other = await another(t)
    const last = { status: 200, body: 'last' }
    for (let i = 0; i < 10; i++) {
      const reference = `order-${i}`
      const first = newCheckout(`first-${i}`, { reference })
      const second = newCheckout(`second-${i}`, { reference, items: [{ sku: 'LAMP', quantity: 1 }], createdAt: LATER })
      t.equal(await store.addAnswered(second, keyOf(`early-${i}`), naming, true), undefined)
      await store.addCheckout(first)
      const [updated, isCancelled] = await Promise.all([
        store.addAnswered(second, keyOf(`update-${i}`), naming, true),
        other.cancelCheckout(first, LATER, keyOf(`cancel-${i}`), last)
      ])
      t.not(updated !== undefined, isCancelled, 'one of them')
      t.equal((await store.newestCheckout('shop', reference))?.token, updated?.token)
      t.equal(await store.findAnswer('shop', `early-${i}`), undefined)
    }
  })

  t.test(`${name}: a checkout is not cancelled while it is being paid`, async t => {
    const store = await fresh(t)
    await begin(store, 1)
    await opened(store, 2)
    for (const n of [1, 2]) {
      const checkout = (await store.newestCheckout('shop', `order-${n}`)) as StoredCheckout
      t.equal(await store.cancelCheckout(checkout, LATER, keyOf(`${n}`), { status: 200, body: '' }), false)
      t.strictSame(await store.newestCheckout('shop', `order-${n}`), checkout)
    }
  })

  t.test(`${name}: nobody begins to pay what is cancelled at once`, async t => {
    const store = await fresh(t)
    const other = await another(t)
    for (let n = 0; n < 20; n++) {
      const checkout = newCheckout(`token-${n}`, { reference: `order-${n}` })
      await store.addCheckout(checkout)
      const [isCancelled, { outcome }] = await Promise.all([
        store.cancelCheckout(checkout, LATER, undefined, { status: 200, body: '' }),
        other.beginPayment(newPayment(n))
      ])
      t.equal(outcome, isCancelled ? 'superseded' : 'begun')
    }
  })

  t.test(`${name}: once nobody pays, a cart is cancelled together with the checkout that waits`, async t => {
    const store = await fresh(t)
    const payment = await opened(store, 1)
    const [first, last] = [await store.newestCheckout('shop', 'order-1'), newCheckout('b', OTHER)]
    t.strictSame(await store.addAnswered(last, undefined, naming, true), last)
    const cancel = (checkout: StoredCheckout, scope: string) =>
      store.cancelCheckout(checkout, LATER, keyOf(scope), { status: 200, body: '' })
    t.equal(await cancel(last, 'one'), false)
    await settle(store, payment, 'ended')
    t.equal(await cancel(first as StoredCheckout, 'two'), false, 'another one waits')
    t.equal(await cancel(last, 'three'), true)
    t.equal(await store.newestCheckout('shop', 'order-1'), undefined)
    for (const token of ['token-1', 'b']) t.match(await store.findCheckout('shop', token), { supersededAt: /./ })
    t.match(await store.beginPayment(newPayment(2, { token: 'b', reference: 'order-1' })), { outcome: 'superseded' })
  })

  t.test(`${name}: an ordered cart is not replaced, and nothing is answered`, async t => {
    const store = await fresh(t)
    await store.addCheckout(newCheckout('token-1'))
    await store.placeOrder(newOrder(1))
    for (const changes of [{}, OTHER]) {
      t.match(await store.addAnswered(newCheckout('b', changes), keyOf('one'), naming, true), { token: 'token-1' })
      t.equal(await store.findAnswer('shop', 'one'), undefined)
    }
  })

  t.test(`${name}: an order that is placed at once keeps nothing of the buyer with its cart`, async t => {
    const store = await fresh(t)
    const other = await another(t)
    for (let n = 0; n < 20; n++) {
      const reference = `order-${n}`
      const first = newCheckout(`token-${n}`, { reference })
      await store.addCheckout(first)
      const cart = { ...first.cart, buyer: { email: 'ada@example.com' } }
      await Promise.all([
        store.addAnswered({ ...newCheckout(`b-${n}`), cart }, keyOf(reference), naming, true),
        other.placeOrder(newOrder(n))
      ])
      t.strictSame((await store.newestCheckout('shop', reference))?.cart, first.cart)
    }
  })

  t.test(`${name}: answers of a merchant are deleted after a time`, async t => {
    const store = await fresh(t)
    const ages = ['2026-11-20T09:00:00.000Z', CREATED, LATER]
    for (const at of ages) await store.keepAnswer(keyOf(at, { at }), { status: 200, body: '' })
    await store.keepAnswer(keyOf('other', { merchantId: 'other' }), { status: 200, body: '' })
    t.equal(await store.deleteAnswers('shop', LATER, 1), 1)
    t.equal(await store.deleteAnswers('shop', LATER, 10), 1)
    t.equal(await store.findAnswer('shop', CREATED), undefined)
    t.ok(await store.findAnswer('shop', LATER))
    t.ok(await store.findAnswer('other', 'other'))
  })
}
