// Checkouts inserted in batches: how they are put together, and what happens to those of a batch that fails.
import t from 'tap'
import { StoreUnavailable } from '../../../src/errors.ts'
import type { Queries } from '../../../src/store/database.ts'
import { addInGroups } from '../../../src/store/postgres/group-inserts.ts'
import { newCheckout } from '../store-suite.ts'

const tokensOf = (checkouts: { token: string }[]) => checkouts.map(({ token }) => token)

/**
 * Records batches, which wait to be let go, and what was added by itself.
 * @param insertAll of these tokens, those that are inserted
 */
function recorder(timeout = 60_000, insertAll = async (tokens: string[]) => tokens) {
  const batches: string[][] = []
  const alone: string[] = []
  const gates: (() => void)[] = []
  const nothing = () => Promise.reject(new Error('nothing is read'))
  const queries: Queries = {
    read: nothing,
    write: async (_sql, values) => {
      const [tokens] = values as [string[]]
      batches.push(tokens)
      await new Promise<void>(resolve => gates.push(resolve))
      const rows = (await insertAll(tokens)).map(token => ({ token }))
      return { rows, count: rows.length }
    },
    transaction: async work => {
      const running = work()
      const { value } = running.next() as { value: { values: string[] } }
      alone.push(String(value.values[0]))
      return running.next({ rows: [], count: 1 }).value as never
    },
    snapshot: nothing
  }
  const add = addInGroups({ of: () => queries }, timeout)
  const letGo = async () => {
    while (gates.length === 0) await new Promise(setImmediate)
    gates.shift()?.()
  }
  const send = (...tokens: string[]) => tokens.map(token => add(newCheckout(token)))
  const sendTo = (merchantId: string, token: string) => add(newCheckout(token, { merchantId }))
  return { batches, alone, letGo, send, sendTo }
}

t.test('what arrives in one turn is one batch, and what arrives while it is on its way is the next', async t => {
  const { send, batches, letGo } = recorder()
  const first = send('a', 'b')
  await new Promise(setImmediate)
  const second = [...send('c'), ...send('d')]
  await letGo()
  await letGo()
  await Promise.all([...first, ...second])
  t.strictSame(batches, [
    ['a', 'b'],
    ['c', 'd']
  ])
})

t.test('each merchant has a batch of its own, which waits for no other', async t => {
  const { sendTo, batches, letGo } = recorder()
  const first = sendTo('one', 'a')
  await new Promise(setImmediate)
  const others = [sendTo('one', 'b'), sendTo('other', 'c')]
  await new Promise(setImmediate)
  t.strictSame(batches, [['a'], ['c']])
  for (let i = 0; i < 3; i++) await letGo()
  await Promise.all([first, ...others])
  t.strictSame(batches, [['a'], ['c'], ['b']])
})

t.test('a batch has a hundred at most', async t => {
  const { send, batches, letGo } = recorder()
  const sent = send(...Array.from({ length: 250 }, (_, i) => `t${i}`))
  for (let i = 0; i < 3; i++) await letGo()
  await Promise.all(sent)
  t.strictSame(
    batches.map(({ length }) => length),
    [100, 100, 50]
  )
})

t.test('those that are not inserted are added by themselves, as is a token that came twice', async t => {
  const { send, alone, letGo } = recorder(60_000, async () => ['a', 'b'])
  const sent = send('a', 'a', 'b', 'c')
  await letGo()
  t.strictSame(tokensOf(await Promise.all(sent)), ['a', 'a', 'b', 'c'])
  t.strictSame(alone, ['a', 'c'])
})

t.test('if one may be to blame, all of a batch are added by themselves; if nothing can be stored, none is', async t => {
  const error = (code: string) => Object.assign(new Error(code), { severity: 'ERROR', code })
  const cases: [failure: Error, alone: string[]][] = [
    [error('22021'), ['a', 'b']],
    [new StoreUnavailable('', { cause: error('55P03') }), ['a', 'b']],
    [new StoreUnavailable('', { cause: error('40P01') }), ['a', 'b']],
    [new StoreUnavailable('', { cause: error('53100') }), []],
    [new StoreUnavailable('no connection was free in time'), []]
  ]
  for (const [failure, expected] of cases) {
    const { send, alone, letGo } = recorder(60_000, () => Promise.reject(failure))
    const sent = Promise.allSettled(send('a', 'b'))
    await letGo()
    const results = await sent
    t.strictSame(alone, expected)
    t.strictSame(
      results.map(result => result.status === 'rejected' && result.reason),
      expected.length > 0 ? [false, false] : [failure, failure]
    )
  }
})

t.test('what has waited too long is rejected and not sent', async t => {
  const { send, batches } = recorder(0)
  const [result] = await Promise.allSettled(send('late'))
  t.match(result, { status: 'rejected', reason: { message: 'PostgreSQL is too slow' } })
  t.ok(result?.status === 'rejected' && result.reason instanceof StoreUnavailable)
  t.strictSame(batches, [])
})
