// Opens a feed whose reading hangs, prints why that failed, and exits. Run as a separate process: node stuck-feed.ts PIPE
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { followFeed } from '../../src/catalogue/feed-catalogue.ts'

const [, , pipe = ''] = process.argv
const read = () => createReadStream(pipe, { flags: 'r+' })
try {
  const events = { onLoad: () => {}, onFailure: () => {} }
  await followFeed(import.meta.filename, events, 60_000, { stat, read, patience: 50 })
} catch (error) {
  console.log((error as Error).message)
  process.exit(1)
}
