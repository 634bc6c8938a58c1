// Tokens are random: none comes twice, and each can be put into a URL as it is.
import t from 'tap'
import { newToken } from '../../src/checkout/new-token.ts'

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
