// Counts from the start of the server, and serves /metrics on a port of its own once everything is open.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Registry } from '@prometheus-io/client'
import { OperatorError } from '../errors.ts'
import { createMetrics, type LookedUp, type MeteredMerchant } from './metrics.ts'

export type MetricsServer = Awaited<ReturnType<typeof serveMetrics>>

export type MeteredServer = ReturnType<typeof meterServer>

export function meterServer(merchants: MeteredMerchant[]) {
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
  const serve = (host: string, port: number, parts: LookedUp) => serveMetrics(host, port, () => scrape(parts))
  return { observer, serve }
}

/** @param port 0 lets the system choose @returns where /metrics is @throws OperatorError if the port cannot be used */
export async function serveMetrics(host: string, port: number, scrape: () => Promise<string>) {
  /** Shared by concurrent scrapes. */
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
      response.writeHead(200, { 'Content-Type': Registry.PROMETHEUS_CONTENT_TYPE }).end(text)
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
