// How long an answer takes at half load: requests arrive at half of the rate that the server could do, whatever happens.
import { type Bench, interleave } from './bench.ts'
import { spreadOf } from './latencies.ts'
import type { Job, LoadResult } from './load.ts'
import { transfers } from './requests.ts'
import { CLIENTS, type JobName } from './servers.ts'

/** Connections that are open at half load; a request that finds none waits, and its wait counts. */
const CONNECTIONS = 128
const PACE = { rounds: 5, warmUp: 0, slice: 1.5 }

type Load = Omit<Job, 'seconds' | 'warmUpSeconds'>

/** The same load at half of its limit. */
function halfOf(job: Load, saturated: LoadResult[]): Load {
  const { median } = spreadOf(saturated.map(({ perSecond }) => perSecond))
  return { ...job, mode: 'open', rate: median / 2, connections: CONNECTIONS }
}

async function measureHalf<Name extends string>(bench: Bench, jobs: Record<Name, Load>) {
  const limits = await interleave(bench, jobs, { rounds: 3, warmUp: 1, slice: 0.8 })
  const names = Object.keys(jobs) as Name[]
  const halves = Object.fromEntries(names.map(name => [name, halfOf(jobs[name], limits[name])])) as Record<Name, Load>
  return interleave(bench, halves, PACE)
}

const p99 = (results: LoadResult[], kind: string) => results.map(({ latencies }) => Number(latencies[kind]?.p99))
const p50 = (results: LoadResult[], kind: string) => results.map(({ latencies }) => Number(latencies[kind]?.p50))

/** p50 and p99 of each job whose ratio counts. */
export async function measureLatency(bench: Bench): Promise<void> {
  const { jobs } = await bench.servers()
  const results = await measureHalf(bench, jobs)
  for (const name of Object.keys(jobs) as JobName[]) {
    const kind = String(jobs[name].kinds[0]?.name)
    const row = bench.results.rows[name]
    const [middle, late] = [spreadOf(p50(results[name], kind)), spreadOf(p99(results[name], kind))]
    if (row) Object.assign(row, { p50: middle, p99: late })
    else console.log(`  ${name}: p50 ${middle.median.toFixed(2)} ms, p99 ${late.median.toFixed(2)} ms`)
  }
  bench.add('p99', p99(results['2B'], String(jobs['2B'].kinds[0]?.name)))
}

/** Small bags through option 2A, one in a hundred with 500 lines among them. */
export async function measureMixed(bench: Bench): Promise<void> {
  const { ours } = await bench.servers()
  const bags = { option: '2A', products: bench.products, path: '/two-a/cart' } as const
  const small = transfers({ ...bags, lines: 10 })
  const large = { ...transfers({ ...bags, lines: 500 }), every: 100 }
  const { port, pid } = ours
  const mixed: Load = { port, pid, mode: 'closed', connections: CLIENTS, kinds: [large, small] }
  const results = await measureHalf(bench, { mixed })
  bench.add('mixed', p99(results.mixed, small.name))
}
