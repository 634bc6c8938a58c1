// Metrics as the server has them: counted from the start, and served once everything is open, on a port of their own. What
// they say is for the operator, and never beside the shoppers' pages.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { OperatorError } from '../errors.ts'
import type { Observer } from '../observer.ts'
import { createMetrics, type LookedUp, type MeteredMerchant } from './metrics.ts'

export type MetricsServer = {
  /** Where /metrics is. */
  url: string
  close: () => Promise<void>
}

export type MetricsServerOptions = {
  host: string
  /** 0 lets the system choose. */
  port: number
  /** The metrics in Prometheus' text format. */
  scrape: () => Promise<string>
  contentType: string
}

export type MeteredServer = {
  observer: Observer
  /** @throws OperatorError if the port cannot be used */
  serve: (where: Pick<MetricsServerOptions, 'host' | 'port'>, parts: LookedUp) => Promise<MetricsServer>
}

export function meterServer(merchants: MeteredMerchant[]): MeteredServer {
  const { registry, observer, lookUp } = createMetrics(merchants)
  const scrape = async (parts: LookedUp) => {
    await lookUp(parts)
    let text = ''
    for (const { name } of registry.getMetricsAsArray()) {
      text += `${await registry.getSingleMetricAsString(name)}\n`
      // A thousand merchants have 3 MB of metrics: requests go on in between.
      await nextTurn()
    }
    return text
  }
  return {
    observer,
    serve: (where, parts) => serveMetrics({ ...where, scrape: () => scrape(parts), contentType: registry.contentType })
  }
}

/** @throws OperatorError if the port cannot be used */
export async function serveMetrics({ host, port, scrape, contentType }: MetricsServerOptions): Promise<MetricsServer> {
  /** Shared by those who ask at the same time. */
  let scraping: Promise<string> | undefined
  const server = createServer(async ({ method = '', url }, response) => {
    response.setHeader('Cache-Control', 'no-store')
    if (!['GET', 'HEAD'].includes(method) || url?.replace(/\?.*/s, '') !== '/metrics') {
      response.writeHead(404, { 'Content-Type': 'text/plain' }).end('Only GET /metrics is served here.\n')
      return
    }
    scraping ??= scrape().finally(() => {
      scraping = undefined
    })
    try {
      const text = await scraping
      response.writeHead(200, { 'Content-Type': contentType }).end(text)
    } catch (error) {
      // Unhandled, it would stop the server.
      response.writeHead(500, { 'Content-Type': 'text/plain' }).end(`${(error as Error).message}\n`)
    }
  })
  server.listen({ host, port })
  try {
    await once(server, 'listening')
  } catch (error) {
    throw new OperatorError(`METRICS_PORT: ${(error as Error).message}; give a free port`)
  }
  const { address, family, port: taken } = server.address() as AddressInfo
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${taken}/metrics`,
    close: async () => {
      server.close()
      server.closeAllConnections()
    }
  }
}
