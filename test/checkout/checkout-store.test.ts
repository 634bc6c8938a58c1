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

for (const [what, change, now, state] of cases) {
  t.test(`${what}: ${state}`, t => {
    t.equal(checkoutState({ ...newCheckout('t1', { expiresAt }), ...change }, new Date(now)), state)
    t.end()
  })
}

const AT = new Date('2026-11-20T10:00:00.000Z')

t.test('a thousand tokens are all different, of 32 URL-safe characters', t => {
  const tokens = Array.from({ length: 1000 }, () => newToken(AT))
  t.equal(new Set(tokens).size, 1000)
  t.ok(tokens.every(token => /^[\w-]{32}$/.test(token)))
  t.equal(new Set(tokens.map(token => token.slice(8, 14))).size, 1000, 'what follows the time is random')
  t.end()
})

t.test('tokens sort by the time at which they were made', t => {
  const times = [0, 1, 35, 36, 1000, 86_400_000, 1e12].map(later => new Date(AT.getTime() + later))
  const tokens = times.map(newToken)
  t.strictSame(tokens.toSorted(), tokens)
  t.end()
})
