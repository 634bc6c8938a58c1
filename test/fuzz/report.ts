// What is counted and measured in a run of the fuzzer, and what it prints of it in the end.
import type { FuzzCase, Kind } from './fuzz-case.ts'
import type { FuzzReport } from './session.ts'

const OPTIONS = ['1', '2A', '2B', 'meta', 'permalink', 'ucp']
const NO_SAMPLE = '–'

export const megabytes = (bytes: number | undefined) =>
  bytes === undefined ? NO_SAMPLE : `${Math.round(bytes / 1e6)} MB`

export function reportLines({ seed, seconds, totals, samples, memory, turns, alone, failures }: FuzzReport): string[] {
  const { requests, pages, kinds, statuses } = totals
  const lines: string[] = []
  const row = (name: string, cells: (string | number)[]) =>
    lines.push(`| ${name.padEnd(28)} | ${cells.map(cell => String(cell).padStart(8)).join(' | ')} |`)
  row('requests by kind and option', OPTIONS)
  for (const [kind, of] of Object.entries(kinds))
    row(
      kind,
      OPTIONS.map(option => of[option] ?? 0)
    )
  lines.push('')
  row('answers by status', Object.keys(statuses))
  row('', Object.values(statuses))
  lines.push('')
  const at = (from: number, to: number) => megabytes(memoryAt(samples, from, to))
  row('memory at', ['start', '10 %', '50 %', 'end'])
  row('', [megabytes(samples[0]?.bytes), at(0.05, 0.15), at(0.4, 0.6), at(0.9, Infinity)])
  row('', [memory.verdict])
  lines.push('')
  const ms = (value: number) => `${value.toFixed(1)} ms`
  row('longest turn of the loop', ['one bag', 'honest', 'fuzzed'])
  row('(500 lines; side by side)', [ms(turns.bag), ms(turns.honest), ms(turns.fuzzed)])
  lines.push('')
  row('longest alone, in bags', Object.keys(alone))
  const times = Object.values(alone).map(times => times.toFixed(1))
  row('', times)
  lines.push('')
  const rate = Math.round(requests / seconds)
  lines.push(`seed ${seed}: ${requests} requests in ${Math.round(seconds)} s (${rate}/s), ${pages} pages compared`)
  for (const failure of failures) lines.push(`FAILED ${failure}`)
  if (failures.length === 0) {
    const isJudged = memory.verdict !== 'too few samples'
    lines.push(`nothing failed${isJudged ? '' : '; too short a run to tell whether memory grows'}`)
  }
  return lines
}

export type Tally = ReturnType<typeof openTally>

export function openTally() {
  const totals = {
    requests: 0,
    pages: 0,
    /** By kind and option. */
    kinds: {} as Record<string, Record<string, number>>,
    statuses: {} as Record<string, number>
  }
  const { kinds, statuses } = totals
  return {
    sent: (option: FuzzCase['option'], kind: Kind, requests: number) => {
      totals.requests += requests
      kinds[kind] ??= {}
      kinds[kind][option] = (kinds[kind][option] ?? 0) + requests
    },
    answered: (status: number) => {
      statuses[status] = (statuses[status] ?? 0) + 1
    },
    /** The lines of a page were compared with those of the cart that was sent. */
    compared: () => {
      totals.pages += 1
    },
    totals: () => totals
  }
}

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

export type Memory =
  | { verdict: 'flat' | 'too few samples' }
  /** In bytes. */
  | { verdict: 'grown'; half: number; end: number }

/** Compares memory at the end of a run with that at half time. */
export function judgeMemory(samples: Sample[]): Memory {
  const half = memoryAt(samples, 0.4, 0.6)
  const end = memoryAt(samples, 0.9, Infinity)
  const later = samples.filter(({ progress }) => progress >= 0.5)
  if (half === undefined || end === undefined || later.length < MIN_SAMPLES) return { verdict: 'too few samples' }
  return end - half > Math.max(ALLOWANCE, half * SHARE) ? { verdict: 'grown', half, end } : { verdict: 'flat' }
}
