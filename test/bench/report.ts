// The report: printed as tables, and written as README.md and report.json.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { cpus, release, totalmem } from 'node:os'
import { join } from 'node:path'
import { markdownTable, rewritePart } from '../../src/cli/markdown.ts'
import { columns } from '../../src/cli/run-command.ts'
import { type Bar, bars, type FigureName, round, verdict } from './bars.ts'
import type { Results } from './bench.ts'
import { isPinned } from './children.ts'
import type { Spread } from './meter.ts'

const at = (name: string) => join(import.meta.dirname, name)
const FIGURE_HEAD = ['figure', 'measured', 'bar', 'aim', 'reached']
const LOAD_HEAD = ['load', 'requests/s', 'CPU µs each', 'p50 at half, ms', 'p99 at half, ms', 'bytes', 'RSS, MB']

function spreadText({ median, min, max }: Spread): string {
  return min === max ? round(median) : `${round(median)} (${round(min)} to ${round(max)})`
}

function figureRows({ figures }: Results): string[][] {
  return (Object.keys(bars) as FigureName[]).flatMap(name => {
    const spread = figures[name]
    if (!spread) return []
    const { title, unit, bar, aim }: Bar = bars[name]
    const withUnit = (text: string | number) => `${text} ${unit}`.trim()
    return [[title, withUnit(spreadText(spread)), withUnit(bar), withUnit(aim), verdict(name, spread)]]
  })
}

function loadRows({ rows }: Results): string[][] {
  return Object.values(rows).map(({ name, perSecond, cpu, p50, p99, bytes, rss = Number.NaN }) => [
    name,
    perSecond.median.toFixed(0),
    round(cpu.median),
    p50 ? round(p50.median) : '–',
    p99 ? round(p99.median) : '–',
    String(bytes),
    round(rss / 1e6)
  ])
}

export function printReport(results: Results): void {
  console.log(`\n${columns()([FIGURE_HEAD, ...figureRows(results)])}`)
  if (Object.keys(results.rows).length > 0) console.log(columns()([LOAD_HEAD, ...loadRows(results)]))
}

/** The ratios that are too low in a quick run: of a busy machine the best round tells most. */
export function quickFailures({ figures }: Results): string[] {
  return (Object.keys(figures) as FigureName[]).flatMap(name => {
    const { title, least }: Bar = bars[name]
    const { max } = figures[name] as Spread
    return least !== undefined && max < least ? [`${title}: ${round(max)} is below ${least}`] : []
  })
}

function versionOf(name: string): string {
  return JSON.parse(readFileSync(at(`../../node_modules/${name}/package.json`), 'utf8')).version
}

function machine(): string[] {
  const [cpu] = cpus()
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8', cwd: at('.') }).trim()
  const { node, sqlite } = process.versions
  return [
    `${new Date().toISOString().slice(0, 10)}, commit ${commit}`,
    `${cpus().length} × ${cpu?.model}, ${Math.round(totalmem() / 2 ** 30)} GB, ${process.platform} ${release()}`,
    `Node ${node}, SQLite ${sqlite}, Fastify ${versionOf('fastify')}, Express ${versionOf('express')}, EJS ${versionOf('ejs')}`,
    isPinned ? 'server on core 0, load on core 1' : 'servers and load share the cores'
  ]
}

/** Writes the report; figures of series that did not run stay as they are. */
export function writeReport(results: Results): void {
  const before: Results = JSON.parse(readFileSync(at('report.json'), 'utf8'))
  const all: Results = {
    figures: { ...before.figures, ...results.figures },
    rows: { ...before.rows, ...results.rows },
    notes: { ...before.notes, ...results.notes }
  }
  writeFileSync(at('report.json'), `${JSON.stringify(all, null, 2)}\n`)
  const list = (lines: string[]) => lines.map(line => `- ${line}`).join('\n')
  const figures = markdownTable([FIGURE_HEAD, ...figureRows(all)])
  const parts = [list(machine()), figures, list(Object.values(all.notes).flat())]
  const readme = readFileSync(at('README.md'), 'utf8')
  writeFileSync(
    at('README.md'),
    rewritePart(readme, 'npm run bench -- --write', () => parts.join('\n\n'))
  )
}
