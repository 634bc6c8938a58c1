// The state of a checkout, and its token.
import t from 'tap'
import { checkoutState, newToken } from '../../src/checkout/checkout-store.ts'
import { newCheckout } from '../store/store-suite.ts'

const expiresAt = '2026-11-21T10:00:00.000Z'
const supersededAt = '2026-11-20T12:00:00.000Z'
const orderNumber = '7KQM-3XH9'

const cases = [
  ['long before it expires', {}, '2026-11-20T10:00:00.000Z', 'open'],
  ['a moment before it expires', {}, '2026-11-21T09:59:59.999Z', 'open'],
  ['at the moment it expires', {}, expiresAt, 'expired'],
  ['after it has expired', {}, '2027-01-01T00:00:00.000Z', 'expired'],
  ['superseded', { supersededAt }, '2026-11-20T13:00:00.000Z', 'superseded'],
  ['superseded and expired', { supersededAt }, '2027-01-01T00:00:00.000Z', 'superseded'],
  ['placed', { orderNumber }, '2026-11-20T13:00:00.000Z', 'placed'],
  ['placed and expired', { orderNumber }, '2027-01-01T00:00:00.000Z', 'placed'],
  ['placed and superseded', { orderNumber, supersededAt }, '2026-11-20T13:00:00.000Z', 'placed'],
  ['placed, superseded and expired', { orderNumber, supersededAt }, '2027-01-01T00:00:00.000Z', 'placed']
] as const

t.test('placed takes precedence over superseded, superseded over expired', async t => {
  for (const [what, change, now, state] of cases) {
    t.equal(checkoutState({ ...newCheckout('t1', { expiresAt }), ...change }, new Date(now)), state, what)
  }
})

t.test('tokens sort by the time at which they were made', t => {
  const times = [0, 1, 35, 36, 1000, 86_400_000, 1e12].map(
    later => new Date(Date.parse('2026-11-20T10:00:00.000Z') + later)
  )
  const tokens = times.map(newToken)
  t.strictSame(tokens.toSorted(), tokens)
  t.end()
})
