// Transfers that are only counted: when their count is written, and what becomes of it if it cannot be.
import t from 'tap'
import { until } from '../until.ts'
import { connect, count, lock } from './sqlite/connected.ts'
import { CREATED } from './store-suite.ts'
import { unreadable } from './transfers-suite.ts'

const sent = async ({ store }: ReturnType<typeof connect>) => store.unreadableTransfers('shop', '', CREATED)

t.test('however many are sent, they are one write; if none is, there is no write', async t => {
  const connected = connect(t)
  const { store, db } = connected
  const statements = count(db)
  await Promise.all(Array.from({ length: 1000 }, () => store.addTransfer(unreadable)))
  t.equal(statements(), 0)
  await until('the count to be written', async () => (await sent(connected)) === 1000)
  t.equal(statements(), 2, 'BEGIN and COMMIT')
  await store.close()
  t.equal(statements(), 2)
})

t.test('what cannot be written is written later, with what has come since', async t => {
  const connected = connect(t, { lockTimeout: 0 })
  const { store, db, file } = connected
  const attempts = count(db)
  const unlock = lock(t, file)
  await store.addTransfer(unreadable)
  await until('an attempt', () => attempts() > 0)
  await store.addTransfer(unreadable)
  t.equal(await sent(connected), 0)
  unlock()
  await until('the count to be written', async () => (await sent(connected)) === 2)
})

t.test('a store that cannot write it closes without it', async t => {
  const { store, file } = connect(t, { lockTimeout: 0 })
  lock(t, file)
  await store.addTransfer(unreadable)
  await t.resolves(store.close())
})
