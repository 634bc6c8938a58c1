// Metrics as the server has them: counted from the start, looked up and served once everything is open.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FeedCatalogue } from '../catalogue/followed-feed.ts'
import type { Merchant } from '../merchant/merchant.ts'
import type { Observer } from '../observer.ts'
import { addGauges, type LookedUp } from './gauges.ts'
import { createMetrics } from './metrics.ts'
import { type MetricsServer, type MetricsServerOptions, serveMetrics } from './metrics-server.ts'

export type MeteredServer = {
  observer: Observer
  /** @throws OperatorError if the port cannot be used */
  serve: (where: Pick<MetricsServerOptions, 'host' | 'port'>, parts: ServedParts) => Promise<MetricsServer>
}

export type ServedParts = Pick<LookedUp, 'store' | 'checkReady' | 'clock' | 'patience'> & {
  shops: { merchant: Pick<Merchant, 'id' | 'webhook'>; catalogue: FeedCatalogue }[]
}

export async function meterServer(merchants: Merchant[]): Promise<MeteredServer> {
  const { client, registry, observer } = await createMetrics(merchants)
  return {
    observer,
    serve: (where, { shops, ...parts }) => {
      const lookUp = addGauges(
        { client, registry },
        {
          ...parts,
          catalogues: shops.map(({ merchant, catalogue }) => ({ merchant: merchant.id, catalogue })),
          withWebhook: shops.flatMap(({ merchant }) => (merchant.webhook ? merchant.id : []))
        }
      )
      const scrape = async () => {
        await lookUp()
        let text = ''
        for (const { name } of registry.getMetricsAsArray()) {
          text += `${await registry.getSingleMetricAsString(name)}\n`
          // A thousand merchants have 3 MB of metrics: requests go on in between.
          await nextTurn()
        }
        return text
      }
      return serveMetrics({ ...where, scrape, contentType: registry.contentType })
    }
  }
}
