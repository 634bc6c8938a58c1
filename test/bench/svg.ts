// The report's picture: for each figure how it compares with its bar, on a logarithmic scale.
import { type Bar, bars, type FigureName, round, verdict } from './bars.ts'
import type { Results } from './bench.ts'

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
