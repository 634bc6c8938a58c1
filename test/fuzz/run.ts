// npm run fuzz: as many requests as are wanted, sent to one server process.
import { cleanUpAtExit, moveAside, temporaryFolder } from '../bench/children.ts'
import { readFlags } from '../script-flags.ts'
import { startFuzzed } from './fuzzed-server.ts'
import { entryOf, readKept } from './hunt.ts'
import { reportLines } from './report.ts'
import { runFuzz } from './session.ts'

const USAGE = `npm run fuzz -- [--minutes N] [--requests N] [--seed S]

Sends random requests of every kind to a server of its own: carts by every option in any legal writing, carts with one
mistake, damaged ones, raw bytes, floods. It stops after so many minutes (by default 1) or requests, at the end of a
round of some 4,000; honest ones, sent before for comparison, do not count. It fails if an answer is wrong, a page shows
another bag, the event loop is held too long, memory grows, or the server ends.

--seed S  repeats the requests of a run; not the order in which they meet`

const numbers = await readFlags(USAGE, {
  minutes: { type: 'string' },
  requests: { type: 'string' },
  seed: { type: 'string' }
})
if (Object.values(numbers).some(text => !(Number(text) > 0))) {
  console.log(USAGE)
  process.exit(2)
}
const { minutes, requests, seed } = numbers

cleanUpAtExit()
moveAside()
const folder = temporaryFolder()
const report = await runFuzz({
  start: feed => startFuzzed(folder, feed),
  seed: Number(seed ?? Math.floor(Math.random() * 2 ** 31)),
  minutes: Number(minutes ?? (requests ? Infinity : 1)),
  requests: Number(requests ?? Infinity),
  kept: readKept(),
  say: line => console.log(line)
})
for (const found of report.found) console.log(`\n${found.why}\n${entryOf(found)}`)
console.log(`\n${reportLines(report).join('\n')}`)
process.exit(report.failures.length > 0 ? 1 : 0)
