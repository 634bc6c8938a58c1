// The report: printed as tables, and written as README.md, report.svg and report.json.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, release, totalmem } from 'node:os'
import { join } from 'node:path'
import { type Bar, bars, type FigureName, round, verdict } from './bars.ts'
import type { Results } from './bench.ts'
import { isPinned } from './children.ts'
import type { Spread } from './meter.ts'

const at = (name: string) => join(import.meta.dirname, name)
const FIGURE_HEAD = ['figure', 'measured', 'by CPU time', 'bar', 'aim', 'reached']
const LOAD_HEAD = ['load', 'requests/s', 'CPU µs each', 'p50 at half, ms', 'p99 at half, ms', 'bytes', 'RSS, MB']
/** What stands between these lines of README.md is written anew. */
const BEGIN = '<!-- written by npm run bench -- --write -->'
const END = '<!-- end -->'

function spreadText({ median, min, max }: Spread): string {
  return min === max ? round(median) : `${round(median)} (${round(min)} to ${round(max)})`
}

function figureRows({ figures, byCpu }: Results): string[][] {
  return (Object.keys(bars) as FigureName[]).flatMap(name => {
    const spread = figures[name]
    if (!spread) return []
    const { title, unit, bar, aim }: Bar = bars[name]
    const withUnit = (text: string | number) => `${text} ${unit}`.trim()
    const cpu = round(byCpu[name]?.median ?? Number.NaN)
    return [[title, withUnit(spreadText(spread)), cpu, withUnit(bar), withUnit(aim), verdict(name, spread)]]
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

function textTable(rows: string[][]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map(row => String(row[column]).length)))
  const line = (row: string[]) => row.map((cell, column) => cell.padEnd(Number(widths[column]))).join('  ')
  return rows.map(row => line(row).trimEnd()).join('\n')
}

function markdownTable([head = [], ...rows]: string[][]): string {
  return [head, head.map(() => '---'), ...rows].map(row => `| ${row.join(' | ')} |`).join('\n')
}

export function printReport(results: Results): void {
  console.log(`\n${textTable([FIGURE_HEAD, ...figureRows(results)])}`)
  if (Object.keys(results.rows).length > 0) console.log(`\n${textTable([LOAD_HEAD, ...loadRows(results)])}`)
}

/**
 * The ratios that have collapsed: even in their best round below half of their bar, both by throughput and by CPU time.
 * Other processes, and a server that is still being compiled, spoil some rounds of a busy machine, not all.
 */
export function quickFailures({ figures, byCpu }: Results): string[] {
  return (Object.keys(figures) as FigureName[]).flatMap(name => {
    const { title, bar } = bars[name]
    const best = Math.max(Number(figures[name]?.max), byCpu[name]?.max ?? 0)
    return best < bar / 2 ? [`${title}: ${round(best)} is less than half of its bar, ${bar}`] : []
  })
}

function readReport(): Results | undefined {
  return existsSync(at('report.json')) ? JSON.parse(readFileSync(at('report.json'), 'utf8')) : undefined
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
  const before = readReport()
  const all: Results = {
    figures: { ...before?.figures, ...results.figures },
    byCpu: { ...before?.byCpu, ...results.byCpu },
    rows: { ...before?.rows, ...results.rows },
    notes: { ...before?.notes, ...results.notes }
  }
  writeFileSync(at('report.json'), `${JSON.stringify(all, null, 2)}\n`)
  writeFileSync(at('report.svg'), drawBars(all.figures))
  const parts = [
    BEGIN,
    machine()
      .map(line => `- ${line}`)
      .join('\n'),
    '![Each figure as a share of its bar](report.svg)',
    markdownTable([FIGURE_HEAD, ...figureRows(all)]),
    Object.values(all.notes)
      .flat()
      .map(note => `- ${note}`)
      .join('\n'),
    END
  ]
  const readme = readFileSync(at('README.md'), 'utf8')
  const [head, tail] = [readme.slice(0, readme.indexOf(BEGIN)), readme.slice(readme.indexOf(END) + END.length)]
  writeFileSync(at('README.md'), head + parts.join('\n\n') + tail)
}

const WIDTH = 900
const LEFT = 400
const RIGHT = 110
const ROW = 26
const TOP = 34
const COLOURS = { aim: '#2f7d4f', bar: '#3b6ea8', missed: '#b5542b' }
/** The scale goes from a sixteenth of the bar to sixteen times better. */
const OCTAVES = 4

/** Where a value lies: 0 is a sixteenth as good as the bar, 0.5 the bar, 1 sixteen times better. */
function position(better: Bar['better'], value: number, bar: number): number {
  const times = better === 'higher' ? value / bar : bar / value
  return Math.min(1, Math.max(0, (Math.log2(times) + OCTAVES) / (2 * OCTAVES)))
}

export function drawBars(figures: Results['figures']): string {
  const names = (Object.keys(bars) as FigureName[]).filter(name => figures[name])
  const height = TOP + names.length * ROW + 10
  const x = (share: number) => Math.round(LEFT + share * (WIDTH - LEFT - RIGHT))
  const rows = names.map((name, i) => {
    const spread = figures[name]
    if (!spread) return ''
    const { title, unit, better, bar, aim }: Bar = bars[name]
    const y = TOP + i * ROW
    const end = x(position(better, spread.median, bar))
    const aimAt = x(position(better, aim, bar))
    return `<text x="${LEFT - 10}" y="${y + 14}" text-anchor="end">${title}</text>
<rect x="${LEFT}" y="${y + 3}" width="${Math.max(2, end - LEFT)}" height="15" rx="2" fill="${COLOURS[verdict(name, spread)]}"/>
<path d="M${aimAt} ${y}v21" stroke="#2f7d4f" stroke-width="2" stroke-dasharray="3 2"/>
<text x="${WIDTH - RIGHT + 10}" y="${y + 14}">${`${round(spread.median)} ${unit}`.trim()}</text>`
  })
  const bar = x(0.5)
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="system-ui,sans-serif" font-size="13" fill="#333">
<title>Each figure against its bar; longer is better, each step doubles</title>
<rect width="${WIDTH}" height="${height}" fill="#fff"/>
<text x="${bar}" y="16" text-anchor="middle">bar (dashed: aim); longer is better, sixteenfold to the edge</text>
${rows.join('\n')}
<path d="M${bar} ${TOP - 8}V${height - 6}" stroke="#333"/>
</svg>
`
}
