// The process: how fast it starts, and how much memory and disk it takes.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import type { Bench } from './bench.ts'
import { readProcess } from './children.ts'
import { spreadOf } from './meter.ts'
import { transfers } from './requests.ts'
import { recordAnswer, type Subject, startOurs, writeShops } from './subjects.ts'

const STARTS = 7
const TEN_THOUSAND = 10_000
/** For the demo merchant whose option is a GET. */
const DEMO_BAG = '/kissa/cart?item_0_sku=KM-0001&item_0_quantity=1&currency=JPY&reference=start'
const HUNDRED_THOUSAND = 100_000
const MILLION = 1_000_000
const CLIENTS = 32

const megabytes = (bytes: number) => bytes / 1e6

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
  const merchants = writeShops(bench.folder, bench.feed, { only: '2B' })
  const ours = await startOurs({ merchants, database })
  const idle = Math.round(megabytes(await idleMemory(ours)))
  bench.note(`With one merchant of ${bench.products} products it idles at ${idle} MB.`)
  const empty = sizeOf(database)
  const kind = transfers({ option: '2B', lines: 10, products: bench.products, path: '/only/cart' })
  const { port, pid } = ours
  const job = { port, pid, mode: 'closed', kind, connections: CLIENTS, warmUpSeconds: 0, seconds: 3600 } as const
  const send = (count: number) => bench.load.run({ ...job, count })
  await send(TEN_THOUSAND)
  bench.add('store', [(sizeOf(database) - empty) / TEN_THOUSAND / 1000])
  const memory = () => megabytes(readProcess(pid).rss)
  bench.note(`After 10,000 transfers it has ${Math.round(memory())} MB.`)
  if (bench.withMillion) {
    await send(HUNDRED_THOUSAND - TEN_THOUSAND)
    const early = memory()
    await send(MILLION - HUNDRED_THOUSAND)
    bench.add('million', [memory() / early])
    const peak = megabytes(readProcess(pid).peak)
    bench.note(`After a million it has ${Math.round(memory())} MB, and had ${Math.round(peak)} at its peak.`)
  }
  await ours.stop()
}
