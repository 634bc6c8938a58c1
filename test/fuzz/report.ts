// What a run of the fuzzer prints in the end.
import { memoryAt, slopeOf } from './memory-growth.ts'
import type { FuzzReport } from './session.ts'

const OPTIONS = ['1', '2A', '2B']
const NO_SAMPLE = '–'

export const megabytes = (bytes: number | undefined) =>
  bytes === undefined ? NO_SAMPLE : `${Math.round(bytes / 1e6)} MB`

export function reportLines({ seed, seconds, totals, samples, memory, turns, alone, failures }: FuzzReport): string[] {
  const { requests, pages, kinds, statuses } = totals
  const lines: string[] = []
  const row = (name: string, cells: (string | number)[]) =>
    lines.push(`| ${name.padEnd(28)} | ${cells.map(cell => String(cell).padStart(8)).join(' | ')} |`)
  row('requests by kind and option', OPTIONS)
  for (const [kind, byOption] of Object.entries(kinds))
    row(
      kind,
      OPTIONS.map(option => byOption[option] ?? 0)
    )
  lines.push('')
  row('answers by status', Object.keys(statuses))
  row('', Object.values(statuses))
  lines.push('')
  const at = (from: number, to: number) => megabytes(memoryAt(samples, from, to))
  const slope = slopeOf(samples)
  row('memory at', ['start', '10 %', '50 %', 'end'])
  row('', [megabytes(samples[0]?.bytes), at(0.05, 0.15), at(0.4, 0.6), at(0.9, Infinity)])
  row('growth in the second half', [
    slope === undefined ? NO_SAMPLE : `${(slope / 1000).toFixed(1)} kB for each 1,000 requests`
  ])
  row('', [memory.verdict])
  lines.push('')
  const ms = (value: number) => `${value.toFixed(1)} ms`
  row('longest turn of the loop', ['one bag', 'honest', 'fuzzed'])
  row('(500 lines; side by side)', [ms(turns.bag), ms(turns.honest), ms(turns.fuzzed)])
  lines.push('')
  row('longest alone, in bags', Object.keys(alone))
  row(
    '',
    Object.values(alone).map(times => times.toFixed(1))
  )
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
