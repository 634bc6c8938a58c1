// A large feed: 100,000 products load, and requests get their turn meanwhile.
import t from 'tap'
import { loadGenerated } from './generated-feed.ts'

const PRODUCTS = 100_000
/** In milliseconds: machines are noisy, and the collection of garbage has its pauses. In one piece it takes a second. */
const LONGEST_WAIT = 300

t.test('100,000 products load, each is found, and nobody waits long meanwhile', async t => {
  const { products, problems, wrong, turns, longestWait } = loadGenerated(PRODUCTS, t.testdir({}))
  t.strictSame({ products, problems, wrong }, { products: PRODUCTS, problems: 0, wrong: 0 })
  t.ok(longestWait < LONGEST_WAIT, `the longest wait was ${Math.round(longestWait)} ms`)
  t.ok(turns > 50, `others had ${turns} turns`)
})
