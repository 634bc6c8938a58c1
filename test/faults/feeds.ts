// Feeds that vanish and that are cut in half, as files and at an address, while bags arrive.
import { renameSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { FEED } from '../build.ts'
import type { Cleanup } from '../server-process.ts'
import { until } from '../until.ts'
import type { Fault, FaultParts, Result } from './fault.ts'
import { faultRounds } from './rounds.ts'
import { startLoad } from './shopper.ts'

export const feeds: Fault = {
  name: 'feeds',
  what: 'feeds vanish, are cut in half, and come back; two files and an address, under load',
  rule: 'the last good feed stays in use: every bag is taken, and the log says what is wrong',
  stores: ['SQLite'],
  rounds: 1,
  run: spoilFeeds
}

const ANSWERS = 60
/** A few: a feed is looked at every two seconds. */
const SHOPPERS = 2
/** With the products of the bags at its end, so that half of the feed has none of them. */
const [HEAD = '', ...ROWS] = FEED.split('\n')
const OTHERS = Array.from({ length: 1000 }, (_, i) => `OTHER-${i}\tAnother product\t\tin_stock\t9.00 GBP\t`)
const WHOLE = [HEAD, ...OTHERS, ...ROWS, ''].join('\n')
/** Just less than half of the products: a feed that lacks fewer than `maxShrink` allows is loaded. */
const HALF = WHOLE.slice(0, WHOLE.length * 0.48)

/** An address is asked every minute at most: here a hundred times as often. */
const HURRY = `
  const { setTimeout } = globalThis
  globalThis.setTimeout = (work, time, ...rest) => setTimeout(work, time >= 60_000 ? time / 100 : time, ...rest)`

type State = 'whole' | 'gone' | 'cut' | 'half'

/** What the log says of the files and of the address in each state, in the order in which they come. */
const STEPS: { state: State; file: RegExp; address: RegExp }[] = [
  { state: 'gone', file: /ENOENT/, address: /feed not fetched/ },
  { state: 'cut', file: /changed feed not loaded/, address: /feed not fetched/ },
  { state: 'half', file: /changed feed not loaded/, address: /changed feed not loaded/ },
  { state: 'whole', file: /feed loaded/, address: /feed loaded/ }
]

async function spoilFeeds(parts: FaultParts): Promise<Result> {
  const address = await serveFeed(parts.cleanup)
  let file!: string
  return faultRounds(
    parts,
    async ({ ledger, server }) => {
      const load = startLoad(server.origin, ledger, SHOPPERS)
      for (const step of STEPS) {
        const from = server.output().out.length
        setFile(file, step.state)
        address.set(step.state)
        const lines = () => server.output().out.slice(from).split('\n')
        const isSaid = (merchant: string, words: RegExp) =>
          lines().some(line => line.includes(`"merchant":"${merchant}"`) && words.test(line))
        await until(`the log to say what is wrong with feeds that are ${step.state}`, () => isSaid('shop-1', step.file))
        await until(`the log to say what is wrong with one that is ${step.state}`, () =>
          isSaid('shop-2a', step.address)
        )
        await load.more(ANSWERS)
        parts.say(`${step.state}: ${ledger.entries.length} bags`)
      }
      await load.stop()
    },
    {
      settingsOf: id => (id === 'shop-2a' ? { catalogue: { feed: address.url, refreshMinutes: 1 } } : {}),
      start: site => {
        file = join(site.folder, 'feed.tsv')
        writeFileSync(file, WHOLE)
        return site.start({}, HURRY)
      }
    }
  )
}

/** A file has no connection that breaks: it is cut by what writes it. */
function setFile(file: string, state: State): void {
  if (state === 'gone') renameSync(file, `${file}.gone`)
  else writeFileSync(file, { whole: WHOLE, cut: WHOLE.slice(0, 10), half: HALF }[state])
}

async function serveFeed(cleanup: Cleanup) {
  let state: State = 'whole'
  const server = createServer((request, response) => {
    if (state === 'gone') return void request.destroy()
    const body = state === 'whole' ? WHOLE : HALF
    response.writeHead(200, {
      'content-type': 'text/tab-separated-values',
      'content-length': Buffer.byteLength(state === 'cut' ? WHOLE : body)
    })
    if (state === 'cut') response.write(body, () => response.destroy())
    else response.end(body)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  cleanup.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/feed.tsv`,
    set: (next: State) => {
      state = next
    }
  }
}
