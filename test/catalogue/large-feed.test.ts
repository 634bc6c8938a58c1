// A large feed: 100,000 products load, and requests get their turn meanwhile.
import t from 'tap'
import { loadGenerated } from './generated-feed.ts'

const PRODUCTS = 100_000
t.test('100,000 products load, each is found, and nobody waits long meanwhile', async t => {
  const { products, problems, wrong, turns, longestWait, milliseconds } = loadGenerated(PRODUCTS, t.testdir({}))
  t.strictSame({ products, problems, wrong }, { products: PRODUCTS, problems: 0, wrong: 0 })
  // Read in one piece, the longest wait would be nearly all of it, however slow the machine.
  const waits = `the longest wait was ${Math.round(longestWait)} of ${Math.round(milliseconds)} ms`
  t.ok(longestWait < milliseconds / 3, waits)
  t.ok(turns > 50, `others had ${turns} turns`)
})
