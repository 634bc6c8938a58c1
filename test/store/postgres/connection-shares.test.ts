// Whose call gets the next connection. Each call here ends when the test says so.
import t from 'tap'
import { StoreUnavailable } from '../../../src/errors.ts'
import { shareConnections } from '../../../src/store/postgres/connection-shares.ts'
import { until } from '../../until.ts'

/** Nearly a month: what still waits at the end of a test is not rejected. */
const PATIENCE = 2 ** 31 - 1

/** Calls in the order in which they began, by their merchants and numbers, as in `a1`. */
function recorder(size: number, patience = PATIENCE) {
  const inTurn = shareConnections(size, patience)
  const began: string[] = []
  const ends = new Map<string, () => void>()
  const settled = () => new Promise(setImmediate)
  return {
    began,
    call: (name: string, reference?: string) => {
      const work = () => {
        began.push(name)
        return new Promise<void>(resolve => ends.set(name, resolve))
      }
      return inTurn(work, name[0], reference)
    },
    end: async (...names: string[]) => {
      await settled()
      for (const name of names) {
        ends.get(name)?.()
        await settled()
      }
    },
    settled
  }
}

t.test(
  'a merchant has half of the connections, the next one half of the rest; there is always one for another',
  async t => {
    const cases: [size: number, began: string][] = [
      [8, 'a1 a2 a3 a4 b1 b2 c1 d1'],
      [5, 'a1 a2 a3 b1 c1'],
      [4, 'a1 a2 b1 c1'],
      [3, 'a1 a2 b1'],
      [2, 'a1 b1'],
      [1, 'a1']
    ]
    for (const [size, expected] of cases) {
      const { call, began, settled } = recorder(size)
      for (const merchant of ['a', 'b', 'c', 'd']) for (let n = 1; n < 9; n++) void call(`${merchant}${n}`)
      await settled()
      t.strictSame(began.join(' '), expected, `of ${size}`)
    }
  }
)

t.test('merchants take turns, whoever has the longer queue; each has its calls in order', async t => {
  const { call, began, end } = recorder(1)
  for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1']) void call(name)
  await end()
  for (let i = 0; i < 7; i++) await end(String(began[i]))
  t.strictSame(began, ['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4'])
})

t.test('of the calls under one reference one runs at a time, and those under others go past them', async t => {
  const { call, began, end } = recorder(8)
  for (const name of ['a1', 'a2', 'a3']) void call(name, 'x')
  void call('b1', 'x')
  void call('a4', 'y')
  void call('a5')
  await end()
  t.strictSame(began, ['a1', 'b1', 'a4', 'a5'], 'that of another merchant is another')
  await end('a1', 'a4')
  t.strictSame(began.slice(4), ['a2'])
  await end('a2')
  t.strictSame(began.slice(5), ['a3'])
})

t.test('a call that fails gives its connection back, and rejects as it did', async t => {
  const inTurn = shareConnections(1, PATIENCE)
  const wrong = new Error('wrong')
  t.equal(await inTurn(() => Promise.reject(wrong)).catch(error => error), wrong)
  t.equal(await inTurn(async () => 1), 1)
})

t.test('what waits for too long is rejected, and takes no turn', async t => {
  const { call, began, end } = recorder(1, 1)
  const first = call('a1')
  let late: unknown
  call('a2').catch(error => {
    late = error
  })
  await until('it to be rejected', () => late)
  t.match(late, new StoreUnavailable('PostgreSQL is too slow'))
  await end('a1')
  const next = call('a3')
  await end('a3')
  await Promise.all([first, next])
  t.strictSame(began, ['a1', 'a3'])
})

t.test('if many calls of a merchant wait, the next is refused at once, and no other merchant is', async t => {
  const { call, began, end } = recorder(2)
  void call('a1')
  const waiting = Array.from({ length: 500 }, (_, i) => call(`a${i + 2}`))
  await t.rejects(call('a502'), new StoreUnavailable('too many calls of a merchant wait'))
  void call('b1')
  await end()
  t.strictSame(began, ['a1', 'b1'])
  for (let i = 1; i <= 501; i++) await end(`a${i}`)
  await Promise.all(waiting)
})
