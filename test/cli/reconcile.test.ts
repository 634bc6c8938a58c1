// `npm run reconcile`: a list with every kind of difference, exit codes, memory, and a server that keeps serving meanwhile;
// the text that it prints, where what others wrote is escaped.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { orders } from '../../src/cli/orders.ts'
import { reconcileLists } from '../../src/cli/reconcile.ts'
import { jsonLines, type ListSource, textLines } from '../../src/cli/reconcile-text.ts'
import type { ProviderState } from '../../src/integrations/payment/provider.ts'
import { NO_COUNTS, type ReconcileCounts } from '../../src/reconcile/reconcile-counts.ts'
import type { ReferenceResult, TransferState } from '../../src/reconcile/reference-result.ts'
import { connectSqlite } from '../../src/store/sqlite/sqlite-file.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite-store.ts'
import type { Store } from '../../src/store/store.ts'
import { build, uuid } from '../build.ts'
import { nightly } from '../nightly.ts'
import { runNode } from '../node-process.ts'
import { newPayment, opened, refundWhole, settle } from '../store/payments-suite.ts'
import { newReport } from '../store/reported-orders-suite.ts'
import { type CheckoutChanges, CREATED, newCheckout } from '../store/store-suite.ts'
import { newOrder, newRecord, unreadable } from '../store/transfers-suite.ts'
import { reconcileInSmallHeap, writeList, writeOrders } from './many-orders.ts'
import { runHere } from './run-here.ts'

const DAY = '2026-11-10T10:00:00.000Z'
const LATER = '2026-11-12T10:00:00.000Z'
const FUTURE = '2999-01-01T00:00:00.000Z'

const envOf = (folder: string) => ({ DATABASE_URL: `sqlite:${join(folder, 'store.sqlite')}`, INIT_CWD: folder })

const run = (folder: string, ...args: string[]) => runHere(reconcileLists, args, envOf(folder))

type Setup = { folder: string; store: Store; list: (text: string) => void }

/** Fills a store of two merchants with an order, checkout or transfer for every kind of result. */
async function setUp(t: Test): Promise<Setup> {
  const folder = t.testdir({})
  const store = openSqlite(join(folder, 'store.sqlite'))
  t.teardown(() => store.close())
  const addCheckout = (token: string, changes: CheckoutChanges) =>
    store.addCheckout(newCheckout(token, { createdAt: DAY, expiresAt: FUTURE, reference: token, ...changes }))
  const place = async (reference: string, number: string, merchantId = 'shop', placedAt = DAY) => {
    const token = `${merchantId}-${reference}`
    await addCheckout(token, { merchantId, reference })
    await store.placeOrder(newOrder(number, token, { merchantId, reference, placedAt }))
  }
  await place('abcdef00112233445566778899aabbcc', 'N1')
  for (const n of [2, 3, 4, 5, 6]) await place(`different-${n}`, `N${n}`)
  await place('both', 'N7')
  await place('both', 'O7', 'other')
  await place('theirs', 'O8', 'other')
  await place('ours', 'N9')
  await place('ours-later', 'N10', 'shop', LATER)
  await store.addTransfer(newRecord({ reference: 'refused', at: DAY }))
  await addCheckout('open', {})
  await addCheckout('expired', { expiresAt: LATER })
  await addCheckout('older', { reference: 'superseded', items: [{ sku: 'OLD', quantity: 1 }] })
  await addCheckout('newer', { reference: 'superseded', createdAt: LATER })
  const counting = openSqlite(join(folder, 'store.sqlite'))
  await counting.addTransfer({ ...unreadable, at: DAY })
  await counting.close()
  return { folder, store, list: text => writeFileSync(join(folder, 'list.csv'), text) }
}

const LIST = `Ref;Currency;Sum;Bag
ABCDEF00-1122-3344-5566-778899AABBCC;GBP;89.95;THROW:1,MUG:2
different-2;;;MUG:2
different-3;;;MUG:3,THROW:1
different-4;USD;;
different-5;;89.94;
different-6;;89.95;MUG:2,THROW:1
both;;89.95;
theirs;;;
never;;;
refused;;;
open;;;
expired;;;
superseded;;;OLD:1
different-6;;1.00;
`
const MAP = '--map=reference=ref,total=sum,items=bag'

type Facts = Record<string, unknown>
/** What a summary says of a list in which everything is understood. */
const EMPTY = { unreadable: { rows: 0, first: [] }, leftOut: 0, unknownWords: {} }
const matched = (merchant: string, reference: string, line: number, order: string) => ({
  ...{ answer: 'matched', merchant, reference, line, order }
})
const different = (n: number, difference: Facts) => ({
  ...{ answer: 'different', merchant: 'shop', reference: `different-${n}`, line: n + 1, order: `N${n}` },
  differences: [difference]
})
const unordered = (reference: string, line: number, more: Facts) => ({
  ...{ answer: 'only-platform', merchant: 'shop', reference, line },
  ...more
})

const answers = [
  matched('shop', 'ABCDEF00-1122-3344-5566-778899AABBCC', 2, 'N1'),
  different(2, { in: 'item', sku: 'THROW', platform: 0, merchant: 1 }),
  different(3, { in: 'quantity', sku: 'MUG', platform: 3, merchant: 2 }),
  different(4, { in: 'currency', platform: 'USD', merchant: 'GBP' }),
  different(5, { in: 'total', platform: '89.94', merchant: '89.95' }),
  matched('shop', 'different-6', 7, 'N6'),
  matched('other', 'both', 8, 'O7'),
  matched('other', 'theirs', 9, 'O8'),
  unordered('never', 10, { merchant: null, state: 'never-arrived' }),
  unordered('refused', 11, {
    ...{ state: 'refused', at: DAY, problem: 'cart-not-sellable', mistakes: ['sku-unknown', 'out-of-stock'] }
  }),
  unordered('open', 12, { state: 'not-ordered', at: DAY }),
  unordered('expired', 13, { state: 'expired', at: LATER, arrivedAt: DAY }),
  unordered('superseded', 14, { state: 'superseded', at: LATER }),
  { answer: 'repeated', merchant: 'shop', reference: 'different-6', line: 15, firstLine: 7 },
  ...[
    { reference: 'both', order: 'N7', placedAt: DAY },
    { reference: 'ours', order: 'N9', placedAt: DAY },
    { reference: 'ours-later', order: 'N10', placedAt: LATER }
  ].map(order => ({ answer: 'only-merchant', merchant: 'shop', ...order, currency: 'GBP', total: '89.95' }))
]

const parsed = (stdout: string): [{ summary: Record<string, number> }, ...ReferenceResult[]] =>
  JSON.parse(`[${stdout.trim().split('\n').join(',')}]`)

const withoutOption = (given: ReferenceResult[]) => given.map(({ option: _, ...answer }: Facts) => answer)

