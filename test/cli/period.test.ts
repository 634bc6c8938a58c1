// The period from --from to --to.
import t from 'tap'
import { readPeriod } from '../../src/cli/period.ts'
import { UsageError } from '../../src/cli/run-command.ts'

const periods: [string | undefined, string | undefined, string | undefined, string | undefined][] = [
  [undefined, undefined, undefined, undefined],
  ['2026-11-01', undefined, '2026-11-01T00:00:00.000Z', undefined],
  [undefined, '2026-11-10', undefined, '2026-11-11T00:00:00.000Z'],
  ['2026-11-10', '2026-11-10', '2026-11-10T00:00:00.000Z', '2026-11-11T00:00:00.000Z'],
  ['2026-12-31', '2026-12-31', '2026-12-31T00:00:00.000Z', '2027-01-01T00:00:00.000Z'],
  ['2028-02-29', '2028-02-29', '2028-02-29T00:00:00.000Z', '2028-03-01T00:00:00.000Z'],
  ['2026-11-10T08:00Z', '2026-11-10T09:30:15.5Z', '2026-11-10T08:00:00.000Z', '2026-11-10T09:30:15.500Z'],
  ['2026-11-10T08:00:00+02:00', '2026-11-10T08:00:00-02:00', '2026-11-10T06:00:00.000Z', '2026-11-10T10:00:00.000Z']
]

for (const [from, to, first, before] of periods) {
  t.test(`from ${from} to ${to}`, t => {
    t.match(readPeriod(from, to), { from: first, before })
    t.end()
  })
}

const invalid = [
  '',
  'yesterday',
  '20.11.2026',
  '2026-11',
  '2026-13-01',
  '2026-02-30',
  '2026-02-30T10:00:00Z',
  '2026-11-10T08:00',
  '2026-11-10T25:00Z',
  '2026-11-10 08:00Z',
  ' 2026-11-10'
]

t.test('anything but a date, or a time with its offset, is refused with an example', t => {
  for (const text of invalid) {
    for (const [from, to, flag] of [
      [text, undefined, '--from'],
      [undefined, text, '--to']
    ] as const) {
      t.throws(
        () => readPeriod(from, to),
        { constructor: UsageError, message: new RegExp(`^${flag} is .*such as 2026-11-20`) },
        `${flag} ${text}`
      )
    }
  }
  t.end()
})

t.test('a period that ends before it begins is refused', t => {
  for (const [from, to] of [
    ['2026-11-11', '2026-11-10'],
    ['2026-11-10T08:00Z', '2026-11-10T08:00Z']
  ] as const) {
    t.throws(() => readPeriod(from, to), { constructor: UsageError, message: /is not before the end/ })
  }
  t.end()
})
