// The state of a checkout, and its token.
import t from 'tap'
import { checkoutState, tokenSource } from '../../src/checkout/checkout-store.ts'
import { MAX_TOKEN } from '../../src/transfer/option.ts'
import { newCheckout } from '../store/store-suite.ts'

const expiresAt = '2026-11-21T10:00:00.000Z'
const supersededAt = '2026-11-20T12:00:00.000Z'
const orderNumber = '7KQM-3XH9'

const cases = [
  ['a moment before it expires', {}, '2026-11-21T09:59:59.999Z', 'open'],
  ['at the moment it expires', {}, expiresAt, 'expired'],
  ['superseded', { supersededAt }, '2026-11-20T13:00:00.000Z', 'superseded'],
  ['superseded and expired', { supersededAt }, '2027-01-01T00:00:00.000Z', 'superseded'],
  ['placed', { orderNumber }, '2026-11-20T13:00:00.000Z', 'placed'],
  ['placed, superseded and expired', { orderNumber, supersededAt }, '2027-01-01T00:00:00.000Z', 'placed']
] as const

t.test('placed takes precedence over superseded, superseded over expired', async t => {
  for (const [what, change, now, state] of cases) {
    t.equal(checkoutState({ ...newCheckout('t1', { expiresAt }), ...change }, new Date(now)), state, what)
  }
})

t.test('tokens sort by the time at which they were made', async t => {
  const times = [0, 1, 35, 36, 1000, 86_400_000, 1e12].map(
    later => new Date(Date.parse('2026-11-20T10:00:00.000Z') + later)
  )
  const tokens = times.map(tokenSource())
  t.strictSame(tokens.toSorted(), tokens)
})

t.test('a token has at least 128 random bits, is URL-safe and unique', async t => {
  const newToken = tokenSource()
  const tokens = Array.from({ length: 500 }, () => newToken(new Date(expiresAt)))
  t.equal(new Set(tokens).size, 500)
  t.ok(tokens.every(token => /^[A-Za-z0-9_-]+$/.test(token) && token.length <= MAX_TOKEN))
  const random = tokens.map(token => token.slice(8))
  t.ok(
    random.every(({ length }) => length * 6 >= 128),
    '6 bits per character'
  )
  const fewest = Math.min(...Array.from({ length: 24 }, (_, i) => new Set(random.map(text => text[i])).size))
  t.ok(fewest > 40, `every character takes nearly all of its 64 values: at least ${fewest}`)
})
