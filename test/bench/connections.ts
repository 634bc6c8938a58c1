// A new connection for each request, as a proxy without keep-alive opens them, against keep-alive; on the real disk and
// on slow ones.
import { join } from 'node:path'
import { type Bench, interleave, ratios } from './bench.ts'
import type { LoadResult } from './load.ts'
import { transfers } from './requests.ts'
import { compileSlowDisk, type Subject, startOurs, writeShops } from './subjects.ts'

const CLIENTS = 50
const LINES = 3

async function measureOn(bench: Bench, figure: 'fresh' | 'fresh-2' | 'fresh-8', ours: Subject, disk: string) {
  const bags = { option: '2B', lines: LINES, products: bench.products, path: '/two-b/cart' } as const
  const to = { port: ours.port, pid: ours.pid, connections: CLIENTS }
  const jobs = {
    'keep-alive': { ...to, mode: 'closed' as const, kind: transfers(bags) },
    fresh: { ...to, mode: 'fresh' as const, kind: transfers({ ...bags, connection: 'close' }) }
  }
  const results = await interleave(bench, jobs, { rounds: 5, warmUp: 1.5, slice: 1 })
  const perSecond = (list: LoadResult[]) => list.map(result => result.perSecond)
  bench.add(figure, ratios(perSecond(results.fresh), perSecond(results['keep-alive'])))
  for (const [name, list] of Object.entries(results)) {
    bench.addRow(`${figure} ${name}`, `ours, 2B, ${LINES} lines, ${CLIENTS} clients, ${name}, ${disk}`, list)
  }
}

export async function measureConnections(bench: Bench): Promise<void> {
  const { ours } = await bench.servers()
  await measureOn(bench, 'fresh', ours, 'real disk')
  const library = compileSlowDisk(bench.folder)
  if (library === undefined) return bench.note('There is no C compiler: slow disks are left out.')
  const merchants = writeShops(bench.folder, bench.feed, { 'two-b': '2B' })
  for (const wait of [2, 8] as const) {
    const env = { LD_PRELOAD: library, SLOW_DISK_MS: String(wait) }
    const slow = await startOurs({ merchants, database: join(bench.folder, `slow-${wait}.sqlite`), env })
    await measureOn(bench, `fresh-${wait}`, slow, `${wait} ms a sync`)
    await slow.stop()
  }
}
