// The list of what can be measured, in the order in which it is.
import type { Bench } from './bench.ts'
import { measureLines, measureRatios } from './throughput.ts'

export type Series = { name: string; isQuick?: true; run: (bench: Bench) => Promise<void> }

export const series: Series[] = [
  { name: 'ratios', isQuick: true, run: measureRatios },
  { name: 'lines', run: measureLines }
]
