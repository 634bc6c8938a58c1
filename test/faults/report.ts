// The tables: printed, and written into README.md.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, release, totalmem } from 'node:os'
import { join } from 'node:path'
import { markdownTable, rewritePart } from '../../src/cli/markdown.ts'
import type { Fault, Result } from './fault.ts'
import { faults } from './faults.ts'
import type { StoreName } from './site.ts'

/** A line of the table. */
export type Row = Pick<
  Result,
  'rounds' | 'taken' | 'placed' | 'unanswered' | 'kept' | 'refused' | 'uncertain' | 'uncertainKept'
> & {
  fault: string
  store: StoreName
  /** What it was counted with. */
  commit: string
  lost: number
  doubled: number
  wrong: number
  /** Until bags were taken again, in milliseconds. */
  back?: { median: number; most: number }
  note?: string
}

/** The columns; those of README.md say what was answered and what became of it, and report.json has the rest. */
const COLUMNS: { head: string; cell: (row: Row) => string | number; isInReadme?: boolean }[] = [
  { head: 'fault', cell: ({ fault }) => fault, isInReadme: true },
  { head: 'store', cell: ({ store }) => store, isInReadme: true },
  { head: 'rounds', cell: ({ rounds }) => rounds, isInReadme: true },
  { head: 'bags answered', cell: ({ taken }) => taken, isInReadme: true },
  { head: 'orders answered', cell: ({ placed }) => placed, isInReadme: true },
  { head: 'without answer (kept)', cell: ({ unanswered, kept }) => `${unanswered} (${kept})` },
  { head: '503', cell: ({ refused }) => refused },
  { head: '503, unknown (kept)', cell: ({ uncertain, uncertainKept }) => `${uncertain} (${uncertainKept})` },
  { head: 'lost', cell: ({ lost }) => lost, isInReadme: true },
  { head: 'doubled', cell: ({ doubled }) => doubled, isInReadme: true },
  { head: 'wrong', cell: ({ wrong }) => wrong, isInReadme: true },
  {
    head: 'bags again after, ms',
    cell: ({ back }) => (back ? `${back.median}, at most ${back.most}` : '–'),
    isInReadme: true
  }
]

const at = (name: string) => join(import.meta.dirname, name)

export function rowOf({ name }: Fault, store: StoreName, result: Result): Row {
  const { lost, doubled, wrong, back, note, ...counts } = result
  const sorted = back.toSorted((a, b) => a - b).map(Math.round)
  const median = sorted[Math.floor(sorted.length / 2)]
  return {
    fault: name,
    store,
    commit: execFileSync('git', ['rev-parse', '--short=8', 'HEAD'], { encoding: 'utf8', cwd: at('.') }).trim(),
    ...counts,
    lost: lost.length,
    doubled: doubled.length,
    wrong: wrong.length,
    ...(median !== undefined && { back: { median, most: sorted.at(-1) ?? median } }),
    ...(note !== undefined && { note })
  }
}

export function tableText(rows: Row[]): string {
  const notes = rows.flatMap(({ fault, store, note }) => (note === undefined ? [] : `- ${fault}, ${store}: ${note}.`))
  return [rowTable(COLUMNS, rows), ...notes].join('\n')
}

function rowTable(columns: typeof COLUMNS, rows: Row[]): string {
  return markdownTable([
    columns.map(({ head }) => head),
    ...rows.map(row => columns.map(({ cell }) => String(cell(row))))
  ])
}

function machine(rows: Row[]): string {
  const [cpu] = cpus()
  const commits = [...new Set(rows.map(({ commit }) => commit))].join(', ')
  const { node, sqlite } = process.versions
  const memory = Math.round(totalmem() / 2 ** 30)
  return (
    `${new Date().toISOString().slice(0, 10)}, commits ${commits}; ${cpus().length} × ${cpu?.model}, ${memory} GB, ` +
    `${process.platform} ${release()}; Node ${node}, SQLite ${sqlite}. Shoppers, servers and databases share the cores.`
  )
}

/** Writes the tables; rows of faults that were not done stay as they are. */
export function writeReport(rows: Row[]): void {
  const before: Row[] = existsSync(at('report.json')) ? JSON.parse(readFileSync(at('report.json'), 'utf8')) : []
  const known = new Map([...before, ...rows].map(row => [`${row.fault} ${row.store}`, row]))
  const all = faults.flatMap(({ name, stores }) => stores.flatMap(store => known.get(`${name} ${store}`) ?? []))
  writeFileSync(at('report.json'), `${JSON.stringify(all, null, 2)}\n`)
  const table = rowTable(
    COLUMNS.filter(({ isInReadme }) => isInReadme),
    all
  )
  const readme = readFileSync(at('README.md'), 'utf8')
  const written = rewritePart(readme, 'npm run faults -- --write', () => [table, machine(all)].join('\n\n'))
  writeFileSync(at('README.md'), written)
}
