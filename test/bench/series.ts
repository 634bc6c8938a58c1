// The list of what can be measured, in the order in which it is.
import type { Bench } from './bench.ts'
import { measureConnections } from './connections.ts'
import { measureLargeFeed } from './large-feed.ts'
import { measureLatency, measureMixed } from './latency.ts'
import { measureMerchants, measureStart, measureTransfers } from './memory.ts'
import { measureReplicas } from './replicas.ts'
import { measureLines, measureRatios } from './throughput.ts'

export type Series = { name: string; isQuick?: true; run: (bench: Bench) => Promise<void> }

export const series: Series[] = [
  { name: 'ratios', isQuick: true, run: measureRatios },
  { name: 'latency', run: measureLatency },
  { name: 'mixed', run: measureMixed },
  { name: 'lines', run: measureLines },
  { name: 'connections', run: measureConnections },
  { name: 'transfers', run: measureTransfers },
  { name: 'start', run: measureStart },
  { name: 'merchants', run: measureMerchants },
  { name: 'large-feed', run: measureLargeFeed },
  { name: 'replicas', run: measureReplicas }
]
