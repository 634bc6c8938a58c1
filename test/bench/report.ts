// The report: printed as a table, and written as README.md, report.svg and report.json.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bars, type FigureName, round, verdict } from './bars.ts'
import type { Results } from './bench.ts'
import type { Spread } from './latencies.ts'

const JSON_FILE = join(import.meta.dirname, 'report.json')

const spreadText = ({ median, min, max }: Spread) =>
  min === max ? round(median) : `${round(median)} (${round(min)} to ${round(max)})`

function table(rows: string[][]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map(row => (row[column] ?? '').length)))
  return rows
    .map(row =>
      row
        .map((cell, column) => cell.padEnd(Number(widths[column])))
        .join('  ')
        .trimEnd()
    )
    .join('\n')
}

function figureRows({ figures }: Results): string[][] {
  return (Object.keys(bars) as FigureName[]).flatMap(name => {
    const spread = figures[name]
    if (!spread) return []
    const { title, unit, bar, aim } = bars[name]
    const goal = (value: number) => `${value} ${unit}`.trim()
    return [[title, `${spreadText(spread)} ${unit}`.trim(), goal(bar), goal(aim), verdict(name, spread)]]
  })
}

function loadRows({ rows }: Results): string[][] {
  return Object.values(rows).map(({ name, perSecond, cpu, p50, p99, rss = Number.NaN }) => [
    name,
    round(perSecond.median),
    round(cpu.median),
    p50 ? round(p50.median) : '–',
    p99 ? round(p99.median) : '–',
    round(rss / 1e6)
  ])
}

const FIGURE_HEAD = ['figure', 'measured', 'bar', 'aim', 'reached']
const LOAD_HEAD = ['load', 'requests/s', 'CPU µs each', 'p50 ms at half', 'p99 ms at half', 'RSS MB']

export function printReport(results: Results): void {
  console.log(`\n${table([FIGURE_HEAD, ...figureRows(results)])}`)
  if (Object.keys(results.rows).length > 0) console.log(`\n${table([LOAD_HEAD, ...loadRows(results)])}`)
}

/** The ratios that have collapsed: below half of those in the report. */
export function quickFailures({ figures }: Results): string[] {
  if (!existsSync(JSON_FILE)) return []
  const report: Results = JSON.parse(readFileSync(JSON_FILE, 'utf8'))
  return (Object.keys(figures) as FigureName[]).flatMap(name => {
    const [now, then] = [figures[name]?.median, report.figures[name]?.median]
    if (now === undefined || then === undefined || now >= then / 2) return []
    return [`${bars[name].title}: ${round(now)} is less than half of ${round(then)}, which is in report.json`]
  })
}

export function writeReport(results: Results): void {
  writeFileSync(JSON_FILE, `${JSON.stringify(results, null, 2)}\n`)
}
