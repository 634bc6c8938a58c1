// What a run of the fuzzer prints in the end.
import { memoryAt, slopeOf } from './memory-growth.ts'
import type { FuzzReport } from './session.ts'

const OPTIONS = ['1', '2A', '2B']

export function printReport({ seed, seconds, totals, memory, turns, failures }: FuzzReport): void {
  const { requests, pages, kinds, statuses } = totals
  const row = (name: string, cells: (string | number)[]) =>
    console.log(`| ${name.padEnd(28)} | ${cells.map(cell => String(cell).padStart(8)).join(' | ')} |`)
  console.log()
  row('requests by kind and option', OPTIONS)
  for (const [kind, byOption] of Object.entries(kinds))
    row(
      kind,
      OPTIONS.map(option => byOption[option] ?? 0)
    )
  console.log()
  row('answers by status', Object.keys(statuses))
  row('', Object.values(statuses))
  console.log()
  const megabytes = (bytes: number) => `${Math.round(bytes / 1e6)} MB`
  const at = (from: number, to: number) => megabytes(memoryAt(memory, from, to))
  row('memory at', ['start', '10 %', '50 %', 'end'])
  row('', [megabytes(memory[0]?.bytes ?? Number.NaN), at(0.05, 0.15), at(0.4, 0.6), at(0.9, Infinity)])
  row('growth in the second half', [`${(slopeOf(memory) / 1000).toFixed(1)} kB for each 1,000 requests`])
  console.log()
  const ms = (value: number) => `${value.toFixed(1)} ms`
  row('longest turn of the loop', ['one bag', 'honest', 'fuzzed'])
  row('(500 lines; side by side)', [ms(turns.bag), ms(turns.honest), ms(turns.fuzzed)])
  console.log()
  const rate = Math.round(requests / seconds)
  console.log(`seed ${seed}: ${requests} requests in ${Math.round(seconds)} s (${rate}/s), ${pages} pages compared`)
  for (const failure of failures) console.log(`FAILED ${failure}`)
  if (failures.length === 0) console.log('nothing failed')
}
