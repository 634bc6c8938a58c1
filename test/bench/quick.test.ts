// What `npm run bench -- --quick` fails at, which `npm test` runs when nothing else does.
import t from 'tap'
import { bars } from './bars.ts'
import { spreadOf } from './meter.ts'
import { quickFailures } from './report.ts'

t.test('a ratio fails if its best round is too low', async t => {
  const failures = (...values: number[]) => quickFailures({ figures: { page: spreadOf(values) }, rows: {}, notes: {} })
  const { least } = bars.page
  t.strictSame(failures(least), [])
  t.strictSame(failures(least / 2, least), [])
  t.match(failures(least / 2, least / 1.01), [/is below 0\.08$/])
  t.strictSame(
    quickFailures({ figures: { p99: spreadOf([100]) }, rows: {}, notes: {} }),
    [],
    'it is not measured there'
  )
})
