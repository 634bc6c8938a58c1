// The figures that have bars. A ratio compares the CPU time of a request, which other processes on the machine affect least; that of
// connections compares requests a second, as a slow disk costs no CPU time.
import type { Spread } from './meter.ts'

export type Bar = {
  title: string
  unit: string
  better: 'higher' | 'lower'
  bar: number
  aim: number
  /** What the best round of `--quick` must reach: 0.8 of the bar, or, where that is missed, of what was measured. */
  least?: number
}

const ratio = { unit: '', better: 'higher' } as const
const microseconds = { unit: 'µs', better: 'lower' } as const
const milliseconds = { unit: 'ms', better: 'lower' } as const
const megabytes = { unit: 'MB', better: 'lower' } as const

export const bars = {
  '2B': { title: '2B, 10 lines, against the ceiling', ...ratio, bar: 0.15, aim: 0.17, least: 0.08 },
  express: { title: '2B, 10 lines, against Express', ...ratio, bar: 2.5, aim: 4, least: 2 },
  'option-1': { title: 'option 1, 10 lines, against the POST ceiling', ...ratio, bar: 0.2, aim: 0.259, least: 0.16 },
  page: { title: 'page shown again, 10 lines, against the ceiling', ...ratio, bar: 0.1, aim: 0.23, least: 0.08 },
  line: { title: 'CPU per further line, 2A, 10 to 500 lines', ...microseconds, bar: 6, aim: 2.2 },
  'line-2B': { title: 'CPU per further line, 2B, 10 to 40 lines', ...microseconds, bar: 6, aim: 2.5 },
  linear: { title: 'a line of 100 to 500 against one of 10 to 100, 2A', unit: '', better: 'lower', bar: 1.1, aim: 1 },
  fresh: { title: 'a connection for each request against keep-alive, real disk', ...ratio, bar: 0.5, aim: 0.59 },
  'fresh-2': { title: 'the same, 2 ms a sync', ...ratio, bar: 0.5, aim: 0.78 },
  'fresh-8': { title: 'the same, 8 ms a sync', ...ratio, bar: 0.5, aim: 0.8 },
  p99: { title: 'p99 at half load, 2B, 10 lines', ...milliseconds, bar: 15, aim: 7.1 },
  start: { title: 'start to first answer, demo merchants', ...milliseconds, bar: 700, aim: 395 },
  idle: { title: 'memory, idle', ...megabytes, bar: 140, aim: 116 },
  million: {
    title: 'memory after 1,000,000 transfers against 100,000',
    unit: '',
    better: 'lower',
    bar: 1.1,
    aim: 1.05
  },
  store: { title: 'store per transfer of 10 lines', unit: 'kB', better: 'lower', bar: 1.07, aim: 0.71 },
  'feed-load': { title: 'feed of 1,000,000 products: load', unit: 's', better: 'lower', bar: 5, aim: 4.25 },
  'feed-memory': { title: 'feed of 1,000,000 products: peak memory', ...megabytes, bar: 600, aim: 380 },
  'feed-pause': { title: 'reload of that feed under load: longest pause', ...milliseconds, bar: 50, aim: 32 }
} satisfies Record<string, Bar>

export type FigureName = keyof typeof bars

/** Three significant digits. */
export function round(value: number): string {
  if (Number.isNaN(value)) return '–'
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value) || 1)))
  return value.toFixed(Math.min(digits, 3))
}

export function verdict(name: FigureName, { median }: Spread): 'aim' | 'bar' | 'missed' {
  const { better, bar, aim } = bars[name]
  const reaches = (goal: number) => (better === 'higher' ? median >= goal : median <= goal)
  return reaches(aim) ? 'aim' : reaches(bar) ? 'bar' : 'missed'
}
