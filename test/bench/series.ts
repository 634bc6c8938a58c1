// The list of what can be measured, in the order in which it is.
import type { Bench } from './bench.ts'
import { measureConnections } from './connections.ts'
import { measureLargeFeed } from './large-feed.ts'
import { measureLatency } from './latency.ts'
import { measureStart, measureTransfers } from './memory.ts'
import { measureLines, measureRatios } from './throughput.ts'

export type Series = { name: string; isQuick?: true; run: (bench: Bench) => Promise<void> }

export const series: Series[] = [
  { name: 'ratios', isQuick: true, run: measureRatios },
  { name: 'latency', run: measureLatency },
  { name: 'lines', run: measureLines },
  { name: 'connections', run: measureConnections },
  { name: 'transfers', run: measureTransfers },
  { name: 'start', run: measureStart },
  { name: 'large-feed', run: measureLargeFeed }
]
