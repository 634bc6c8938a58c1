// What a series is given: the load generator, the servers, and where its results go.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bars, type FigureName, round } from './bars.ts'
import { temporaryFolder } from './children.ts'
import { generateFeed } from './generated-feed.ts'
import type { Job, LoadResult } from './load.ts'
import { type LoadClient, startLoad } from './load-client.ts'
import { type Spread, spreadOf } from './meter.ts'
import { type Servers, startServers } from './subjects.ts'

/** One row of the table of throughput; absent values are not measured. */
export type Row = {
  name: string
  perSecond: Spread
  /** Microseconds. */
  cpu: Spread
  bytes: number
  p50?: Spread
  p99?: Spread
  /** Resident memory of the server under load, in bytes. */
  rss?: number
}

export type Results = {
  figures: Partial<Record<FigureName, Spread>>
  rows: Record<string, Row>
  /** Sentences, by series. */
  notes: Record<string, string[]>
}

export type Bench = {
  isQuick: boolean
  /** Whether the series that takes minutes runs too. */
  withMillion: boolean
  folder: string
  products: number
  feed: string
  rounds: number
  load: LoadClient
  results: Results
  /** The name of the series that runs. */
  series: string
  /** The servers that most series share, started when the first asks for them. */
  servers: () => Promise<Servers>
  /** Adds a figure: a value for each round. */
  add: (name: FigureName, values: number[]) => void
  /** Adds a row to the table of throughput. */
  addRow: (id: string, name: string, results: LoadResult[], rss?: number) => void
  /** Adds a sentence to the report. */
  note: (text: string) => void
}

export function openBench(settings: Pick<Bench, 'isQuick' | 'withMillion'>): Bench {
  const folder = temporaryFolder()
  const products = settings.isQuick ? 10_000 : 100_000
  const feed = join(folder, 'feed.tsv')
  writeFileSync(feed, generateFeed(products))
  const results: Results = { figures: {}, rows: {}, notes: {} }
  let servers: Promise<Servers> | undefined
  const bench: Bench = {
    ...settings,
    folder,
    products,
    feed,
    rounds: settings.isQuick ? 3 : 5,
    load: startLoad(),
    results,
    series: '',
    servers: () => {
      servers ??= startServers(bench)
      return servers
    },
    add: (name, values) => {
      const spread = spreadOf(values)
      results.figures[name] = spread
      const { title, unit } = bars[name]
      console.log(`${title}: ${round(spread.median)} ${unit} (${round(spread.min)} to ${round(spread.max)})`)
    },
    addRow: (id, name, loads, rss) => {
      results.rows[id] = {
        name,
        perSecond: spreadOf(loads.map(({ perSecond }) => perSecond)),
        cpu: spreadOf(loads.map(({ cpuPerRequest }) => cpuPerRequest)),
        bytes: Number(loads[0]?.bytesPerAnswer),
        ...(rss !== undefined && { rss })
      }
    },
    note: text => {
      const list = results.notes[bench.series] ?? []
      results.notes[bench.series] = [...list, text]
      console.log(`  ${text}`)
    }
  }
  return bench
}

/** How long each job is measured in each round, in seconds, and how many answers at least. */
export type Pace = { rounds: number; warmUp: number; slice: number; least?: number }

/** Runs jobs in turn, the order reversed in every other round, so that a noisy moment does not meet always the same. */
export async function interleave<Name extends string>(
  { load }: Bench,
  jobs: Record<Name, Omit<Job, 'seconds' | 'warmUpSeconds'>>,
  { rounds, warmUp, slice, least }: Pace
): Promise<Record<Name, LoadResult[]>> {
  const names = Object.keys(jobs) as Name[]
  const results = Object.fromEntries(names.map(name => [name, [] as LoadResult[]])) as Record<Name, LoadResult[]>
  // The first run of each is only to warm it up: Node compiles what runs often.
  if (warmUp > 0) for (const name of names) await load.run({ ...jobs[name], least, warmUpSeconds: 0, seconds: warmUp })
  for (let round = 0; round < rounds; round++) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      results[name].push(await load.run({ ...jobs[name], least, warmUpSeconds: 0.1, seconds: slice }))
    }
  }
  return results
}

/** One value divided by another, round by round. */
export function ratios(over: number[], under: number[]): number[] {
  return over.map((value, round) => value / Number(under[round]))
}
