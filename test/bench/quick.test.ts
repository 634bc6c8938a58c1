// The short form of the benchmark fails if the server has become much slower than the report says, in relation to bare
// node:http and to Express: a collapse, and not the noise of a busy machine.
import { once } from 'node:events'
import { join } from 'node:path'
import t from 'tap'
import { spawnNode } from '../node-process.ts'
import { bars } from './bars.ts'
import type { Results } from './bench.ts'
import { cleanEnvironment } from './children.ts'
import { spreadOf } from './latencies.ts'
import { quickFailures } from './report.ts'

t.test('no ratio has collapsed', async t => {
  const script = join(import.meta.dirname, 'run.ts')
  const child = spawnNode([script, '--quick'], { env: cleanEnvironment() })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', text => {
      output += text
    })
  }
  const [code] = await once(child, 'close')
  t.equal(code, 0, output)
  for (const { title, isQuick } of Object.values<{ title: string; isQuick?: true }>(bars)) {
    if (isQuick) t.match(output, title)
  }
})

t.test('a ratio has collapsed if every round is below half of the report, by throughput and by CPU time', async t => {
  const results = (figure: number, cpu: number, ...others: number[]): Results => ({
    figures: { '2B': spreadOf([figure, ...others]) },
    byCpu: { '2B': spreadOf([cpu, ...others]) },
    rows: {},
    notes: {}
  })
  const report = results(0.2, 0.2)
  t.strictSame(quickFailures(results(0.11, 0.05), report), [])
  t.strictSame(quickFailures(results(0.05, 0.11), report), [])
  t.match(quickFailures(results(0.09, 0.09), report), [/is less than half of 0\.200/])
  t.strictSame(quickFailures(results(0.04, 0.04, 0.05, 0.11), report), [], 'one good round is enough')
})
