// The figures that issue 11 sets bars for.
import type { Spread } from './latencies.ts'

export type Bar = {
  title: string
  unit: string
  better: 'higher' | 'lower'
  bar: number
  aim: number
  /** Whether `--quick` measures it, and fails if it is below half of the report. */
  isQuick?: true
}

const ratio = { unit: '', better: 'higher' } as const
const milliseconds = { unit: 'ms', better: 'lower' } as const
const megabytes = { unit: 'MB', better: 'lower' } as const

export const bars = {
  '2B': { title: '2B, 10 lines, against the ceiling', ...ratio, bar: 0.12, aim: 0.3, isQuick: true },
  express: { title: '2B, 10 lines, against Express', ...ratio, bar: 3, aim: 6, isQuick: true },
  'option-1': {
    title: 'option 1, 10 lines, against the POST ceiling',
    ...ratio,

    bar: 0.25,
    aim: 0.4,
    isQuick: true
  },
  page: { title: 'page shown again, 10 lines, against the ceiling', ...ratio, bar: 0.2, aim: 0.35, isQuick: true },
  line: {
    title: 'CPU per further line, 2A, 10 to 500 lines',
    unit: 'µs',
    better: 'lower',

    bar: 4,
    aim: 2
  },
  'line-2B': { title: 'CPU per further line, 2B, 10 to 40 lines', unit: 'µs', better: 'lower', bar: 4, aim: 2 },
  linear: { title: 'a line of 100 to 500 against one of 10 to 100, 2A', unit: '', better: 'lower', bar: 1.1, aim: 1.1 },
  fresh: { title: 'a connection for each request against keep-alive, real disk', ...ratio, bar: 0.5, aim: 0.8 },
  'fresh-2': { title: 'the same, 2 ms a sync', ...ratio, bar: 0.5, aim: 0.8 },
  'fresh-8': { title: 'the same, 8 ms a sync', ...ratio, bar: 0.5, aim: 0.8 },
  p99: { title: 'p99 at half load, 2B, 10 lines', ...milliseconds, bar: 10, aim: 4 },
  mixed: { title: 'p99 of small bags at half load, 1 in 100 has 500 lines', ...milliseconds, bar: 25, aim: 10 },
  start: { title: 'start to first answer, demo merchants', ...milliseconds, bar: 450, aim: 300 },
  merchant: { title: 'memory per further merchant, 1,000 products', ...megabytes, bar: 3, aim: 1 },
  idle: { title: 'memory, idle', ...megabytes, bar: 120, aim: 90 },
  'ten-thousand': { title: 'memory after 10,000 transfers', ...megabytes, bar: 300, aim: 200 },
  million: { title: 'memory after 1,000,000 transfers', ...megabytes, bar: 300, aim: 200 },
  store: { title: 'store per transfer of 10 lines', unit: 'kB', better: 'lower', bar: 1.07, aim: 0.7 },
  'feed-load': { title: 'feed of 1,000,000 products: load', unit: 's', better: 'lower', bar: 5, aim: 3 },
  'feed-memory': { title: 'feed of 1,000,000 products: peak memory', ...megabytes, bar: 600, aim: 400 },
  'feed-pause': { title: 'reload of that feed under load: longest pause', ...milliseconds, bar: 50, aim: 15 }
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
