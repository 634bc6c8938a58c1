// A large feed: its products load without blocking requests, and each is found.
import { join } from 'node:path'
import t from 'tap'
import { followFeed } from '../../src/catalogue/feed-file.ts'
import { availabilityOf, generateFeed } from './generated-feed.ts'

const PRODUCTS = 20_000

t.test('20,000 products load in many turns of the event loop, and are found', async t => {
  const feed = generateFeed(PRODUCTS)
  const file = join(t.testdir({ 'feed.tsv': feed }), 'feed.tsv')
  let turns = 0
  let isLoading = true
  const turn = () => {
    turns += 1
    if (isLoading) setImmediate(turn)
  }
  setImmediate(turn)
  const loads: object[] = []
  const events = { onLoad: (loaded: object) => void loads.push(loaded), onFailure: (error: Error) => t.error(error) }
  const catalogue = await followFeed(file, events, 60_000)
  isLoading = false
  t.match(loads, [{ products: PRODUCTS, problemCount: 0 }])
  t.ok(turns > feed.length / (32 * 1024), `${turns} turns of the event loop`)
  const wrong = Array.from({ length: PRODUCTS }, (_, i) => i).filter(i => {
    const offer = catalogue.product(`SKU-${i}`)?.offers.GBP
    return offer?.price !== i || offer.availability !== availabilityOf(i)
  })
  t.strictSame(wrong, [])
  await catalogue.close()
})
