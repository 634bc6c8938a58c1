// A merchant site with metrics, scraped over a socket as Prometheus does.
import type { Test } from 'tap'
import type { FeedCatalogue } from '../../../src/merchant/catalogue/followed-feed.ts'
import { type LookedUp, meterServer } from '../../../src/start/metrics/metrics.ts'
import { type Build, build } from '../../build.ts'
import { type Family, keyOf, readExposition } from './exposition.ts'

type Scrape = {
  families: Family[]
  /** By the name and labels of a sample as they are written. */
  values: Record<string, number>
  text: string
}

export type MeteredShop = Awaited<ReturnType<typeof openMetered>>

export async function openMetered(t: Test, parts: Build, changes: Partial<LookedUp> = {}) {
  let metered: ReturnType<typeof meterServer> | undefined
  const built = await build(t, {
    ...parts,
    observe: async merchants => {
      metered = meterServer(merchants)
      return metered.observer
    }
  })
  const { store, clock, merchants, catalogues } = built
  const { observer, serve } = metered as unknown as ReturnType<typeof meterServer>
  const server = await serve('127.0.0.1', 0, {
    store,
    clock,
    checkReady: store.checkReady,
    shops: merchants.map((merchant, i) => ({ merchant, catalogue: catalogues[i] as FeedCatalogue })),
    ...changes
  })
  t.teardown(server.close)
  return { ...built, observer, url: server.url, scrape: () => scrape(server.url) }
}

export async function scrape(url: string): Promise<Scrape> {
  const response = await fetch(url)
  const type = response.headers.get('content-type')
  if (response.status !== 200 || !type?.startsWith('text/plain; version=0.0.4')) throw new Error(`${type}`)
  const text = await response.text()
  const families = readExposition(text)
  const values = families.flatMap(({ samples }) => samples.map(sample => [keyOf(sample), sample.value]))
  return { families, text, values: Object.fromEntries(values) }
}
