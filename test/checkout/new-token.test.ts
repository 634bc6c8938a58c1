// Tokens are random: none comes twice, and each can be put into a URL as it is.
import t from 'tap'
import { newToken } from '../../src/checkout/new-token.ts'

t.test('a thousand tokens are all different, of 32 URL-safe characters', t => {
  const tokens = Array.from({ length: 1000 }, newToken)
  t.equal(new Set(tokens).size, 1000)
  t.ok(tokens.every(token => /^[\w-]{32}$/.test(token)))
  t.equal(new Set(tokens.map(token => token.slice(0, 6))).size, 1000, 'no two share their beginning')
  t.end()
})
