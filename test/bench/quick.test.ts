// The short form of the benchmark fails if the server is much slower than its bars, in relation to bare node:http and to
// Express: a collapse, and not the noise of a busy machine.
import { join } from 'node:path'
import t from 'tap'
import { runNode } from '../node-process.ts'
import { bars } from './bars.ts'
import { cleanEnvironment } from './children.ts'
import { spreadOf } from './meter.ts'
import { quickFailures } from './report.ts'

t.test('no ratio has collapsed', async t => {
  const script = join(import.meta.dirname, 'run.ts')
  const { code, stdout, stderr } = await runNode([script, '--quick'], { env: cleanEnvironment() })
  const output = stdout + stderr
  t.equal(code, 0, output)
  for (const { title, isQuick } of Object.values<{ title: string; isQuick?: true }>(bars)) {
    if (isQuick) t.match(output, title)
  }
})

t.test('a ratio has collapsed if every round is below half of its bar, by throughput and by CPU time', async t => {
  const failures = (figures: number[], byCpu: number[]) =>
    quickFailures({ figures: { page: spreadOf(figures) }, byCpu: { page: spreadOf(byCpu) }, rows: {}, notes: {} })
  const half = bars.page.bar / 2
  t.strictSame(failures([half], [half / 2]), [])
  t.strictSame(failures([half / 2], [half]), [])
  t.match(failures([half / 2], [half / 2]), [/is less than half of its bar, 0\.1$/])
  t.strictSame(failures([half / 3, half / 2, half], [half / 3]), [], 'one good round is enough')
})
