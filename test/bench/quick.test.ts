// What `npm run bench -- --quick` fails at, which `npm test` runs when nothing else does.
import t from 'tap'
import { bars } from './bars.ts'
import { spreadOf } from './meter.ts'
import { quickFailures } from './report.ts'

t.test('a ratio fails if its median is below 0.8 of its bar', async t => {
  const failures = (...values: number[]) => quickFailures({ figures: { page: spreadOf(values) }, rows: {}, notes: {} })
  const limit = bars.page.bar * 0.8
  t.strictSame(failures(limit), [])
  t.strictSame(failures(limit / 2, limit, limit * 2), [])
  t.match(failures(limit / 2, limit / 1.01, limit * 2), [/is below 0\.8 of its bar/])
})
