// A site as config/deploy/ describes it: two replicas of the server behind a proxy with TLS, and a database that both use.
// A merchant for each option, and what a shopper does there.
import { writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import type { Test } from 'tap'
import { transferOptions } from '../../src/transfer/index.ts'
import type { TransferOption } from '../../src/transfer/option.ts'
import { FEED, merchantFile, uuid } from '../build.ts'
import { AUTHORITY } from '../kit/certificates/tls-server.ts'
import { freePort } from '../listen.ts'
import { runNode } from '../node-process.ts'
import { ADA, type Form, formOf } from '../pages/shopper.ts'
import { type Command, type RunningServer, startServer } from '../server-process.ts'
import { until } from '../until.ts'
import { type Paths, type SiteProxy, startNginx } from './start-nginx.ts'

export const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

export const ITEMS = [
  { sku: 'MUG', quantity: 2 },
  { sku: 'CLOCK', quantity: 1 }
]

export type SiteParts = {
  folder: string
  databaseUrl: string
  /** Writes further merchant files for the site at this address. @returns their paths */
  moreMerchants?: (origin: string) => string[]
  /** nginx by default. */
  startProxy?: (t: Test, paths: Paths) => Promise<SiteProxy>
  /** Of each replica. */
  server?: Pick<Command, 'preload' | 'env'>
}

export type Site = SiteProxy & {
  replicas: RunningServer[]
  /** Starts a replica that has ended, and waits until the proxy asks it again: somebody has to send requests meanwhile. */
  startAgain: (replica: number) => Promise<void>
  /** As the access log has them. */
  addresses: string[]
  baseOf: (option: TransferOption) => string
  send: (option: TransferOption, reference: string) => Promise<Response>
  /** The form of the page that a cart leads to. */
  open: (option: TransferOption, reference: string) => Promise<Form>
  /** @param to a replica, past the proxy, which sends all of a checkout to one of them */
  submit: (form: Form, to?: string) => Promise<Response>
  /** From the bag to the confirmation. @returns its page */
  order: (option: TransferOption, reference: string) => Promise<string>
  /** How a GET is answered that comes from this address of the machine. */
  statusFrom: (localAddress: string, path: string) => Promise<number | undefined>
  /** The references of all orders, in order. */
  ordered: () => Promise<string[]>
  /**
   * Runs `work` while shoppers order one bag after the other, by each option in turn; `more` waits for further orders.
   * @returns the references of what was confirmed, and of what is there, in order
   */
  whileOrdering: (
    shoppers: number,
    work: (more: (count: number) => Promise<void>) => Promise<void>
  ) => Promise<{
    confirmed: string[]
    kept: string[]
  }>
}

/** A UCP cart has a reference of its own. */
const byReference = transferOptions.filter(({ answer }) => answer !== 'protocol')

/** Of the first bag while `whileOrdering` runs; those before are the tests' own. */
const FIRST = 10_000

export async function startSite(
  t: Test,
  { folder, databaseUrl, moreMerchants, startProxy = startNginx, server = {} }: SiteParts
): Promise<Site> {
  setDefaultCACertificates([...getCACertificates(), AUTHORITY])
  const port = await freePort()
  const ports = [await freePort(), await freePort()]
  const own = transferOptions.map(({ name }) => {
    const id = `shop-${name.toLowerCase()}`
    const file = merchantFile(name, { id, publicUrl: `https://localhost:${port}/${id}` })
    writeFileSync(join(folder, `${id}.json`), JSON.stringify(file))
    return `${id}.json`
  })
  writeFileSync(join(folder, 'feed.tsv'), FEED)
  const args = [...own, ...(moreMerchants?.(`https://localhost:${port}`) ?? [])]
  const env = {
    RATE_LIMIT: '1000000',
    TRUSTED_PROXIES: '127.0.0.1',
    DATABASE_URL: databaseUrl
  }
  const startReplica = (replica = 0) =>
    startServer(t, { folder, cwd: folder, args, ...server, env: { ...env, ...server.env, PORT: `${replica}` } })
  const replicas = await Promise.all(ports.map(startReplica))
  const proxy = await startProxy(t, { folder, port, replicas: ports })
  const { origin } = proxy
  const addresses = ports.map(replica => `127.0.0.1:${replica}`)

  const baseOf = ({ name }: TransferOption) => `${origin}/shop-${name.toLowerCase()}/cart`
  const send: Site['send'] = (option, reference) => {
    const cart = { items: ITEMS, currency: 'GBP', reference }
    const { url, method, headers = [], body } = option.request(cart, baseOf(option))
    const named = headers.map(({ name, value }): [string, string] => [name, value])
    return fetch(url, { method, headers: named, ...(body !== undefined && { body }) })
  }
  const pageOf = async (answer: Response): Promise<string> => {
    if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`)
    if (!answer.headers.get('content-type')?.includes('json')) return answer.text()
    const { continue_url: page, url, httpMethod, body } = (await answer.json()) as Record<string, string>
    const posted = { method: String(httpMethod), headers: FORM, body: String(body) }
    return pageOf(await (page === undefined ? fetch(String(url), posted) : fetch(page)))
  }
  const open: Site['open'] = async (option, reference) => {
    const form = formOf(await pageOf(await send(option, reference)))
    if (!form) throw new Error('the page has no form')
    return form
  }
  const submit: Site['submit'] = ({ action, fields }, to) =>
    fetch(new URL(action, to ? `http://${to}` : origin), {
      method: 'POST',
      headers: FORM,
      body: `${new URLSearchParams({ ...fields, ...ADA })}`
    })
  const order: Site['order'] = async (option, reference) => pageOf(await submit(await open(option, reference)))
  const ordered: Site['ordered'] = async () => {
    const { stdout } = await runNode(['src/cli/orders.ts', 'list', '--json'], { env: { ...process.env, ...env } })
    return JSON.parse(stdout)
      .map(({ reference }: { reference: string }) => reference)
      .sort()
  }
  const statusFrom: Site['statusFrom'] = (localAddress, path) =>
    new Promise(resolve =>
      request(origin + path, { host: '127.0.0.1', servername: 'localhost', localAddress }, response => {
        response.resume()
        resolve(response.statusCode)
      }).end()
    )
  const whileOrdering: Site['whileOrdering'] = async (count, work) => {
    const confirmed: string[] = []
    let next = FIRST
    let isOver = false
    const shop = async () => {
      while (!isOver) {
        const n = next++
        await order(byReference[n % byReference.length] as TransferOption, uuid(n))
        confirmed.push(uuid(n))
      }
    }
    const shoppers = Promise.all(Array.from({ length: count }, shop))
    await work(async count => {
      const enough = confirmed.length + count
      await Promise.race([until('orders', () => confirmed.length >= enough), shoppers])
    })
    isOver = true
    await shoppers
    const kept = (await ordered()).filter(reference => reference >= uuid(FIRST) && reference <= uuid(next))
    return { confirmed: confirmed.sort(), kept }
  }
  return {
    ...proxy,
    replicas,
    startAgain: async replica => {
      replicas[replica] = await startReplica(ports[replica])
      await until('it to be asked again', () => proxy.isAsked(`127.0.0.1:${ports[replica]}`))
    },
    addresses,
    baseOf,
    send,
    open,
    submit,
    order,
    statusFrom,
    ordered,
    whileOrdering
  }
}
