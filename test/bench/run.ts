// npm run bench: measures our server beside the ceiling and beside what a user would write instead.
import { readFlags } from '../script-flags.ts'
import { type Bench, openBench } from './bench.ts'
import { cleanUpAtExit, isPinned } from './children.ts'
import { measureConnections } from './connections.ts'
import { measureLargeFeed } from './large-feed.ts'
import { measureLatency } from './latency.ts'
import { measureStart, measureTransfers } from './memory.ts'
import { printReport, quickFailures, writeReport } from './report.ts'
import { measureLines, measureRatios } from './throughput.ts'

/** What can be measured, in the order in which it is. */
const series: Record<string, (bench: Bench) => Promise<void>> = {
  ratios: measureRatios,
  latency: measureLatency,
  lines: measureLines,
  connections: measureConnections,
  transfers: measureTransfers,
  start: measureStart,
  'large-feed': measureLargeFeed
}

const USAGE = `npm run bench -- [--quick | --only NAME] [--million] [--write]

Measures speed and memory, in about five minutes, on this machine only.

--quick      only the ratios, in less than 20 seconds; fails if one is below 0.8 of its bar
--only NAME  one series: ${Object.keys(series).join(', ')}
--million    also memory after a million transfers, which takes long
--write      writes README.md and report.json in test/bench/`

const { quick, only, million, write } = await readFlags(USAGE, {
  quick: { type: 'boolean', default: false },
  only: { type: 'string', multiple: true },
  million: { type: 'boolean', default: false },
  write: { type: 'boolean', default: false }
})
const named = only ?? (quick ? ['ratios'] : Object.keys(series))
const chosen = Object.entries(series).filter(([name]) => named.includes(name))
if (chosen.length === 0) {
  console.log(USAGE)
  process.exit(2)
}

cleanUpAtExit()
const bench = openBench({ isQuick: quick, withMillion: million })
if (!isPinned) bench.note('taskset is missing or there is one core: servers and load share the cores.')
const failures: string[] = []
for (const [name, run] of chosen) {
  console.log(`\n${name}`)
  bench.series = name
  try {
    await run(bench)
  } catch (error) {
    // The others are still worth their time.
    failures.push(`${name}: ${(error as Error).message}`)
  }
}
printReport(bench.results)
if (write) writeReport(bench.results)
if (quick) failures.push(...quickFailures(bench.results))
for (const failure of failures) console.log(failure)
process.exit(failures.length > 0 ? 1 : 0)
