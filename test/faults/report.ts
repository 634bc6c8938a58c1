// The tables: printed, and written into README.md.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, release, totalmem } from 'node:os'
import { join } from 'node:path'
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
  lost: number
  doubled: number
  wrong: number
  /** Until bags were taken again, in milliseconds. */
  back?: { median: number; most: number }
  note?: string
}

const HEAD = [
  'fault',
  'store',
  'rounds',
  'bags answered',
  'orders answered',
  'without answer (kept)',
  '503',
  '503, unknown (kept)',
  'lost',
  'doubled',
  'wrong',
  'bags again after, ms'
]
/** Columns for README.md: what was answered, and what became of it. report.json has the rest. */
const SHORT = [0, 1, 2, 3, 4, 8, 9, 10, 11]

/** What stands between these lines of README.md is written anew. */
const BEGIN = '<!-- written by npm run faults -- --write -->'
const END = '<!-- end -->'

const at = (name: string) => join(import.meta.dirname, name)

export function rowOf({ name }: Fault, store: StoreName, result: Result): Row {
  const { lost, doubled, wrong, back, note, ...counts } = result
  const sorted = back.toSorted((a, b) => a - b).map(Math.round)
  const median = sorted[Math.floor(sorted.length / 2)]
  return {
    fault: name,
    store,
    ...counts,
    lost: lost.length,
    doubled: doubled.length,
    wrong: wrong.length,
    ...(median !== undefined && { back: { median, most: sorted.at(-1) ?? median } }),
    ...(note !== undefined && { note })
  }
}

function cells(row: Row): string[] {
  const {
    fault,
    store,
    rounds,
    taken,
    placed,
    unanswered,
    kept,
    refused,
    uncertain,
    uncertainKept,
    lost,
    doubled,
    wrong
  } = row
  const { back } = row
  return [
    fault,
    store,
    ...[rounds, taken, placed].map(String),
    `${unanswered} (${kept})`,
    String(refused),
    `${uncertain} (${uncertainKept})`,
    ...[lost, doubled, wrong].map(String),
    back ? `${back.median}, at most ${back.most}` : '–'
  ]
}

export function tableText(rows: Row[]): string {
  const all = [HEAD, ...rows.map(cells)]
  const widths = HEAD.map((_, column) => Math.max(...all.map(row => String(row[column]).length)))
  const lines = all.map(row =>
    row
      .map((cell, column) => cell.padEnd(Number(widths[column])))
      .join('  ')
      .trimEnd()
  )
  return [...lines, ...notes(rows)].join('\n')
}

function notes(rows: Row[]): string[] {
  return rows.flatMap(({ fault, store, note }) => (note === undefined ? [] : `- ${fault}, ${store}: ${note}.`))
}

function markdownTable([head = [], ...rows]: string[][]): string {
  return [head, head.map(() => '---'), ...rows].map(row => `| ${row.join(' | ')} |`).join('\n')
}

function machine(): string {
  const [cpu] = cpus()
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8', cwd: at('.') }).trim()
  const { node, sqlite } = process.versions
  const memory = Math.round(totalmem() / 2 ** 30)
  return (
    `${new Date().toISOString().slice(0, 10)}, commit ${commit}; ${cpus().length} × ${cpu?.model}, ${memory} GB, ` +
    `${process.platform} ${release()}; Node ${node}, SQLite ${sqlite}. Shoppers, servers and databases share the cores.`
  )
}

/** Writes the tables; rows of faults that were not done stay as they are. */
export function writeReport(rows: Row[]): void {
  const before: Row[] = existsSync(at('report.json')) ? JSON.parse(readFileSync(at('report.json'), 'utf8')) : []
  const known = new Map([...before, ...rows].map(row => [`${row.fault} ${row.store}`, row]))
  const all = faults.flatMap(({ name, stores }) => stores.flatMap(store => known.get(`${name} ${store}`) ?? []))
  writeFileSync(at('report.json'), `${JSON.stringify(all, null, 2)}\n`)
  const parts = [
    BEGIN,
    markdownTable([HEAD, ...all.map(cells)].map(row => SHORT.map(column => String(row[column])))),
    machine(),
    END
  ]
  const readme = readFileSync(at('README.md'), 'utf8')
  const [head, tail] = [readme.slice(0, readme.indexOf(BEGIN)), readme.slice(readme.indexOf(END) + END.length)]
  writeFileSync(at('README.md'), head + parts.join('\n\n') + tail)
}
