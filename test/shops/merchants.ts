// Our server before a shop: a merchant for each way and each option, those of UCP each with an origin of its own.
import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { transferOptions } from '../../src/transfer/index.ts'
import { freePort } from '../listen.ts'
import { ROOT } from '../node-process.ts'
import { type Program, type Start, startProgram } from './programs.ts'
import type { Addresses, Goods, PageRequest, Reports, Shop, ShopCart, Way } from './shop.ts'
import { pagePath } from './storefront.ts'

export type Merchant = {
  /** Its way, in words. */
  way: string
  option: string
  /** {base_url} */
  url: string
  currency: string
  kit: Way['kit']
  /** What is in the cart of a page that its bags lead to. */
  readCart: (page: PageRequest) => Promise<ShopCart | undefined>
}

/** A process of our server. */
type OurServer = {
  /** Ends it at once, and starts it again. */
  kill: Program['kill']
  start: () => Promise<void>
  /** Where its database is, as in `DATABASE_URL`. */
  database: string
  /** Its log so far. */
  log: () => string
}

export type Merchants = OurServer & {
  merchants: Merchant[]
  /** One for each way, each in a process of its own, as an origin has one. */
  ucp: Merchant[]
  /** Ends all processes. */
  end: () => Promise<void>
  /** For other files. */
  folder: string
}

const originOf = (port: number) => `http://127.0.0.1:${port}`
const idOf = (way: number, option: string) => `way-${way}-${option.toLowerCase()}`

/** @param port where startMerchants will start our server */
export function reportsTo(port: number, ways: Shop['ways']): Reports {
  const secret = `whsec_${randomBytes(32).toString('base64')}`
  return { urls: ways.map((_, at) => `${originOf(port)}/${idOf(at, '1')}/orders`), secret }
}

export async function startMerchants(
  shop: Shop,
  addresses: Addresses,
  folder: string,
  port: number,
  { secret }: Reports
): Promise<Merchants> {
  mkdirSync(folder)
  const feed = join(folder, 'feed.tsv')
  writeFileSync(feed, feedOf(shop.goods))
  const written = (at: number, option: string, port: number): { file: string; merchant: Merchant } => {
    const way = shop.ways[at] as Way
    const id = idOf(at, option)
    const settings = {
      name: `${shop.name}: ${way.title}, ${option}`,
      publicUrl: `${originOf(port)}/${id}`,
      id,
      locale: 'en-GB',
      currencies: [shop.goods.currency],
      transfer: { option, path: '/cart' },
      // The answers of UCP have prices.
      ...(option === UCP && { catalogue: { feed } }),
      checkout: {
        continueShoppingUrl: 'app://shop',
        destination: {
          type: shop.name,
          secretVariable: 'SHOP_SECRET',
          ...way.settings(addresses, pagePath(at))
        }
      }
    }
    const file = join(folder, `${id}.json`)
    writeFileSync(file, JSON.stringify(settings, null, 2))
    return {
      file,
      merchant: {
        way: way.title,
        option,
        url: `${settings.publicUrl}/cart`,
        currency: shop.goods.currency,
        kit: way.kit,
        readCart: page => way.readCart(page, addresses)
      }
    }
  }
  const others = transferOptions.map(({ name }) => name).filter(name => name !== UCP)
  const together = shop.ways.flatMap((_, at) => others.map(option => written(at, option, port)))
  const server = await startOurs(
    together.map(({ file }) => file),
    port,
    join(folder, 'server'),
    secret
  )
  const servers = [server]
  const ucp: Merchant[] = []
  for (const at of shop.ways.keys()) {
    const port = await freePort()
    const { file, merchant } = written(at, UCP, port)
    servers.push(await startOurs([file], port, join(folder, idOf(at, UCP)), secret))
    ucp.push(merchant)
  }
  return {
    ...server,
    merchants: together.map(({ merchant }) => merchant),
    ucp,
    end: async () => {
      for (const { kill } of servers) await kill()
    },
    folder
  }
}

const UCP = 'ucp'

/** All that is sent, also what the shop does not sell: it has to say so itself. */
function feedOf({ exist, unknown, outOfStock, scarce, currency }: Goods): string {
  const rows = [...exist, unknown, outOfStock, scarce].map(sku => [sku, sku, 'in_stock', `10.00 ${currency}`])
  return [['id', 'title', 'availability', 'price'], ...rows].map(row => row.join('\t')).join('\n')
}

/** @param base the path of its database and its log, without their endings */
async function startOurs(files: string[], port: number, base: string, secret: string): Promise<OurServer> {
  const log = `${base}.log`
  const database = `sqlite:${base}.sqlite`
  const command: Start = {
    command: process.execPath,
    args: ['src/server.ts', ...files],
    cwd: ROOT,
    env: {
      HOST: '127.0.0.1',
      PORT: String(port),
      DATABASE_URL: database,
      SHOP_SECRET: secret,
      SIMULATOR: 'off'
    },
    log
  }
  const start = () => startProgram(command, `${originOf(port)}/healthz`, 60_000)
  let program = await start()
  return {
    kill: () => program.kill(),
    start: async () => {
      program = await start()
    },
    log: () => readFileSync(log, 'utf8'),
    database
  }
}
