// Counts the answers of a load between the beginning and the end of the measurement, and what they cost.
import { readProcess } from './children.ts'
import type { Job, LoadResult } from './load.ts'

export function openMeter({ mode, pid }: Job) {
  const times: number[] = []
  let bytes = 0
  let since = Infinity
  let until = Infinity
  let used = 0
  let cpu = 0
  let own = process.cpuUsage()

  function end(): void {
    if (until < Infinity) return
    until = performance.now()
    used = readProcess(pid).cpuMs - cpu
    own = process.cpuUsage(own)
  }
  return {
    begin: () => {
      own = process.cpuUsage()
      cpu = readProcess(pid).cpuMs
      since = performance.now()
    },
    /** Counts an answer, unless the measurement has not begun or has ended. */
    count: (due: number, size: number): void => {
      const now = performance.now()
      // An open load counts what was due, however late it is answered; the others what they were answered.
      if ((mode === 'open' ? due : now) < since || now > until) return
      times.push(now - due)
      bytes += size
    },
    counted: () => times.length,
    end,
    result: (): LoadResult => {
      end()
      const answered = times.length
      if (answered === 0) throw new Error('no request was answered')
      const elapsed = until - since
      return {
        requests: answered,
        perSecond: (answered * 1000) / elapsed,
        cpuPerRequest: (used * 1000) / answered,
        ownCpuShare: (own.user + own.system) / 1000 / elapsed,
        bytesPerAnswer: Math.round(bytes / answered),
        latencies: latenciesOf(times)
      }
    }
  }
}

/** In milliseconds. */
export type Latencies = { p50: number; p99: number; max: number }

/** The value that a share of the values do not exceed; NaN if there is none. */
export function percentile(sorted: ArrayLike<number>, share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN
}

export function latenciesOf(times: number[]): Latencies {
  const sorted = Float64Array.from(times).sort()
  return { p50: percentile(sorted, 0.5), p99: percentile(sorted, 0.99), max: percentile(sorted, 1) }
}

/** The median of several rounds, with the smallest and the largest value. */
export type Spread = { median: number; min: number; max: number }

export function spreadOf(values: number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b)
  const half = sorted.length / 2
  const median = (Number(sorted[Math.ceil(half) - 1]) + Number(sorted[Math.floor(half)])) / 2
  return { median, min: Number(sorted[0]), max: Number(sorted.at(-1)) }
}
