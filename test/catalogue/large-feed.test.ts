// A large feed: 50,000 products load without blocking requests.
import t from 'tap'
import { loadGenerated } from './generated-feed.ts'

const PRODUCTS = 50_000
t.test('50,000 products load and are found, without long blocks of the event loop', async t => {
  const { products, problems, wrong, turns, longestWait, milliseconds } = loadGenerated(PRODUCTS, t.testdir({}))
  t.strictSame({ products, problems, wrong }, { products: PRODUCTS, problems: 0, wrong: 0 })
  // Read in one go, the longest wait would be nearly the whole time, however slow the machine.
  const waits = `the longest wait was ${Math.round(longestWait)} of ${Math.round(milliseconds)} ms`
  t.ok(longestWait < milliseconds / 3, waits)
  t.ok(turns > 50, `${turns} turns of the event loop`)
})
