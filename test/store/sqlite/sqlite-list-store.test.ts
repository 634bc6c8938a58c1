// Lists, kept on disk: rows come back by key, results in the order of the lists, and no file is left.
import { readdirSync } from 'node:fs'
import t, { type Test } from 'tap'
import type { ListStore } from '../../../src/reconcile/compare-lists.ts'
import type { ReferenceResult } from '../../../src/reconcile/reference-result.ts'
import { openSqliteListStore } from '../../../src/store/sqlite/sqlite-list-store.ts'

function open(t: Test): ListStore {
  const list = openSqliteListStore()
  t.teardown(() => list.close())
  return list
}

const matched = (line: number, merchant = 'shop'): ReferenceResult => ({
  answer: 'matched',
  merchant,
  reference: `r${line}`,
  line,
  order: 'N1'
})
const unknown = (line: number, merchant: string | null): ReferenceResult => ({
  answer: 'only-platform',
  merchant,
  reference: `r${line}`,
  line,
  state: 'never-arrived'
})
const ours = (order: string): ReferenceResult => ({
  answer: 'only-merchant',
  merchant: 'shop',
  reference: 'r',
  order,
  placedAt: '2026-11-20T10:00:00.000Z',
  currency: 'GBP',
  total: '1.00'
})

t.test('rows come back by key, then by list, then by line, complete', async t => {
  const list = open(t)
  const rows = [
    { line: 2, reference: 'b', total: '5', item: { sku: 'ソ', quantity: 2 } },
    { line: 3, reference: 'ABCDEF00-1122-3344-5566-778899AABBCC' },
    { line: 10, reference: 'abcdef00112233445566778899aabbcc' },
    { line: 9, reference: 'abcdef00112233445566778899AABBCC' },
    { line: 11, reference: 'B' }
  ]
  for (const row of rows) list.addRow('platform', row)
  const own = { line: 1, reference: 'b' }
  list.addRow('merchant', own)
  const [b, first, last, middle, capital] = rows
  const key = 'abcdef00112233445566778899aabbcc'
  t.strictSame(
    [...list.rowsByKey()],
    [
      { ...capital, key: 'B', side: 'platform' },
      { ...first, key, side: 'platform' },
      { ...middle, key, side: 'platform' },
      { ...last, key, side: 'platform' },
      { ...own, key: 'b', side: 'merchant' },
      { ...b, key: 'b', side: 'platform' }
    ]
  )
})

t.test('results come in the order of the lists, those without a line last', async t => {
  const list = open(t)
  const listed = (merchantLine: number) => ({ ...ours('N9'), merchantLine }) as ReferenceResult
  const added = [ours('N8'), matched(10), listed(4), unknown(9, null), listed(3), ours('N7'), unknown(2, 'shop')]
  for (const answer of added) list.addResult('k', answer)
  const [ours8, ten, four, nine, three, ours7, two] = added
  t.strictSame([...list.results('all')], [two, nine, ten, three, four, ours8, ours7])
  t.strictSame([...list.results('unmatched')], [two, nine, three, four, ours8, ours7])
})

t.test('a reference is found at a merchant if a result from the list names it', async t => {
  const list = open(t)
  list.addResult('a', matched(2))
  list.addResult('a', { answer: 'repeated', merchant: 'shop', reference: 'a', line: 3, firstLine: 2 })
  list.addResult('b', unknown(4, 'other'))
  list.addResult('c', unknown(5, null))
  list.addResult('d', ours('N1'))
  const found: [string, string, boolean][] = [
    ['shop', 'a', true],
    ['other', 'a', false],
    ['other', 'b', true],
    ['shop', 'c', false],
    ['shop', 'd', false],
    ['shop', 'A', false]
  ]
  for (const [merchant, key, is] of found) t.equal(list.isFoundAt(merchant, key), is, `${merchant} ${key}`)
})

t.test('the list leaves no visible file, and two lists are independent', async t => {
  const folder = t.testdir({})
  process.env.SQLITE_TMPDIR = folder
  t.teardown(() => {
    delete process.env.SQLITE_TMPDIR
  })
  const [list, other] = [open(t), open(t)]
  for (let line = 1; line <= 100_000; line++)
    list.addRow('platform', { line, reference: `reference-${line}`.repeat(3) })
  t.strictSame(readdirSync(folder), [])
  t.strictSame([...other.rowsByKey()], [])
})
