// Whether the memory of a server grows as long as it is used.

export type Sample = {
  /** How much of the run was done, up to 1. */
  progress: number
  requests: number
  /** Resident memory. */
  bytes: number
}

/** What the heap may still grow by once it is warm, in bytes; or this share of it. */
const ALLOWANCE = 64e6
const SHARE = 0.25

/** Samples in the second half of a run, below which nothing can be said: the heap of a server gets warm first. */
const MIN_SAMPLES = 4

/** The median in bytes around a part of the run; undefined without samples there. */
export function memoryAt(samples: Sample[], from: number, to: number): number | undefined {
  const bytes = samples.filter(({ progress }) => progress >= from && progress <= to).map(({ bytes }) => bytes)
  return bytes.sort((a, b) => a - b)[bytes.length >> 1]
}

/**
 * By how many bytes memory grows with each thousand requests in the second half: the slope of a line of least squares;
 * undefined with fewer than two samples there.
 */
export function slopeOf(samples: Sample[]): number | undefined {
  const half = secondHalf(samples)
  if (half.length < 2) return undefined
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const x = mean(half.map(({ requests }) => requests))
  const y = mean(half.map(({ bytes }) => bytes))
  const above = half.reduce((sum, { requests, bytes }) => sum + (requests - x) * (bytes - y), 0)
  const below = half.reduce((sum, { requests }) => sum + (requests - x) ** 2, 0)
  return (above / below) * 1000
}

export type Memory =
  | { verdict: 'flat' | 'too few samples' }
  /** In bytes. */
  | { verdict: 'grown'; half: number; end: number }

/** Compares memory at the end of a run with that at half time. */
export function judgeMemory(samples: Sample[]): Memory {
  const half = memoryAt(samples, 0.4, 0.6)
  const end = memoryAt(samples, 0.9, Infinity)
  if (half === undefined || end === undefined || secondHalf(samples).length < MIN_SAMPLES) {
    return { verdict: 'too few samples' }
  }
  return end - half > Math.max(ALLOWANCE, half * SHARE) ? { verdict: 'grown', half, end } : { verdict: 'flat' }
}

function secondHalf(samples: Sample[]): Sample[] {
  return samples.filter(({ progress }) => progress >= 0.5)
}