t.test('a list with every kind of difference', async t => {
  const { folder, list } = await setUp(t)
  list(LIST)
  await t.test('as JSON', async t => {
    const { code, stdout, stderr } = await run(folder, 'list.csv', MAP, '--json')
    t.strictSame([code, stderr], [1, ''])
    const [{ summary }, ...given] = parsed(stdout)
    t.strictSame(withoutOption(given), answers)
    t.ok(given.some(answer => 'option' in answer && answer.option === '1'))
    t.strictSame(summary, {
      ...{
        ...NO_COUNTS,
        rows: 14,
        unasked: ['currency'],
        ...EMPTY,
        references: 13,
        matched: 4,
        different: 4,
        neverArrived: 1
      },
      ...{ refused: 1, notOrdered: 1, expired: 1, superseded: 1, onlyMerchant: 3, repeated: 1, unreadableTransfers: 1 }
    })
  })
  await t.test('as a table, without the matched rows unless asked for', async t => {
    const { code, stdout } = await run(folder, 'list.csv', MAP)
    t.equal(code, 1)
    t.match(
      stdout,
      /^list\.csv: 14 rows, 13 references\nColumns of list\.csv matched by name: currency\. To ignore them: --map currency=\n {2}matched {19}4\n/
    )
    t.match(stdout, /On the days of this period 1 transfer arrived without a readable reference/)
    const rowsOf = (text: string) => text.slice(text.indexOf('ANSWER')).trim().split('\n').slice(1)
    t.strictSame(
      rowsOf(stdout).map(row => row.split(/ +/)[2]),
      answers.flatMap(({ answer, reference }) => (answer === 'matched' ? [] : reference))
    )
    t.equal(rowsOf((await run(folder, 'list.csv', MAP, '--all')).stdout).length, answers.length)
  })
  await t.test('for one merchant only', async t => {
    const { code, stdout } = await run(folder, 'list.csv', MAP, '--json', '--merchant', 'other')
    t.equal(code, 1)
    const [{ summary }, ...given] = parsed(stdout)
    t.match(summary, { matched: 2, neverArrived: 11, onlyMerchant: 0, unreadableTransfers: 0 })
    t.ok(given.every(({ merchant }) => merchant === 'other'))
  })
  await t.test('for the period that the list covers', async t => {
    const only = async (...period: string[]) => {
      const [{ summary }, ...given] = parsed((await run(folder, 'list.csv', MAP, '--json', ...period)).stdout)
      t.equal(summary.matched, 4, 'the whole list is compared')
      return given.flatMap(answer => (answer.answer === 'only-merchant' ? answer.order : []))
    }
    t.strictSame(await only('--from', '2026-11-11'), ['N10'])
    t.strictSame(await only('--to', '2026-11-10'), ['N7', 'N9'])
    t.strictSame(await only('--from', '2026-11-12', '--to', '2026-11-12'), ['N10'])
    t.strictSame(await only('--from', '2026-11-13', '--to', '2026-11-14'), [])
  })
})

t.test("orders of bags that came in by another way are not missed in a platform's list", async t => {
  const { folder, list, store } = await setUp(t)
  list(LIST)
  const checkout = newCheckout('another', { merchantId: 'shop', reference: 'by-2A' })
  await store.addCheckout({ ...checkout, option: '2A' })
  await store.placeOrder(newOrder('N11', 'another', { merchantId: 'shop', reference: 'by-2A', placedAt: DAY }))
  const missed = async (...flags: string[]) => {
    const { stdout } = await run(folder, 'list.csv', MAP, '--json', '--merchant', 'shop', ...flags)
    return parsed(stdout).flatMap(one => ('order' in one && one.answer === 'only-merchant' ? one.order : []))
  }
  t.strictSame((await missed()).sort(), ['N10', 'N11', 'N9'])
  t.strictSame(await missed('--way', '2A'), ['N11'])
  t.strictSame((await missed('--way', '1')).sort(), ['N10', 'N9'])
  const of2B = ['list.csv', MAP, '--way', '2B']
  t.match(
    (await run(folder, ...of2B)).stdout,
    /^0 orders of bags that came in by 2B\nlist\.csv: /,
    'a wrong name is seen'
  )
  t.match(parsed((await run(folder, ...of2B, '--json')).stdout)[0], { summary: { way: '2B', orders: 0, matched: 4 } })
})

t.test('of the orders by UCP, a list has those of one platform', async t => {
  const { folder, list, store } = await setUp(t)
  list(LIST)
  const [one, two] = ['https://one.example/profile.json', 'https://two.example/profile.json']
  for (const [number, platform] of Object.entries({ N11: one, N12: two, N13: undefined })) {
    const checkout = newCheckout(number, { merchantId: 'shop', reference: `of-${number}` })
    await store.addCheckout({ ...checkout, option: 'ucp', cart: { ...checkout.cart, ...(platform && { platform }) } })
    await store.placeOrder(newOrder(number, number, { merchantId: 'shop', reference: `of-${number}`, placedAt: DAY }))
  }
  const only = (platform: string) => run(folder, 'list.csv', MAP, '--merchant', 'shop', '--platform', platform)
  const { stdout } = await only(two)
  t.match(stdout, /^\d+ orders? of bags that came in from https:\/\/two\.example\/profile\.json\n/)
  t.match(stdout, /N12/)
  t.notMatch(stdout, /N11|N13/)
  const json = await run(folder, 'list.csv', MAP, '--way', 'ucp', '--platform', one, '--json')
  t.match(parsed(json.stdout)[0], { summary: { way: 'ucp', platform: one, orders: 1 } })
  const both = await run(folder, 'list.csv', MAP, '--orders', 'list.csv', '--platform', one)
  for (const wrong of ['', 'two.example', `${two}#a`]) {
    const problem = `--platform is ${JSON.stringify(wrong)}; give the https address of its profile`
    t.match(await only(wrong), { code: 2, stderr: problem }, 'what matches nothing would hide orders')
  }
  t.match(both, { code: 2, stderr: /--platform is about the orders in the store; leave it out/ })
})

t.test('what is paid on one side only is named, by the payment or by its status', async t => {
  const folder = t.testdir({})
  const store = openSqlite(join(folder, 'store.sqlite'))
  t.teardown(() => store.close())
  const pay = async (n: number, ...states: ProviderState[]) => {
    const payment = await opened(store, n)
    for (const state of states) await settle(store, payment, state, { transactionId: `pi_${n}` })
    return payment
  }
  await pay(1, 'paid')
  await pay(2, 'pending')
  await pay(3, 'pending', 'failed')
  await pay(4)
  await pay(5, 'ended')
  const wrong = await opened(store, 6)
  await settle(store, wrong, 'paid', { amount: 1 })
  const again = await store.beginPayment(newPayment(6, {}, { createdAt: '2026-11-20T10:20:00.000Z' }))
  t.match(again, { outcome: 'begun' })
  const refunded = await pay(7, 'paid')
  await refundWhole(store, refunded)
  await pay(8, 'paid')
  writeFileSync(join(folder, 'list.csv'), `reference\n${[1, 2, 3, 4, 5, 6, 7].map(n => `order-${n}`).join('\n')}\n`)
  const status = (merchant: string) => ({ differences: [{ in: 'status', platform: 'placed', merchant }] })
  const stripe = (state: string, id: string) => ({ payment: { state, provider: 'stripe', id } })
  const { code, stdout } = await run(folder, 'list.csv', '--json')
  t.equal(code, 1)
  const [{ summary }, ...given] = parsed(stdout)
  t.match(summary, { matched: 1, different: 3, expired: 3, onlyMerchant: 1 })
  t.match(given, [
    { answer: 'matched', reference: 'order-1' },
    { answer: 'different', reference: 'order-2', ...status('payment-pending') },
    { answer: 'different', reference: 'order-3', ...status('payment-failed') },
    { answer: 'only-platform', reference: 'order-4', ...stripe('open', 'cs_1') },
    { answer: 'only-platform', reference: 'order-5', ...stripe('ended', 'pi_5') },
    {
      ...{ answer: 'only-platform', reference: 'order-6' },
      payment: { state: 'refunding', reason: 'amount-differs', provider: 'stripe', id: 'pi_1' }
    },
    { answer: 'different', reference: 'order-7', ...status('refunded') },
    { answer: 'only-merchant', reference: 'order-8', ...stripe('paid', 'pi_8') }
  ])
  writeFileSync(join(folder, 'own.csv'), 'reference\norder-1\n')
  const { stdout: two } = await run(folder, 'list.csv', '--orders', 'own.csv')
  t.match(two, /ordered here 2026-11-20T10:10:00.000Z as AAAA-0002, payment pending at stripe as pi_2\n/)
})

