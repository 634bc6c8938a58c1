// Erased data is gone from the database file and its write-ahead log.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import t, { type Test } from 'tap'
import { openSqlite } from '../../../src/store/sqlite/sqlite-store.ts'
import { addCart, extrasOf } from '../cart-extras-suite.ts'
import { newOrder, place } from '../new-order.ts'
import { begin, keyOf, newPayment } from '../payments-suite.ts'

const fileOf = (t: Test) => join(t.testdirName, 'test.sqlite')

/** The texts that are anywhere in the bytes of the database. */
function found(file: string, texts: string[]): string[] {
  const bytes = ['', '-wal', '-journal']
    .map(suffix => (existsSync(file + suffix) ? readFileSync(file + suffix, 'latin1') : ''))
    .join('')
  return texts.filter(text => bytes.includes(text))
}

const personal = (n: number) => [`person-${n}.`, `street-${n}.`, `town-${n}.`]
const order = (n: number) => {
  const [email = '', address1 = '', city = ''] = personal(n)
  // Some orders are large enough for overflow pages.
  const title = 'x'.repeat(n % 5 === 0 ? 9000 : 40)
  return newOrder(n, {
    lines: [{ sku: 'MUG', title, quantity: 1, unitPrice: 1, lineTotal: 1 }],
    customer: { email, country: 'GB', address: { name: 'x'.repeat(n * 3), address1, city } }
  })
}

t.test('erased bytes are gone from the file, even while a server has it open and keeps placing orders', async t => {
  t.testdir({})
  const file = fileOf(t)
  const [server, command] = [openSqlite(file), openSqlite(file)]
  t.teardown(() => Promise.all([server.close(), command.close()]))
  const numbers = Array.from({ length: 90 }, (_, n) => n)
  await Promise.all(numbers.map(n => place(server, order(n))))
  t.strictSame(found(file, numbers.flatMap(personal)), numbers.flatMap(personal), 'they were there')
  const erased = numbers.filter(n => n % 3 !== 1)
  for (const [i, n] of erased.entries()) {
    await command.eraseOrder(order(n).number)
    if (found(file, personal(n)).length > 0) t.fail(`${n} was left`)
    if (i % 10 === 0) await place(server, order(1000 + i))
  }
  t.strictSame(found(file, erased.flatMap(personal)), [], 'none of them came back')
  const kept = numbers.filter(n => n % 3 === 1).flatMap(personal)
  t.strictSame(found(file, kept), kept, 'no other data is gone')
  const { customer, ...accounting } = order(3)
  t.strictSame(await server.findOrder('shop', 'token-3'), accounting)
})

t.test('while a reader still sees the old data, erasing waits for it, and blocks nobody', async t => {
  t.testdir({})
  const file = fileOf(t)
  const [server, command] = [openSqlite(file), openSqlite(file)]
  t.teardown(() => Promise.all([server.close(), command.close()]))
  await place(server, order(1))
  const reader = new DatabaseSync(file)
  t.teardown(() => reader.close())
  reader.exec('BEGIN; SELECT * FROM orders')
  let isErasing = true
  const erasing = command.eraseOrder(order(1).number).finally(() => {
    isErasing = false
  })
  for (let n = 2; n < 6; n++) await place(server, order(n))
  t.ok(isErasing, 'orders were placed in the meantime')
  reader.exec('ROLLBACK')
  t.equal(await erasing, true)
  t.strictSame(found(file, personal(1)), [])
})

t.test('orders erased by age are gone from the file, also if the process that erased them was killed', async t => {
  t.testdir({})
  const file = fileOf(t)
  const [killed, server] = [openSqlite(file), openSqlite(file)]
  t.teardown(() => Promise.all([killed.close(), server.close()]))
  const numbers = [1, 2, 5]
  const all = numbers.flatMap(personal)
  for (const n of numbers) await place(server, order(n), false)
  await killed.eraseOrders('shop', '2027', 2)
  t.strictSame(found(file, all), all, 'the write-ahead log still has the old pages')
  await server.purgeErased()
  t.strictSame(found(file, all), personal(5), 'a server purges when it starts')
  await server.eraseOrders('shop', '2027', 2)
  await server.purgeErased()
  t.strictSame(found(file, all), [], 'and after each time it has erased')
})

