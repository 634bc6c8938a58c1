// Loads a generated feed, looks up each product, and prints time and memory as JSON. Run as a separate process:
// node --expose-gc test/catalogue/load-feed.ts FILE
import { followFeed } from '../../src/catalogue/feed-file.ts'
import { availabilityOf } from './generated-feed.ts'

export type Loading = {
  products: number
  problems: number
  milliseconds: number
  /** Turns of the event loop during the load, and the longest time between two, in milliseconds. */
  turns: number
  longestWait: number
  /** Products that are missing, or differ from those generated. */
  wrong: number
  /** Bytes kept on the heap after garbage collection, and resident memory of the process. */
  heapGrowth: number
  rssGrowth: number
}

const [, , file = ''] = process.argv
globalThis.gc?.()
const before = process.memoryUsage()

let turns = 0
let longestWait = 0
let last = performance.now()
const timer = setInterval(() => {
  const now = performance.now()
  longestWait = Math.max(longestWait, now - last)
  last = now
  turns++
}, 1)
let loaded = { products: 0, problems: 0, milliseconds: 0 }
const catalogue = await followFeed(
  file,
  {
    onLoad: ({ products, problemCount, milliseconds }) => {
      loaded = { products, problems: problemCount, milliseconds }
    },
    onFailure: error => console.error(error)
  },
  60_000
)
clearInterval(timer)
globalThis.gc?.()
const after = process.memoryUsage()

let wrong = 0
for (let i = 0; i < loaded.products; i++) {
  const offer = catalogue.product(`SKU-${i}`)?.offers.GBP
  if (offer?.price !== i || offer.availability !== availabilityOf(i)) wrong++
}
const heapGrowth = after.heapUsed - before.heapUsed
const rssGrowth = after.rss - before.rss
const loading: Loading = { ...loaded, turns, longestWait, wrong, heapGrowth, rssGrowth }
console.log(JSON.stringify(loading))
await catalogue.close()
