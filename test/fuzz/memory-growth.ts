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

/** The median around a part of the run; NaN without samples there. */
export function memoryAt(samples: Sample[], from: number, to: number): number {
  const bytes = samples.filter(({ progress }) => progress >= from && progress <= to).map(({ bytes }) => bytes)
  return bytes.sort((a, b) => a - b)[bytes.length >> 1] ?? Number.NaN
}

/** By how much memory grows with each thousand requests in the second half: the slope of a line of least squares. */
export function slopeOf(samples: Sample[]): number {
  const half = samples.filter(({ progress }) => progress >= 0.5)
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const x = mean(half.map(({ requests }) => requests))
  const y = mean(half.map(({ bytes }) => bytes))
  const above = half.reduce((sum, { requests, bytes }) => sum + (requests - x) * (bytes - y), 0)
  const below = half.reduce((sum, { requests }) => sum + (requests - x) ** 2, 0)
  return (above / below) * 1000
}

/** @returns what is wrong; undefined if memory is flat */
export function findGrowth(samples: Sample[]): string | undefined {
  const half = memoryAt(samples, 0.4, 0.6)
  const end = memoryAt(samples, 0.9, Infinity)
  if (!(end - half > Math.max(ALLOWANCE, half * SHARE))) return undefined
  return `memory grew from ${Math.round(half / 1e6)} MB at half time to ${Math.round(end / 1e6)} MB at the end`
}
