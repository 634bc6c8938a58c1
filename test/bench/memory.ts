// The process: how fast it starts, and how much memory and disk it takes.
import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { generateFeed } from '../catalogue/generated-feed.ts'
import { round } from './bars.ts'
import type { Bench } from './bench.ts'
import { spreadOf } from './latencies.ts'
import { readProcess } from './measure-process.ts'
import { transfers } from './requests.ts'
import { recordAnswer, type Subject, startOurs, writeShops } from './subjects.ts'

const STARTS = 7
const FURTHER_MERCHANTS = 40
const TEN_THOUSAND = 10_000
/** For the demo merchant whose option is a GET. */
const DEMO_BAG = '/kissa/cart?item_0_sku=KM-0001&item_0_quantity=1&currency=JPY&reference=start'
const MILLION = 1_000_000
const CLIENTS = 32

const megabytes = (bytes: number) => bytes / 1e6
const pause = (milliseconds: number) => new Promise(resolve => setTimeout(resolve, milliseconds))

/** Resident memory once a started server has been quiet for a moment. */
async function idleMemory({ pid }: Subject): Promise<number> {
  await pause(500)
  return readProcess(pid).rss
}

/** The demo merchants: from the start of the process to its first answer, and its memory then. */
export async function measureStart(bench: Bench): Promise<void> {
  const times: number[] = []
  const pages: number[] = []
  const cpu: number[] = []
  const memory: number[] = []
  for (let i = 0; i < STARTS; i++) {
    const demo = await startOurs({ merchants: [], database: join(bench.folder, `demo-${i}.sqlite`), isFree: true })
    const { cpuMs } = readProcess(demo.pid)
    const before = performance.now()
    await recordAnswer(demo.port, DEMO_BAG)
    times.push(demo.startedIn)
    cpu.push(cpuMs)
    pages.push(demo.startedIn + performance.now() - before)
    memory.push(megabytes(await idleMemory(demo)))
    await demo.stop()
  }
  bench.add('start', times)
  bench.note(`A start takes ${Math.round(spreadOf(cpu).median)} ms of CPU time.`)
  bench.note(`The first checkout page was there after ${Math.round(spreadOf(pages).median)} ms.`)
  bench.add('idle', memory)
}

/** Many merchants with 1,000 products each, against one. */
export async function measureMerchants(bench: Bench): Promise<void> {
  const feed = join(bench.folder, 'thousand.tsv')
  writeFileSync(feed, generateFeed(1000))
  const shops = Array.from({ length: 1 + FURTHER_MERCHANTS }, (_, i) => ({ id: `shop-${i}`, option: '2B' as const }))
  const merchants = writeShops(bench.folder, feed, shops)
  const values: number[] = []
  const starts: number[] = []
  for (let i = 0; i < 3; i++) {
    const database = join(bench.folder, 'merchants.sqlite')
    const one = await startOurs({ merchants: merchants.slice(0, 1), database })
    const less = await idleMemory(one)
    await one.stop()
    const many = await startOurs({ merchants, database })
    values.push(megabytes((await idleMemory(many)) - less) / FURTHER_MERCHANTS)
    starts.push(many.startedIn)
    await many.stop()
  }
  bench.add('merchant', values)
  bench.note(`${shops.length} merchants of 1,000 products start in ${round(spreadOf(starts).median / 1000)} s.`)
}

/** What a database takes, its log included. @returns bytes */
function sizeOf(file: string): number {
  const db = new DatabaseSync(file)
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  db.close()
  return statSync(file).size
}

/** Memory after many transfers of 10 lines through option 2B, and what they take on disk. */
export async function measureTransfers(bench: Bench): Promise<void> {
  const database = join(bench.folder, 'transfers.sqlite')
  const merchants = writeShops(bench.folder, bench.feed, [{ id: 'only', option: '2B' }])
  const ours = await startOurs({ merchants, database })
  bench.note(
    `With one merchant of ${bench.products} products it idles at ${Math.round(megabytes(await idleMemory(ours)))} MB.`
  )
  const empty = sizeOf(database)
  const kind = transfers({ option: '2B', lines: 10, products: bench.products, path: '/only/cart' })
  const { port, pid } = ours
  const send = (count: number) =>
    bench.load.run({
      port,
      pid,
      mode: 'closed',
      kinds: [kind],
      connections: CLIENTS,
      warmUpSeconds: 0,
      seconds: 3600,
      count
    })
  await send(TEN_THOUSAND)
  bench.add('ten-thousand', [megabytes(readProcess(pid).rss)])
  bench.add('store', [(sizeOf(database) - empty) / TEN_THOUSAND / 1000])
  if (bench.withMillion) {
    await send(MILLION - TEN_THOUSAND)
    bench.add('million', [megabytes(readProcess(pid).rss)])
    bench.note(`The most memory over a million transfers was ${Math.round(megabytes(readProcess(pid).peak))} MB.`)
  }
  await ours.stop()
}
