// How much each can do: requests a second at saturation, CPU time per request, and what each further line costs.

import { bars, round } from './bars.ts'
import { type Bench, interleave, type Pace, ratios } from './bench.ts'
import { readProcess } from './children.ts'
import type { Job, LoadResult } from './load.ts'
import { spreadOf } from './meter.ts'
import { transfers } from './requests.ts'
import { CLIENTS, type JobName } from './subjects.ts'

const NAMES: Record<JobName, string> = {
  '2B': 'ours, 2B, 10 lines',
  'ceiling GET': 'bare node:http, GET',
  Express: 'Express, 2B, 10 lines',
  'option 1': 'ours, 1, 10 lines',
  'ceiling POST': 'bare node:http, POST',
  page: 'ours, page shown again, 10 lines'
}

/** Each ratio that has a bar: the load, and what it is compared with. */
const RATIOS = {
  '2B': ['2B', 'ceiling GET'],
  express: ['2B', 'Express'],
  'option-1': ['option 1', 'ceiling POST'],
  page: ['page', 'ceiling GET']
} as const

/** As many as `wrk -c32` has: with them, a server that syncs each commit waits for its disk now and then. */
const FEW_CLIENTS = 32

/** Of a request in each round, in microseconds. */
const cpuTimes = (list: LoadResult[]) => list.map(({ cpuPerRequest }) => cpuPerRequest)

/** The ratios, with many clients and with few: the less flattering counts. */
export async function measureRatios(bench: Bench): Promise<void> {
  const { jobs } = await bench.servers()
  const names = Object.keys(jobs) as JobName[]
  const measure = async (clients: number, pace: Pace) => {
    const loads = names.map(name => [name, { ...jobs[name], connections: clients }])
    return { clients, results: await interleave(bench, Object.fromEntries(loads) as typeof jobs, pace) }
  }
  const { rounds, isQuick } = bench
  const many = await measure(CLIENTS, {
    rounds,
    ...(isQuick ? { warmUp: 2.5, slice: 0.3, least: 2000 } : { warmUp: 2.5, slice: 1.2 })
  })
  const few = isQuick ? [] : [await measure(FEW_CLIENTS, { rounds, warmUp: 0, slice: 1.2 })]
  for (const name of names) bench.addRow(name, NAMES[name], many.results[name], readProcess(jobs[name].pid).rss)
  for (const [name, [ours, other]] of Object.entries(RATIOS)) {
    const figure = name as keyof typeof RATIOS
    const measured = [many, ...few].map(({ clients, results }) => {
      const values = ratios(cpuTimes(results[other]), cpuTimes(results[ours]))
      return { clients, values, median: spreadOf(values).median }
    })
    const [worst, ...better] = measured.toSorted((a, b) => a.median - b.median)
    bench.add(figure, worst?.values ?? [])
    for (const { clients, median } of better) {
      bench.note(`${bars[figure].title}: with ${worst?.clients} clients; with ${clients} it is ${round(median)}.`)
    }
  }
  const [bytes, expressBytes] = (['2B', 'Express'] as const).map(name => many.results[name][0]?.bytesPerAnswer)
  bench.note(`A page of 10 lines has ${bytes} bytes, that of Express ${expressBytes}.`)
  for (const name of names) {
    const busiest = Math.max(...many.results[name].map(({ ownCpuShare }) => ownCpuShare))
    if (busiest > 0.9) bench.note(`The load generator was at its limit for "${NAMES[name]}": it could do more.`)
  }
}

/** Lines of bags by each option; the longest that fits into a URL of 2,048 characters is 47 lines. */
const LINES = { '2A': [10, 100, 500], '2B': [10, 40] }
const PATHS = { '2A': '/two-a/cart', '2B': '/two-b/cart' }

/** What a further line costs. */
export async function measureLines(bench: Bench): Promise<void> {
  const { ours } = await bench.servers()
  const jobs: Record<string, Omit<Job, 'seconds' | 'warmUpSeconds'>> = {}
  const idOf = (option: keyof typeof LINES, lines: number) => `${option}, ${lines} lines`
  for (const option of ['2A', '2B'] as const) {
    for (const lines of LINES[option]) {
      const kind = transfers({ option, lines, products: bench.products, path: PATHS[option] })
      jobs[idOf(option, lines)] = { port: ours.port, pid: ours.pid, mode: 'closed', connections: FEW_CLIENTS, kind }
    }
  }
  const results = await interleave(bench, jobs, { rounds: 3, warmUp: 0.8, slice: 1 })
  for (const [id, list] of Object.entries(results)) bench.addRow(`lines ${id}`, `ours, ${id}`, list)
  const cpuOf = (option: keyof typeof LINES, lines: number) => cpuTimes(results[idOf(option, lines)] ?? [])
  const perLine = (option: keyof typeof LINES, from: number, to: number) => {
    const less = cpuOf(option, from)
    return cpuOf(option, to).map((more, round) => (more - Number(less[round])) / (to - from))
  }
  bench.add('line', perLine('2A', 10, 500))
  bench.add('line-2B', perLine('2B', 10, 40))
  bench.add('linear', ratios(perLine('2A', 100, 500), perLine('2A', 10, 100)))
}
