// How long an answer takes at half load: requests arrive at half of the rate that the server could do, whatever happens.
import { type Bench, interleave } from './bench.ts'
import type { Job, LoadResult } from './load.ts'
import { spreadOf } from './meter.ts'

/** Connections that are open at half load; a request that finds none waits, and its wait counts. */
const CONNECTIONS = 128
const PACE = { rounds: 5, warmUp: 0, slice: 1.5 }

type Load = Omit<Job, 'seconds' | 'warmUpSeconds'>

/** The same load at half of its limit. */
function halfOf(job: Load, saturated: LoadResult[]): Load {
  const { median } = spreadOf(saturated.map(({ perSecond }) => perSecond))
  return { ...job, mode: 'open', rate: median / 2, connections: CONNECTIONS }
}

/** p50 and p99 of what shoppers wait for, and of the same by Express. */
export async function measureLatency(bench: Bench): Promise<void> {
  const { jobs } = await bench.servers()
  const { '2B': query, 'option 1': json, Express: express } = jobs
  const loads = { '2B': query, 'option 1': json, Express: express }
  const names = Object.keys(loads) as (keyof typeof loads)[]
  const limits = await interleave(bench, loads, { rounds: 3, warmUp: 1, slice: 0.8 })
  const halves = Object.fromEntries(names.map(name => [name, halfOf(loads[name], limits[name])])) as typeof loads
  const results = await interleave(bench, halves, PACE)
  for (const name of names) {
    const of = (share: 'p50' | 'p99') => results[name].map(({ latencies }) => latencies[share])
    const [p50, p99] = [spreadOf(of('p50')), spreadOf(of('p99'))]
    const row = bench.results.rows[name]
    if (row) Object.assign(row, { p50, p99 })
    console.log(`  ${name}: p50 ${p50.median.toFixed(2)} ms, p99 ${p99.median.toFixed(2)} ms`)
    if (name === '2B') bench.add('p99', of('p99'))
  }
}
