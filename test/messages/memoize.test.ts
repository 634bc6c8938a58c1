// A result is worked out once for each argument, and only so many are kept.
import t from 'tap'
import { memoize } from '../../src/messages/memoize.ts'

/** Doubles a number; `asked` has the numbers that it was worked out for. */
function doubling(max?: number) {
  const asked: number[] = []
  const double = memoize((n: number) => {
    asked.push(n)
    return n * 2
  }, max)
  return { asked, double }
}

t.test('a result is worked out once', t => {
  const { asked, double } = doubling()
  t.strictSame([1, 2, 1, 2, 1].map(double), [2, 4, 2, 4, 2])
  t.strictSame(asked, [1, 2])
  t.end()
})

t.test('beyond the maximum it starts afresh', t => {
  const { asked, double } = doubling(2)
  t.strictSame([1, 2, 1, 3, 3, 1].map(double), [2, 4, 2, 6, 6, 2])
  t.strictSame(asked, [1, 2, 3, 1])
  t.end()
})