t.test('what shoppers typed is gone from payments too, whether it is erased, deleted or ordered', async t => {
  t.testdir({})
  const file = fileOf(t)
  const [server, command] = [openSqlite(file), openSqlite(file)]
  t.teardown(() => Promise.all([server.close(), command.close()]))
  const numbers = [1, 2, 3, 5]
  const all = numbers.flatMap(personal)
  for (const n of numbers) await begin(server, n, order(n))
  await command.eraseOrder(order(1).number)
  t.strictSame(found(file, all), [2, 3, 5].flatMap(personal))
  const facts = { state: 'paid', providerId: 'cs_1', currency: 'GBP', amount: 9445 } as const
  t.match(await server.changePayment(keyOf(2), { type: 'reported', facts }, '2026'), { isPlaced: true })
  await command.eraseOrder(order(2).number)
  t.strictSame(found(file, all), [3, 5].flatMap(personal))
  await server.changePayment(keyOf(3), { type: 'not-opened' }, '2026')
  t.equal(await server.erasePayments('shop', '2027', 10), 1)
  await server.purgeErased()
  t.strictSame(found(file, all), personal(5))
  await server.changePayment(keyOf(5), { type: 'not-opened' }, '2026')
  await server.deleteExpired('shop', '2027', 10, '2027')
  await server.purgeErased()
  t.strictSame(found(file, all), [])
})

t.test('what came along with a cart is gone with its order, its payment or its checkout', async t => {
  t.testdir({})
  const file = fileOf(t)
  const [server, command] = [openSqlite(file), openSqlite(file)]
  t.teardown(() => Promise.all([server.close(), command.close()]))
  const came = (n: number) => [`source-${n}.`, `click-${n}.`, `CODE-${n}.`, `buyer-${n}.`, `name-${n}.`]
  const all = [1, 2, 3, 4, 5]
  const left = () => all.filter(n => found(file, came(n)).length > 0)
  for (const n of all) {
    // Large enough for overflow pages.
    const items = Array.from({ length: n * 40 }, (_, i) => ({ sku: `SKU-${i}`, quantity: 1 }))
    await addCart(server, n, { token: `earlier-${n}`, expiresAt: '2026-11-20T18:00:00.000Z' })
    await addCart(server, n, { items })
  }
  await server.placeOrder({ ...newOrder(1), ...extrasOf(1) })
  await server.placeOrder({ ...newOrder(2), ...extrasOf(2) })
  await server.beginPayment(newPayment(3, extrasOf(3)))
  t.strictSame(found(file, all.flatMap(came)), all.flatMap(came), 'it was there')
  await command.eraseOrder(newOrder(1).number)
  t.strictSame(left(), [2, 3, 4, 5])
  await server.eraseOrders('shop', '2027', 10)
  await server.purgeErased()
  t.strictSame(left(), [3, 4, 5])
  await server.changePayment(keyOf(3), { type: 'not-opened' }, '2026')
  await server.erasePayments('shop', '2027', 10)
  await server.purgeErased()
  t.strictSame(left(), [4, 5])
  t.equal(await server.deleteExpired('shop', '2026-11-20T20:00:00.000Z', 10, '2027'), 5, 'the superseded ones')
  await server.purgeErased()
  t.strictSame(found(file, came(4)), came(4), 'an open cart keeps its own')
  t.equal(await server.deleteExpired('shop', '2027', 10, '2027'), 3)
  await server.purgeErased()
  t.strictSame(left(), [])
  await addCart(server, 6)
  t.equal(await server.deleteExpired('shop', '2027', 10, '2027'), 1, 'one without a payment')
  await server.purgeErased()
  t.strictSame(found(file, came(6)), [])
})
