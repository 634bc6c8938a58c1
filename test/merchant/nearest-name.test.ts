// The name that was probably meant.
import t from 'tap'
import { nearestName } from '../../src/merchant/nearest-name.ts'

const NAMES = ['currencies', 'countries', 'links', 'look', 'locale', 'id', 'publicUrl', 'eraseAfterDays']

t.test('a name with few changes is found, whatever its case; the nearest of several', async t => {
  const cases: [string, string | undefined][] = [
    ['currency', 'currencies'],
    ['currenices', 'currencies'],
    ['country', 'countries'],
    ['contries', 'countries'],
    ['link', 'links'],
    ['loko', 'look'],
    ['Locale', 'locale'],
    ['publicURL', 'publicUrl'],
    ['url', undefined],
    ['eraseDays', 'eraseAfterDays'],
    ['loook', 'look'],
    ['colour', undefined],
    ['x', undefined],
    ['', undefined]
  ]
  for (const [written, meant] of cases) t.equal(nearestName(written, NAMES), meant, written)
  t.equal(nearestName('x', []), undefined)
  t.equal(nearestName('linkt', ['links', 'link']), 'links', 'the first of two equally near ones')
  t.equal(nearestName('abdc', ['abxx', 'abcd']), 'abcd', 'two letters swapped are one change')
})
