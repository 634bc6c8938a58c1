// A feed of a million products: how long it takes to load, how much memory at its peak, and how long requests wait while
// it is loaded again.
import { readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { round as rounded } from './bars.ts'
import type { Bench } from './bench.ts'
import { readProcess } from './children.ts'
import { generateFeed } from './generated-feed.ts'
import type { Job } from './load.ts'
import { transfers } from './requests.ts'
import { type Subject, startOurs, writeShops } from './subjects.ts'

const PRODUCTS = 1_000_000
/** Requests a second while it reloads: each that is late tells of a pause. */
const RATE = 200
const ROUNDS = 3
/** The feed is checked every two seconds, and reloaded once two checks in a row find the same change. */
const NOTICED_WITHIN = 5

/** Milliseconds that each load took, by the server's log. */
function loadsIn(log: string): number[] {
  return Array.from(readFileSync(log, 'utf8').matchAll(/"durationMs":(\d+),"msg":"feed loaded"/g), ([, ms]) =>
    Number(ms)
  )
}

export async function measureLargeFeed(bench: Bench): Promise<void> {
  const feed = join(bench.folder, 'million.tsv')
  writeFileSync(feed, generateFeed(PRODUCTS))
  const merchants = writeShops(bench.folder, feed, { large: '2B' })
  const loads: { server: Subject; log: string; seconds: number; peak: number }[] = []
  for (let round = 1; round <= ROUNDS; round++) {
    await loads.at(-1)?.server.stop()
    const log = join(bench.folder, `large-${round}.log`)
    const server = await startOurs({ merchants, database: join(bench.folder, 'large.sqlite'), log, isFree: true })
    loads.push({ server, log, seconds: Number(loadsIn(log)[0]) / 1000, peak: readProcess(server.pid).peak / 1e6 })
  }
  const longestLoad = Math.max(...loads.map(({ seconds }) => seconds))
  const of = (name: 'seconds' | 'peak') => loads.map(load => load[name])
  bench.add('feed-load', of('seconds'))
  bench.add('feed-memory', of('peak'))

  // The last one stays, to be reloaded.
  const { server, log } = loads.at(-1) as (typeof loads)[number]
  const kind = transfers({ option: '2B', lines: 10, products: PRODUCTS, path: '/large/cart' })
  const { port, pid } = server
  const load = { port, pid, mode: 'open', kind, connections: 64, rate: RATE, warmUpSeconds: 2 } satisfies Partial<Job>
  const longest = async (duration: number) => {
    const { latencies } = await bench.load.run({ ...load, seconds: duration })
    return Number(latencies.max)
  }
  const quiet = await longest(3)
  const pauses: number[] = []
  for (let round = 1; round <= ROUNDS; round++) {
    utimesSync(feed, round, round)
    pauses.push(await longest(NOTICED_WITHIN + 2 * longestLoad))
    if (loadsIn(log).length !== round + 1) bench.note('A reload took longer than it was watched.')
  }
  bench.add('feed-pause', pauses)
  bench.note(`Without a reload of the large feed, at the same rate, the longest pause was ${rounded(quiet)} ms.`)
  bench.note(`After ${ROUNDS} reloads the memory at its peak was ${Math.round(readProcess(pid).peak / 1e6)} MB.`)
  await server.stop()
}
