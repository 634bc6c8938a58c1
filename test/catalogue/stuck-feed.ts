// Opens a feed whose reading hangs, and exits: while it hangs, or once it is given up, printing why. Run as a separate
// process: node stuck-feed.ts PIPE under-way|given-up
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { followFeed } from '../../src/catalogue/feed-catalogue.ts'

const [, , pipe = '', moment] = process.argv
const read = () => {
  if (moment === 'under-way') setTimeout(() => process.exit(1), 100)
  return createReadStream(pipe, { flags: 'r+' })
}
try {
  const events = { onLoad: () => {}, onFailure: () => {} }
  const patience = moment === 'given-up' ? 50 : 600_000
  await followFeed(import.meta.filename, events, 60_000, {}, { stat, read, patience })
} catch (error) {
  console.log((error as Error).message)
  process.exit(1)
}