const ORDERS = `Merchant ref,Number,Paid,Lines
abcdef00112233445566778899aabbcc,#1001,89.95,MUG:2 THROW:1
different-2,#1002,,MUG:2 THROW:1
open,#1003,10,MUG:1
refused,#1004,,
nowhere,#1005,5,
superseded,,,
nowhere,#1006,5,
`
const ORDERS_MAP = '--map=orders.reference=merchant ref,orders.order=number,orders.total=paid,orders.items=lines'
const SHOP = ['--merchant', 'shop']

t.test("the platform's list and the merchant's own, with the transfers in the store", async t => {
  const { folder, list } = await setUp(t)
  list(LIST)
  writeFileSync(join(folder, 'orders.csv'), ORDERS)
  const { code, stdout, stderr } = await run(
    folder,
    ...['list.csv', '--orders', 'orders.csv', MAP, ORDERS_MAP, '--json', ...SHOP]
  )
  t.strictSame([code, stderr], [1, ''])
  const [{ summary }, ...given] = parsed(stdout)
  t.strictSame(summary, {
    ...{
      ...NO_COUNTS,
      rows: 14,
      unasked: ['currency'],
      ...EMPTY,
      merchantList: { rows: 7, unasked: [], ...EMPTY },
      references: 13
    },
    ...{ merchantReferences: 6, matched: 4, different: 1, neverArrived: 2, expired: 1, orderedHere: 5 },
    ...{ onlyMerchant: 1, repeated: 1, repeatedByMerchant: 1, unreadableTransfers: 1 }
  })
  const common = (reference: string, line: number, merchantLine: number, order: string) => ({
    ...{ merchant: 'shop', reference, line, merchantLine, order }
  })
  const here = (reference: string, line: number, order: string) =>
    unordered(reference, line, { state: 'ordered', at: DAY, order })
  t.match(given, [
    { answer: 'matched', ...common('ABCDEF00-1122-3344-5566-778899AABBCC', 2, 2, '#1001') },
    {
      answer: 'different',
      ...common('different-2', 3, 3, '#1002'),
      differences: [{ in: 'item', sku: 'THROW', platform: 0, merchant: 1, transferred: 1 }]
    },
    here('different-3', 4, 'N3'),
    here('different-4', 5, 'N4'),
    here('different-5', 6, 'N5'),
    here('different-6', 7, 'N6'),
    here('both', 8, 'N7'),
    unordered('theirs', 9, { state: 'never-arrived' }),
    unordered('never', 10, { state: 'never-arrived' }),
    { answer: 'matched', ...common('refused', 11, 5, '#1004') },
    { answer: 'matched', ...common('open', 12, 4, '#1003') },
    { answer: 'only-platform', reference: 'expired', state: 'expired' },
    { answer: 'matched', merchant: 'shop', reference: 'superseded', line: 14, merchantLine: 7, order: undefined },
    { answer: 'repeated', merchant: 'shop', reference: 'different-6', line: 15, firstLine: 7 },
    {
      ...{
        answer: 'only-merchant',
        merchant: 'shop',
        reference: 'nowhere',
        merchantLine: 6,
        order: '#1005',
        total: '5'
      },
      transfer: { state: 'never-arrived' }
    },
    { answer: 'repeated', merchant: 'shop', reference: 'nowhere', merchantLine: 8, firstMerchantLine: 6 }
  ])
  t.equal(given.length, 16)
  const text = await run(folder, 'list.csv', '--orders', 'orders.csv', MAP, ORDERS_MAP, ...SHOP)
  t.match(text.stdout, /^list\.csv: 14 rows, 13 references\n.*\norders\.csv: 7 rows, 6 references\n {2}matched/)
  t.match(text.stdout, /only-merchant +shop +nowhere +#1005 +line 6 of the merchant's list, 5, never arrived\n/)

  list('reference,total\nopen,10.00\n')
  writeFileSync(join(folder, 'orders.csv'), '{"reference":"open","order":"#1003","total":10}')
  const same = ['list.csv', '--orders', 'orders.csv', ...SHOP]
  t.match(await run(folder, ...same), { code: 0, stdout: /matched +1\n/ })

  list('reference,total\nopen,x\n')
  writeFileSync(join(folder, 'orders.csv'), 'reference,items\nopen,MUG\n')
  const bad = await run(folder, ...same)
  t.strictSame([bad.code, bad.stdout], [2, ''])
  t.match(
    bad.stderr,
    /^list\.csv:2: the total is .*\nColumns of list.*\norders\.csv:2: the items have .*\nColumns of orders.*--map orders\.items=\nnothing was compared\n$/
  )
})

t.test('a cart that its platform has cancelled is said to be, and the platform of each cart is named', async t => {
  const folder = t.testdir({ 'list.csv': 'reference\nordered\ncancelled\nreplaced\n' })
  const store = openSqlite(join(folder, 'store.sqlite'))
  const platform = 'https://platform.example/profile.json'
  const add = async (token: string, changes: CheckoutChanges) => {
    const { cart, ...checkout } = newCheckout(token, { createdAt: DAY, expiresAt: FUTURE, ...changes })
    const kept = { ...checkout, option: 'ucp', cart: { ...cart, platform } }
    await store.addCheckout(kept)
    return kept
  }
  await add('a', { reference: 'ordered' })
  await store.placeOrder(newOrder('N1', 'a', { reference: 'ordered' }))
  await store.cancelCheckout(await add('b', { reference: 'cancelled' }), LATER, undefined, { status: 200, body: '' })
  await add('c', { reference: 'replaced' })
  await add('d', { reference: 'replaced', items: [{ sku: 'OLD', quantity: 1 }] })
  await store.close()
  const [{ summary }, ...given] = parsed((await run(folder, 'list.csv', '--json')).stdout)
  t.match(summary, { matched: 1, cancelled: 1, notOrdered: 1 })
  const option = 'ucp'
  t.match(given, [
    { answer: 'matched', option, platform },
    { answer: 'only-platform', state: 'cancelled', at: LATER, option, platform },
    { state: 'not-ordered', option, platform }
  ])
  const { stdout } = await run(folder, 'list.csv')
  t.match(stdout, /\n {4}cancelled +1\n/)
  t.match(stdout, `cancelled ${LATER} by the platform, not ordered, option ucp, platform ${platform}\n`)
})

t.test('orders that the merchant reported are compared as those that were placed', async t => {
  const folder = t.testdir({ 'list.csv': 'reference,items\nsame,MUG:2 THROW:1\nless,MUG:1\nunsent,\n' })
  const store = openSqlite(join(folder, 'store.sqlite'))
  for (const reference of ['same', 'less', 'late']) await store.addCheckout(newCheckout(reference, { reference }))
  for (const [i, reference] of ['same', 'less', 'unsent', 'late', 'unknown'].entries()) {
    await store.keepReport(newReport(i, { reference }))
  }
  await store.close()
  const { code, stdout } = await run(folder, 'list.csv', '--json')
  t.equal(code, 1)
  const [{ summary }, ...given] = parsed(stdout)
  t.match(summary, { matched: 2, different: 1, onlyMerchant: 2, reported: 0 })
  const only = { answer: 'only-merchant', merchant: 'shop', currency: 'GBP', total: '89.95' }
  const reportedAt = newReport(0).reportedAt
  t.strictSame(withoutOption(given), [
    { answer: 'matched', merchant: 'shop', reference: 'same', line: 2, order: '#0' },
    {
      ...{ answer: 'different', merchant: 'shop', reference: 'less', line: 3, order: '#1' },
      differences: [
        { in: 'quantity', sku: 'MUG', platform: 1, merchant: 2, transferred: 2 },
        { in: 'item', sku: 'THROW', platform: 0, merchant: 1, transferred: 1 }
      ]
    },
    { answer: 'matched', merchant: 'shop', reference: 'unsent', line: 4, order: '#2' },
    { ...only, reference: 'late', order: '#3', reportedAt, transfer: { state: 'accepted', at: CREATED } },
    { ...only, reference: 'unknown', order: '#4', reportedAt, transfer: { state: 'never-arrived' } }
  ])
  const listed = ['list.csv', '--orders', 'list.csv', '--json']
  t.match(await run(folder, ...listed), { code: 0, stdout: /"matched":3/ })
  writeFileSync(join(folder, 'orders.csv'), 'reference\nsame\n')
  const [counts, , less] = parsed((await run(folder, 'list.csv', '--orders', 'orders.csv', '--json')).stdout)
  t.match(counts.summary, { matched: 1, reported: 2 })
  t.match(less, { answer: 'only-platform', reference: 'less', state: 'reported', at: reportedAt, order: '#1' })
})

t.test('an order that the shop has cancelled, and a second one of a reference, are differences', async t => {
  const references = ['stands', 'cancelled', 'twice', 'mended']
  const folder = t.testdir({ 'list.csv': `reference\n${references.join('\n')}\n` })
  const store = openSqlite(join(folder, 'store.sqlite'))
  const newer = { statusAt: newReport(0).reportedAt }
  for (const reference of [...references, 'unknown']) await store.addCheckout(newCheckout(reference, { reference }))
  for (const [i, reference] of [...references, 'unknown'].entries()) await store.keepNotice(newReport(i, { reference }))
  for (const i of [1, 4]) {
    const order = newReport(i, { reference: i === 1 ? 'cancelled' : 'unknown' })
    await store.keepNotice({ ...order, status: 'cancelled', ...newer })
  }
  for (const [i, reference] of ['twice', 'mended'].entries()) await store.keepNotice(newReport(i + 7, { reference }))
  await store.keepNotice({ ...newReport(3, { reference: 'mended' }), status: 'refunded', ...newer })
  await store.close()
  const { code, stdout } = await run(folder, 'list.csv', '--json')
  t.equal(code, 1)
  const [{ summary }, ...given] = parsed(stdout)
  t.match(summary, { matched: 2, different: 2, onlyMerchant: 1 })
  t.match(given, [
    { answer: 'matched', reference: 'stands', order: '#0' },
    { reference: 'cancelled', order: '#1', differences: [{ in: 'status', platform: 'placed', merchant: 'cancelled' }] },
    { reference: 'twice', order: '#2', differences: [{ in: 'further-order', platform: 'none', merchant: '#7' }] },
    { answer: 'matched', reference: 'mended', order: '#8' },
    { answer: 'only-merchant', reference: 'unknown', status: 'cancelled' }
  ])
  const table = (await run(folder, 'list.csv')).stdout
  t.match(table, /different .* cancelled .* status: placed at the platform, cancelled at the merchant\n/)
  t.match(table, /different .* twice .* further-order: none at the platform, #7 at the merchant\n/)
  t.match(table, /only-merchant .* 89\.95 GBP, cancelled, arrived 2026-11-20T10:00:00\.000Z\n/)
})

t.test('of a reference that the list lacks, each order in the shop is told, the one that stands as well', async t => {
  const folder = t.testdir({ 'list.csv': 'reference\nlisted\n' })
  const store = openSqlite(join(folder, 'store.sqlite'))
  const id = uuid(10)
  for (const reference of [id, 'listed']) await store.addCheckout(newCheckout(reference, { reference }))
  const orders = [newReport(1, { reference: id }), newReport(2, { reference: id.toUpperCase() })]
  for (const order of orders) await store.keepNotice(order)
  await store.keepNotice({
    ...newReport(1, { reference: id }),
    status: 'cancelled',
    statusAt: '2026-11-20T11:00:00.000Z'
  })
  for (const number of [3, 4]) await store.keepNotice(newReport(number, { reference: 'listed' }))
  await store.close()
  const { stdout } = await run(folder, 'list.csv', '--json')
  const [{ summary }, listed, ...others] = parsed(stdout)
  t.match(summary, { different: 1, onlyMerchant: 2 })
  t.match(listed, { reference: 'listed', order: '#3' })
  t.match(others, [
    { answer: 'only-merchant', reference: id, order: '#1', status: 'cancelled' },
    { answer: 'only-merchant', reference: id.toUpperCase(), order: '#2', status: undefined }
  ])
  t.equal(others.length, 2)
})

t.test('of a store with one merchant, it is whose orders the second list has', async t => {
  const references = Array.from({ length: 501 }, (_, i) => `bag-${i}\n`)
  const folder = t.testdir({ 'list.csv': `reference\n${references.join('')}` })
  const args = ['list.csv', '--orders', 'list.csv']
  const store = openSqlite(join(folder, 'store.sqlite'))
  t.match(await run(folder, ...args), { code: 2, stderr: /give --merchant; the store has nothing at all/ })
  await store.addCheckout(newCheckout('open', { createdAt: DAY, expiresAt: FUTURE, reference: 'open' }))
  await store.close()
  const { code, stdout } = await run(folder, ...args, '--json')
  t.equal(code, 0)
  t.match(parsed(stdout)[0], { summary: { matched: references.length } })
  t.match(stdout, /"answer":"matched","merchant":"shop"/)
})

/** Three orders, and the list that the platform has of them. */
async function threeOrders(t: Test) {
  const folder = t.testdir({ 'list.csv': 'reference,currency,total,items\n' })
  const store = openSqlite(join(folder, 'store.sqlite'))
  t.teardown(() => store.close())
  for (const reference of ['r1', 'r2', 'r3']) {
    await store.addCheckout(newCheckout(reference, { reference, merchantId: 'shop' }))
    await store.placeOrder(newOrder(`N-${reference}`, reference, { reference, merchantId: 'shop' }))
  }
  const rows = ['r1', 'r2', 'r3'].map(reference => `${reference},GBP,89.95,MUG:2;THROW:1\n`).join('')
  writeFileSync(join(folder, 'list.csv'), `reference,currency,total,items\n${rows}`)
  /** Runs with a merchant's own list. */
  const compare = (own: string, ...flags: string[]) => {
    writeFileSync(join(folder, 'shop.csv'), own)
    return run(folder, 'list.csv', '--orders', 'shop.csv', ...flags)
  }
  return { folder, compare }
}

t.test("a shop's own list has orders that are not the app's, and further rows of orders", async t => {
  const { compare } = await threeOrders(t)
  const web = 'order,reference,currency,total\n1,r1,GBP,89.95\n2,,GBP,19.90\n3,r2,GBP,89.95\n4,r3,GBP,89.95\n'
  t.match(await compare(web), {
    code: 0,
    stdout:
      /shop\.csv: 3 rows, 3 references\n[\s\S]*\nLeft out, as they have no reference: 1 row of shop\.csv\n {2}matched +3\n/
  })
  const shopify = `Name,Financial Status,Currency,Total,Lineitem quantity,Lineitem sku,Note,Cancelled at
#1,paid,GBP,89.95,2.0000,MUG,r1,
#1,,,,1.0000,THROW,,
#2,paid,GBP,5.00,-1,,,
#2,,,,1,LAMP,,
#3,partially_refunded,GBP,89.95,2,MUG,r2,
#3,,,,1,THROW,,
#4,paid,GBP,89.95,1,THROW,r3,2026-11-20 10:00:00 +0000
#4,,,,2,MUG,,
`
  const map = '--map=orders.reference=Note,orders.order=Name,orders.sku=Lineitem sku,orders.quantity=Lineitem quantity'
  t.match(await compare(shopify, map, '--map', 'orders.status=Financial Status'), {
    code: 1,
    stdout:
      /\nLeft out, as they have no reference: 2 rows of shop\.csv\n {2}matched +2\n {2}different +1\n[\s\S]* r3 .*#4 +status: placed at the platform, cancelled at the merchant\n$/
  })
  const status =
    /matched +2\n {2}different +1\n[\s\S]* r2 .*status: placed at the platform, refunded at the merchant\n$/
  const refunded = shopify.replace('partially_', '').replace('2026-11-20 10:00:00 +0000', '')
  t.match(await compare(refunded, map), { code: 1, stdout: status }, 'as Shopify exports it')
  const orders = ['paid', 'refunded', 'paid'].map((financial_status, i) => ({ note: `r${i + 1}`, financial_status }))
  t.match(await compare(JSON.stringify({ orders }), '--map', 'orders.reference=note'), { code: 1, stdout: status })
  t.match(await compare('order,reference,total\n1,,5\n2,,6\n'), {
    code: 1,
    stdout: /\nNo row of shop\.csv has a reference; if another column has them: --map "orders\.reference=COLUMN"\n/
  })
})

t.test('a row that cannot be compared is named, and the rest is compared', async t => {
  const { folder, compare } = await threeOrders(t)
  const refund = 'order,reference,total\n1,r1,89.95\n1,r1,-89.95\n2,r2,-1\n3,r3,89.95\n'
  t.match(await compare(refund), {
    code: 1,
    stdout:
      /\nshop\.csv:3: the total is "-89\.95"; give a decimal such as 147\.99\nshop\.csv:4: the total is "-1".*\n {2}matched +2\n {2}different +1\n[\s\S]* r2 .* row: readable at the platform, unreadable at the merchant\n$/
  })
  const items = 'reference,sku,quantity\nr1,MUG,2\nr1,THROW,0\nr2,MUG,2\nr2,THROW,1\nr3,MUG,2.5\nr4,MUG,0\n'
  const [{ summary }, ...results] = parsed((await compare(items, '--json')).stdout)
  t.match(summary.merchantList, {
    rows: 6,
    unreadable: { rows: 3, first: [/^shop\.csv:3: the quantity is "0"/, /^shop\.csv:6: .*"2\.5"/, /^shop\.csv:7: /] }
  })
  t.match(
    results.map(({ answer, reference }) => `${reference} ${answer}`),
    ['r1 different', 'r2 matched', 'r3 different', 'r4 only-merchant']
  )
  writeFileSync(join(folder, 'list.csv'), 'reference,total,note\nr1,89.95,"mug\nr2,89.95,5"\nr3,-2,\n')
  const { code, stdout } = await run(folder, 'list.csv')
  t.equal(code, 1)
  t.match(stdout, /\nlist\.csv:2: a quotation mark is opened and never closed\nlist\.csv:4: the total is "-2"/)
  t.match(stdout, /matched +1\n {2}different +2\n[\s\S]* only at the merchant +0\n/, 'r2 was not taken in by r1')
  const unreadable = / r1 .* row: unreadable at the platform, readable at the merchant\n.* r3 .* row: unreadable/
  t.match(stdout, unreadable)
})

t.test('words for a status that are not known are named, and can be given a meaning', async t => {
  const { compare } = await threeOrders(t)
  const own = 'reference,total,status\nr1,89.95,Verschollen\nr2,89.95,bezahlt\nr3,89.95,VERSCHOLLEN\n'
  const unknown = await compare(own)
  t.match(unknown, {
    code: 1,
    stdout:
      /\nCounted as placed, as these words for a status in shop\.csv are not known: "Verschollen" 2\nSay what each means: --status "Verschollen=…", with placed, cancelled or refunded\n {2}matched +3\n/
  })
  t.match(parsed((await compare(own, '--json')).stdout)[0].summary.merchantList, { unknownWords: { Verschollen: 2 } })
  t.match(await compare(own, '--status', 'verschollen=placed'), { code: 0, stdout: /matched +3\n/ })
  t.match(await compare(own, '--status', 'x=placed', '--status', 'Verschollen=refunded'), {
    code: 1,
    stdout: /matched +1\n {2}different +2\n[\s\S]* status: placed at the platform, refunded at the merchant\n/
  })
  const dead = 'reference,status\nr1,Voided\nr2,Chargeback\nr3,Storniert\n'
  t.match(await compare(dead), { code: 1, stdout: /matched +0\n {2}different +3\n/ })
})

t.test(
  'a list whose rows all have mistakes ends with 2: up to a hundred are named, and nothing is compared',
  async t => {
    const { folder, list } = await setUp(t)
    list('reference,total\nboth,x\n,1\n')
    const { code, stdout, stderr } = await run(folder, 'list.csv')
    t.strictSame([code, stdout], [2, ''])
    t.match(
      stderr,
      /^list\.csv:2: the total is "x".*\nlist\.csv:3: the reference is empty\nColumns of list\.csv matched by name: total\. .*--map total=\nnothing was compared\n$/
    )
    list(`reference,total\n${'r,\x1b[2Jx\n'.repeat(250)}`)
    const many = await run(folder, 'list.csv')
    t.equal(many.code, 2)
    t.equal(many.stderr.match(/list\.csv:\d+:/g)?.length, 100, 'up to a hundred')
    t.match(many.stderr, /… and 150 more rows/)
    t.notMatch(many.stderr, '\x1b')
  }
)

t.test('invalid arguments and databases end with 2 and a reason', async t => {
  const { folder, list } = await setUp(t)
  list('reference\nboth\n')
  mkdirSync(join(folder, 'elsewhere'))
  writeFileSync(join(folder, 'elsewhere/list.csv'), 'reference\n')
  const cases: [string[], RegExp][] = [
    [[], /give one list[\s\S]*npm run reconcile/],
    [['missing.csv'], /^\/.*\/missing\.csv: there is no such file; give the path of a list\n$/],
    [['elsewhere'], /^\/.*\/elsewhere: it is a folder; give the path of a list\n$/],
    [['list.csv', '--map', 'ref=x'], /--map has "ref=x"; give a field and a column/],
    [['list.csv', '--map', 'reference'], /--map has "reference"/],
    [['list.csv', '--map', 'reference='], /--map has "reference="/],
    [['list.csv', '--map', 'orders.reference='], /--map has "orders\.reference="/],
    [['list.csv', '--status', 'Gone=away'], /^--status has "Gone=away"; give a word and what it means/],
    [['list.csv', '--status', '=placed'], /^--status has "=placed"/],
    [['list.csv', '--map', 'orders.total=Sum'], /columns of the list of --orders, which is not given/],
    [['list.csv', '--orders', 'missing.csv', '--merchant', 'shop'], /^\/.*\/missing\.csv: there is no such file/],
    [['list.csv', '--orders', 'list.csv'], /give --merchant; the store has other, shop/],
    [
      ['list.csv', '--way', '1', '--orders', 'list.csv', '--merchant', 'shop'],
      /^--way is about the orders in the store; leave it out/
    ],
    [
      ['list.csv', '--way', 'Meta'],
      /^--way is "Meta"; give one of 1, 2A, 2B, meta, permalink, ucp, or one and its path, such as "2A \/app"/
    ],
    [['list.csv', '--merchant', 'shpo'], /^the store has nothing of "shpo"; it has other, shop\n$/],
    [
      ['list.csv', '--map', 'total=Sum, net,reference=x'],
      /^list\.csv:1: no column is named "x" \(for reference\); there are "reference"; say which it is: --map "reference=COLUMN"\nnothing was compared\n$/
    ]
  ]
  for (const [args, reason] of cases) {
    t.match(await run(folder, ...args), { code: 2, stdout: '', stderr: reason }, args.join(' '))
  }
  t.match(await run(join(folder, 'elsewhere'), 'list.csv'), {
    code: 2,
    stderr: /there is no database .*set DATABASE_URL/
  })
  writeFileSync(join(folder, 'elsewhere/store.sqlite'), 'reference,total\n'.repeat(100))
  t.match(await run(join(folder, 'elsewhere'), 'list.csv'), { code: 2, stderr: /not a database/ })
})

t.test('a damaged store ends with 2', async t => {
  const { folder, list } = await setUp(t)
  list('reference\nboth\nopen\n')
  const db = connectSqlite(join(folder, 'store.sqlite'))
  db.exec(`UPDATE checkouts SET cart = 'broken'`)
  db.close()
  const env = { ...process.env, ...envOf(folder) }
  const ran = await runNode(['src/cli/reconcile.ts', 'list.csv'], { env, coverage: true })
  t.match(ran, { code: 2, stdout: '', stderr: /^the database file .*store\.sqlite is damaged: [^\n]*\n$/ })
})

/** As WooCommerce 10.5.0 exports orders (Analytics), one of them refunded, and one refunded in part. */
const EXPORT = `\ufeffDate,"Order #","N. Revenue (formatted)",Status,Customer,"Customer type",Product(s),"Items sold",Coupon(s),"Net Sales",Attribution
"2026-11-26 00:00:58",27,"€45.00 €40.00",completed," ",returning,"2× Mug, 1× Shirt - S",0,,-5,Unknown
"2026-11-26 00:00:57",23,"€45.00 €0.00",refunded," ",returning,"2× Mug, 1× Shirt - S",-3,,-45,Unknown
"2026-11-26 00:00:55",27,"€45.00 €40.00",completed," ",new,"2× Mug, 1× Shirt - S",3,,45,"Source: Cart-transfer"
"2026-11-26 00:00:52",26,€45.00,completed," ",new,"2× Mug, 1× Shirt - S",3,,45,Unknown
"2026-11-26 00:00:43",23,"€45.00 €0.00",refunded," ",new,"2× Mug, 1× Shirt - S",3,,45,"Source: Cart-transfer"
"2026-11-26 00:00:39",22,€45.00,processing," ",new,"2× Mug, 1× Shirt - S",3,,45,"Source: Cart-transfer"
`

t.test('an export of WooCommerce has no references: its orders are found by their numbers', async t => {
  const { folder, store, list } = await setUp(t)
  for (const number of ['22', '23', '27']) await store.keepReport(newReport(1, { number, reference: `ref-${number}` }))
  list('reference\nref-22\nref-23\nref-27\nopen\n')
  const compare = async (text: string, ...flags: string[]) => {
    writeFileSync(join(folder, 'export.csv'), text)
    return run(folder, 'list.csv', '--orders', 'export.csv', '--merchant', 'shop', ...flags)
  }
  const { code, stdout, stderr } = await compare(EXPORT, '--json', '--all')
  t.strictSame([code, stderr], [1, ''])
  const [{ summary }, ...results] = parsed(stdout)
  t.match(summary, { merchantReferences: 3, merchantList: { rows: 6, unknown: { orders: 1, fromApp: [] } } })
  t.match(results, [
    { answer: 'matched', reference: 'ref-22', order: '22', merchantLine: 7 },
    {
      answer: 'different',
      reference: 'ref-23',
      differences: [{ in: 'status', platform: 'placed', merchant: 'refunded' }]
    },
    { answer: 'matched', reference: 'ref-27', order: '27' },
    { answer: 'only-platform', reference: 'open', state: 'not-ordered' }
  ])
  t.match(
    (await compare(EXPORT)).stdout,
    'Columns of export.csv matched by name: order, status, attribution. To ignore them: --map orders.order=,orders.status=,orders.attribution=\n'
  )

  list('reference\nref-22\n')
  const lost = '2026-11-26,31,€45.00,processing,,new,1× Mug,1,,45,"Source: Cart-transfer"\n'
  const some = await compare(`${EXPORT.split('\n')[0]}\n${EXPORT.split('\n')[6]}\n${lost}`)
  t.equal(some.code, 1, 'an order of the app that is not known here')
  t.match(
    some.stdout,
    'export.csv has no references: orders are found by number; not known here: 1\nFrom the app, and not known here: "31"\n'
  )
  t.equal((await compare(`${EXPORT.split('\n')[0]}\n${EXPORT.split('\n')[6]}\n`)).code, 0)
})

t.test('an own list without references may have its items in rows', async t => {
  const { folder, store, list } = await setUp(t)
  await store.keepReport(newReport(1, { number: '#22', reference: 'ref-22' }))
  list('reference,items\nref-22,MUG:2;THROW:1\n')
  const own = 'Order #,Total,sku,quantity\n#22,89.95,MUG,2\n#23,5,LAMP,1\n#22,,THROW,1\n'
  writeFileSync(join(folder, 'own.csv'), own)
  const { code, stdout } = await run(folder, 'list.csv', '--orders', 'own.csv', ...SHOP)
  t.equal(code, 0)
  t.match(stdout, /found by number; not known here: 1\n {2}matched +1\n/)
})

t.test('memory does not grow with the lists: a small heap is enough for long ones', async t => {
  const folder = t.testdir({})
  const at = (name: string) => join(folder, name)
  writeOrders(at('many.sqlite'), 50_000)
  await writeList(at('list.csv'), 50_000)
  await writeList(at('orders.csv'), 50_000, 'merchant')
  for (const more of [['--orders', at('orders.csv')], ...nightly([[]])]) {
    const { code, stdout } = await reconcileInSmallHeap(at('many.sqlite'), [at('list.csv'), ...more])
    t.equal(code, 1)
    t.match(stdout, /matched +49,850\n +different +50\n +only at the platform +50\n[\s\S]* only at the merchant +50\n/)
  }
})

t.test('a busy server keeps serving meanwhile: every transfer is answered and recorded', async t => {
  const { app, folder, store } = await build(t)
  const database = join(folder, 'data/test.sqlite')
  writeOrders(database, 5000)
  const list = join(folder, 'list.csv')
  await writeList(list, 5000)
  const address = await app.listen({ port: 0, host: '127.0.0.1' })
  let sent = 0
  const statuses = new Set<number>()
  const send = async () => {
    const body = JSON.stringify({ items: [{ sku: 'MUG', quantity: 1 }], currency: 'GBP', reference: uuid(++sent) })
    const answer = await fetch(`${address}/shop/cart`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body
    })
    await answer.text()
    statuses.add(answer.status)
  }
  let isRunning = true
  const load = Array.from({ length: 8 }, async () => {
    while (isRunning) await send()
  })
  const { code, stdout } = await reconcileInSmallHeap(database, [list])
  isRunning = false
  await Promise.all(load)
  t.equal(code, 1)
  t.match(stdout, /matched +4,985\n/)
  t.strictSame([...statuses], [200])
  t.ok(sent > 50, `${sent} transfers`)
  const histories = await store.referenceHistories(
    ['shop'],
    Array.from({ length: sent }, (_, i) => uuid(i + 1))
  )
  t.ok(histories.every(([one]) => one?.checkouts.length === 1))
})

const AT = '2026-11-20T10:00:00.000Z'
const NOON = '2026-11-19T12:00:00.000Z'
const common = { merchant: 'shop', reference: 'r1', line: 2 }

const counts: ReconcileCounts = {
  ...{ ...NO_COUNTS, references: 1_000_008, matched: 1_000_000, different: 1, neverArrived: 2, refused: 3 },
  ...{ notOrdered: 4, expired: 5, superseded: 6, onlyMerchant: 7, repeated: 8 }
}
const list: ListSource = {
  ...{ side: 'platform', name: 'list.csv', rows: 1, unasked: [], leftOut: 0 },
  ...{ unreadable: { rows: 0, first: [] }, unknownWords: new Map() }
}

const summaryOf = (sources: ListSource[], counts: ReconcileCounts) => [...textLines(sources, counts, [], [])].join('')
const tableOf = (results: ReferenceResult[], merchants = ['shop']) =>
  [...textLines([list], counts, results, merchants)].slice(1)

t.test('what came along with a cart is told beside each answer, while it is kept', async t => {
  const { folder, store, list: write } = await setUp(t)
  const attribution = { utm_source: 'instagram', utm_campaign: 'Herbst & Ö' }
  const codes = ['TEN', '\u202eTWO']
  const extras = { attribution, codes }
  const add = async (reference: string) => {
    const { cart, ...checkout } = newCheckout(reference, { createdAt: DAY, expiresAt: FUTURE, reference })
    await store.addCheckout({ ...checkout, cart: { ...cart, ...extras } })
  }
  for (const reference of ['c-listed', 'c-wrong', 'c-missing', 'c-erased']) {
    await add(reference)
    await store.placeOrder(newOrder(reference, reference, { reference, placedAt: DAY, ...extras }))
  }
  await add('c-open')
  await store.eraseOrder('c-erased')
  write('reference,total\nc-listed,89.95\nc-wrong,1\nc-open,\nc-erased,1\nref,\n')
  const answersOf = async (...args: string[]) => {
    const [, ...results] = parsed((await run(folder, 'list.csv', '--all', '--json', ...args)).stdout)
    return results.filter(({ reference }) => reference.startsWith('c-'))
  }
  t.match(await answersOf(), [
    { answer: 'matched', reference: 'c-listed', ...extras },
    { answer: 'different', reference: 'c-wrong', ...extras },
    { answer: 'only-platform', reference: 'c-open', ...extras },
    { answer: 'different', reference: 'c-erased' },
    { answer: 'only-merchant', reference: 'c-missing', ...extras }
  ])
  t.notOk('attribution' in Object(JSON.parse(JSON.stringify((await answersOf())[3]))), 'it is erased with the order')
  const { stdout } = await run(folder, 'list.csv', '--all')
  const query = 'attribution utm_source=instagram&utm_campaign=Herbst+%26+%C3%96, codes TEN; \\u{202e}TWO\n'
  t.equal(stdout.split(query).length, 5)
  t.match(stdout, /\nmatched .* c-listed +2 {2}c-listed {3}attribution utm/)
  t.match(stdout, /not ordered, attribution utm/)
})

t.test('what `orders list` prints is a list, whatever came along with the carts', async t => {
  const { folder, store, list: write } = await setUp(t)
  const extras = { attribution: { utm_source: 'cart-transfer' }, codes: ['TEN'] }
  await store.addCheckout(newCheckout('c1', { createdAt: DAY, expiresAt: FUTURE, reference: 'c1' }))
  await store.placeOrder(newOrder('C1', 'c1', { reference: 'c1', placedAt: DAY, ...extras }))
  write('reference,total\nc1,89.95\n')
  for (const [flag, name] of [
    ['--json', 'own.json'],
    ['--csv', 'own.csv']
  ] as const) {
    const exported = await runHere(orders, ['list', flag, '--number', 'C1'], envOf(folder))
    writeFileSync(join(folder, name), exported.stdout)
    const { code, stdout } = await run(folder, 'list.csv', '--orders', name, '--merchant', 'shop', '--all')
    t.equal(code, 0, stdout)
    t.match(stdout, /matched +1\n/)
  }
})

t.test('a list of which only references are read says so', async t => {
  const { folder, list: write } = await setUp(t)
  write('Ref;Sum\nboth;1,00\n')
  const { stdout } = await run(folder, 'list.csv', '--map', 'reference=Ref')
  t.match(
    stdout,
    '\nNot compared: total, items. list.csv also has "Sum"; to compare: --map total=COLUMN or items=COLUMN\n'
  )
  const uncompared: ListSource['uncompared'] = { fields: ['total', 'items'], columns: ['Sum', 'Ordered "on"'] }
  t.match(
    summaryOf([{ ...list, uncompared }], counts),
    '\nNot compared: total, items. list.csv also has "Sum", "Ordered \\"on\\""; to compare: --map total=COLUMN or items=COLUMN\n'
  )
  t.match(
    summaryOf(
      [list, { ...list, side: 'merchant', name: 'shop.csv', uncompared: { ...uncompared, fields: ['total'] } }],
      counts
    ),
    'to compare: --map orders.total=COLUMN\n'
  )
})

t.test('the summary counts every result', t => {
  t.equal(
    summaryOf([{ ...list, rows: 1_000_016, unasked: ['total', 'items'] }], counts),
    [
      'list.csv: 1,000,016 rows, 1,000,008 references',
      'Columns of list.csv matched by name: total, items. To ignore them: --map total=,items=',
      '  matched                   1,000,000',
      '  different                         1',
      '  only at the platform             20',
      '    never arrived                   2',
      '    arrived and refused             3',
      '    arrived and not ordered         4',
      '    expired                         5',
      '    superseded                      6',
      '  only at the merchant              7',
      '  repeated in the list              8',
      ''
    ].join('\n')
  )
  const hostile = summaryOf([{ ...list, name: '\x1b[2Jx' }], { ...counts, unreadableTransfers: 1234 })
  t.match(hostile, /^\\u\{1b\}\[2Jx: 1 row, /)
  t.match(
    hostile,
    /\nOn the days of this period 1,234 transfers arrived without a readable reference: the log says why\.\n$/
  )
  t.end()
})

t.test('the summary of two lists says which is which', t => {
  const sources = [
    { ...list, rows: 3, unasked: ['total'] },
    { ...list, side: 'merchant', name: 'shop.csv', rows: 5, unasked: ['items', 'order'] }
  ] satisfies ListSource[]
  const two = { ...counts, references: 1, merchantReferences: 4, orderedHere: 9, reported: 10, repeatedByMerchant: 1 }
  const lines = summaryOf(sources, two).split('\n')
  t.strictSame(lines.slice(0, 4), [
    'list.csv: 3 rows, 1 reference',
    'Columns of list.csv matched by name: total. To ignore them: --map total=',
    'shop.csv: 5 rows, 4 references',
    'Columns of shop.csv matched by name: items, order. To ignore them: --map orders.items=,orders.order='
  ])
  t.equal(lines[6], '  only at the platform             39')
  t.strictSame(lines.slice(-6), [
    '    ordered here                    9',
    '    reported earlier               10',
    '  only at the merchant              7',
    "  repeated, platform's list         8",
    "  repeated, merchant's list         1",
    ''
  ])
  t.end()
})

const only = { answer: 'only-platform', ...common } as const
const own = { answer: 'only-merchant', merchant: 'shop', reference: 'r1' } as const
const rows: [ReferenceResult, string][] = [
  [{ answer: 'matched', ...common, order: 'N1' }, 'N1'],
  [
    {
      answer: 'different',
      ...common,
      order: 'N1',
      differences: [
        { in: 'item', sku: 'MUG', platform: 2, merchant: 0 },
        { in: 'item', sku: 'LAMP', platform: 0, merchant: 1 },
        { in: 'quantity', sku: 'ROPE', platform: 3, merchant: 4, transferred: 3 },
        { in: 'currency', platform: 'USD', merchant: 'GBP' },
        { in: 'total', platform: '24.9', merchant: '25' },
        { in: 'order', platform: 'N2', merchant: 'N1' }
      ]
    },
    'N1         item MUG: 2 at the platform, none at the merchant; item LAMP: none at the platform, 1 at the merchant; quantity of ROPE: 3 at the platform, 4 at the merchant, 3 transferred; currency: USD at the platform, GBP at the merchant; total: 24.9 at the platform, 25 at the merchant; order: N2 at the platform, N1 at the merchant'
  ],
  [{ ...only, state: 'never-arrived' }, 'never arrived'],
  [
    { ...only, state: 'refused', at: AT, problem: 'cart-not-sellable', mistakes: ['out-of-stock', 'sku-unknown'] },
    `refused ${AT}: cart-not-sellable (out-of-stock, sku-unknown)`
  ],
  [{ ...only, state: 'refused', at: AT, problem: 'too-many-lines', mistakes: [] }, `refused ${AT}: too-many-lines`],
  [{ ...only, state: 'not-ordered', at: AT }, `arrived ${AT}, not ordered`],
  [
    { ...only, state: 'not-ordered', at: AT, payment: { state: 'opening', provider: 'stripe' } },
    `arrived ${AT}, not ordered, payment opening at stripe`
  ],
  [
    {
      ...{ ...only, state: 'superseded', at: AT },
      payment: { state: 'refunded', reason: 'superseded', provider: 'stripe', id: 'pi_1' }
    },
    `superseded ${AT} by another cart, not ordered, payment refunded (superseded) at stripe as pi_1`
  ],
  [
    {
      ...{ ...own, order: 'N1', placedAt: AT, currency: 'GBP', total: '25.00' },
      payment: { state: 'paid', provider: 'stripe', id: 'pi_1' }
    },
    `N1         placed ${AT}, 25.00 GBP, payment paid at stripe as pi_1`
  ],
  [{ ...only, state: 'expired', at: AT, arrivedAt: NOON }, `arrived ${NOON}, expired ${AT}, not ordered`],
  [{ ...only, state: 'expired', arrivedAt: AT }, `arrived ${AT}, expired, not ordered`],
  [{ ...only, state: 'superseded', at: AT }, `superseded ${AT} by another cart, not ordered`],
  [{ answer: 'repeated', ...common, firstLine: 1 }, 'already on line 1; not compared'],
  [{ ...own, order: 'N1', placedAt: AT, currency: 'GBP', total: '25.00' }, `N1         placed ${AT}, 25.00 GBP`],
  [
    { ...own, order: '#1', reportedAt: AT, currency: 'GBP', total: '25.00', transfer: { state: 'accepted', at: NOON } },
    `#1         reported ${AT}, 25.00 GBP, arrived ${NOON}`
  ],
  [{ ...only, state: 'ordered', at: AT, order: 'N2' }, `ordered here ${AT} as N2`],
  [{ ...only, state: 'reported', at: AT, order: '#2' }, `reported ${AT} as #2`],
  [
    { answer: 'repeated', merchant: 'shop', reference: 'r1', merchantLine: 7, firstMerchantLine: 4 },
    "line 7 of the merchant's list, already on line 4; not compared"
  ],
  [{ ...own, merchantLine: 7 }, "line 7 of the merchant's list"],
  ...(
    [
      [{ state: 'never-arrived' }, 'never arrived'],
      [{ state: 'superseded', at: AT }, `superseded ${AT} by another cart`]
    ] satisfies [TransferState, string][]
  ).map(([transfer, what]): [ReferenceResult, string] => [
    { ...own, merchantLine: 7, total: '5', transfer },
    `line 7 of the merchant's list, 5, ${what}`
  ])
]

t.test('the table has a header, and a row for each result, in aligned columns', t => {
  const answers = rows.map(([answer]) => answer)
  const [head, ...lines] = tableOf(answers, ['shop', 'a-long-name'])
  t.equal(head, '\nANSWER         MERCHANT     REFERENCE                                LINE  ORDER      WHAT\n')
  const column = (name: string) => String(head).indexOf(name) - 1
  t.equal(lines.length, rows.length)
  for (const [i, [answer, what]] of rows.entries()) {
    const line = String(lines[i])
    t.ok(line.endsWith(`  ${what}\n`), `${line} ends with ${what}`)
    t.ok(line.startsWith(`${answer.answer} `))
    t.equal(line.indexOf('shop'), column('MERCHANT'))
    t.equal(line.indexOf('r1'), column('REFERENCE'))
    if ('line' in answer) t.equal(line[column('LINE') + 'LINE'.length - 1], '2')
  }
  t.end()
})

t.test('a reference in wide characters keeps the columns aligned, and a result without a merchant has a dash', t => {
  const unknown = { ...only, merchant: null, state: 'never-arrived' } as const
  const [, narrow = '', wide = ''] = tableOf(['ab', '海'].map(reference => ({ ...unknown, reference })))
  t.match(narrow, /^only-platform {2}- /)
  t.equal(wide.replace('海', 'ab'), narrow)
  t.strictSame(tableOf([]), [], 'without results there is no table')
  const [head = '', row = ''] = tableOf([{ ...unknown, reference: 'ab' }], [])
  t.equal(row.indexOf('ab'), head.indexOf('REFERENCE') - 1, 'a store without merchants has the same columns')
  t.end()
})

t.test('characters that act on a terminal, hide or reverse text are escaped', t => {
  const text = '\x1b[31m a\nb\r \u202e'
  const differences = [{ in: 'item' as const, sku: text, platform: 1, merchant: 0 }]
  const answers: ReferenceResult[] = [
    { answer: 'different', ...common, reference: text, order: text, differences },
    { ...only, reference: text, state: 'never-arrived' }
  ]
  const [, ...json] = [...jsonLines([list], counts, answers)]
  for (const line of [...tableOf(answers), ...json]) t.notMatch(line.trim(), /[\p{Cc}\p{Cf}]/u)
  t.strictSame(
    json.map(line => JSON.parse(line)),
    answers,
    'the JSON still has the same values'
  )
  t.end()
})
