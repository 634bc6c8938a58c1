// Percentiles and medians of what was measured.

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
