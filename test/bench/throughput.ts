// How much each can do: requests a second at saturation, CPU time per request, and what each further line costs.
import { addRatio, type Bench, interleave, ratios } from './bench.ts'
import { spreadOf } from './latencies.ts'
import type { Job, LoadResult } from './load.ts'
import { readProcess } from './measure-process.ts'
import { type Bags, transfers } from './requests.ts'
import type { JobName, Servers } from './servers.ts'

const NAMES: Record<JobName, string> = {
  '2B': 'ours, 2B, 10 lines',
  'ceiling GET': 'bare node:http, GET',
  Express: 'Express, 2B, 10 lines',
  'option 1': 'ours, 1, 10 lines',
  'ceiling POST': 'bare node:http, POST',
  page: 'ours, page shown again, 10 lines'
}

const cpu = (results: LoadResult[]) => results.map(({ cpuPerRequest }) => cpuPerRequest)

/** Each of the four ratios that have a bar. */
export async function measureRatios(bench: Bench): Promise<void> {
  const { jobs } = await bench.servers()
  const pace = bench.isQuick ? { rounds: 3, warmUp: 1, slice: 0.25 } : { rounds: bench.rounds, warmUp: 2.5, slice: 1.2 }
  const results = await interleave(bench, jobs, pace)
  for (const name of Object.keys(jobs) as JobName[]) {
    bench.addRow(name, NAMES[name], results[name], readProcess(jobs[name].pid).rss)
  }
  addRatio(bench, '2B', results['2B'], results['ceiling GET'])
  addRatio(bench, 'express', results['2B'], results.Express)
  addRatio(bench, 'option-1', results['option 1'], results['ceiling POST'])
  addRatio(bench, 'page', results.page, results['ceiling GET'])
  const [bytes, expressBytes] = [results['2B'][0], results.Express[0]].map(result => result?.bytesPerAnswer)
  bench.note(`A page of 10 lines has ${bytes} bytes, that of Express ${expressBytes}.`)
  if (!bench.isQuick) await noteFewClients(bench, jobs)
  for (const [name, list] of Object.entries(results) as [JobName, LoadResult[]][]) {
    const busiest = Math.max(...list.map(({ ownCpuShare }) => ownCpuShare))
    if (busiest > 0.9) bench.note(`The load generator was at its limit for "${NAMES[name]}": it could do more.`)
  }
}

/** As many as `wrk -c32` has. Ours is not saturated then: a tenth of the time its core waits for the disk. */
const FEW_CLIENTS = 32

/** Tells the ratios with few clients, which have no bar, beside those at saturation. */
async function noteFewClients(bench: Bench, jobs: Servers['jobs']): Promise<void> {
  const withFew = (name: JobName) => ({ ...jobs[name], connections: FEW_CLIENTS })
  const few = {
    '2B': withFew('2B'),
    'ceiling GET': withFew('ceiling GET'),
    'option 1': withFew('option 1'),
    'ceiling POST': withFew('ceiling POST')
  }
  const results = await interleave(bench, few, { rounds: bench.rounds, warmUp: 0, slice: 1.2 })
  const perSecond = (name: keyof typeof few) => results[name].map(result => result.perSecond)
  const ratio = (name: keyof typeof few, ceiling: keyof typeof few) =>
    spreadOf(ratios(perSecond(name), perSecond(ceiling))).median.toFixed(3)
  const [query, json] = [ratio('2B', 'ceiling GET'), ratio('option 1', 'ceiling POST')]
  bench.note(`With ${FEW_CLIENTS} clients, 2B reaches ${query} of the ceiling, and option 1 ${json}.`)
}

/** The longest that fits into a URL of 2,048 characters is 47 lines. */
const LINES = { '1': [1, 10, 100, 500], '2A': [1, 10, 100, 500], '2B': [1, 10, 40] }
const PATHS = { '1': '/one/cart', '2A': '/two-a/cart', '2B': '/two-b/cart' }

/** Each option with more and more lines. */
export async function measureLines(bench: Bench): Promise<void> {
  const { ours } = await bench.servers()
  const jobs: Record<string, Omit<Job, 'seconds' | 'warmUpSeconds'>> = {}
  const idOf = (option: Bags['option'], lines: number) => `${option}, ${lines} lines`
  for (const option of ['1', '2A', '2B'] as const) {
    for (const lines of LINES[option]) {
      const kind = transfers({ option, lines, products: bench.products, path: PATHS[option] })
      jobs[idOf(option, lines)] = { port: ours.port, pid: ours.pid, mode: 'closed', connections: 32, kinds: [kind] }
    }
  }
  const results = await interleave(bench, jobs, { rounds: 3, warmUp: 0.8, slice: 1 })
  for (const [id, list] of Object.entries(results)) bench.addRow(`lines ${id}`, `ours, ${id}`, list)
  const cpuOf = (option: Bags['option'], lines: number) => cpu(results[idOf(option, lines)] ?? [])
  const perLine = (option: Bags['option'], from: number, to: number) => {
    const less = cpuOf(option, from)
    return cpuOf(option, to).map((more, round) => (more - Number(less[round])) / (to - from))
  }
  bench.add('line', perLine('2A', 10, 500))
  bench.add('line-2B', perLine('2B', 10, 40))
  bench.add('linear', ratios(perLine('2A', 100, 500), perLine('2A', 10, 100)))
}
