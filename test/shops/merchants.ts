// Our server before a shop: a merchant for each way and each option.
import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { transferOptions } from '../../src/transfer/index.ts'
import { ROOT } from '../node-process.ts'
import { type Program, type Start, startProgram } from './programs.ts'
import type { Addresses, PageRequest, Reports, Shop, ShopCart, Way } from './shop.ts'
import { pagePath } from './storefront.ts'

export type Merchant = {
  /** Its way, in words. */
  way: string
  option: string
  /** {base_url} */
  url: string
  kit: Way['kit']
  /** What is in the cart of a page that its bags lead to. */
  readCart: (page: PageRequest) => Promise<ShopCart | undefined>
}

export type Merchants = {
  merchants: Merchant[]
  /** Ends our server at once, and starts it again. */
  kill: Program['kill']
  start: () => Promise<void>
  /** Where its database is, as in `DATABASE_URL`, and other files. */
  database: string
  folder: string
  /** Its log so far. */
  log: () => string
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
  const origin = originOf(port)
  mkdirSync(folder)
  const files: string[] = []
  const merchants = shop.ways.flatMap((way, at) =>
    // A protocol's answers have prices, for which it needs a feed.
    transferOptions
      .filter(({ answer }) => answer !== 'protocol')
      .map(({ name: option }): Merchant => {
        const id = idOf(at, option)
        const settings = {
          name: `${shop.name}: ${way.title}, ${option}`,
          publicUrl: `${origin}/${id}`,
          id,
          locale: 'en-GB',
          currencies: [shop.goods.currency],
          transfer: { option, path: '/cart' },
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
        files.push(file)
        return {
          way: way.title,
          option,
          url: `${settings.publicUrl}/cart`,
          kit: way.kit,
          readCart: page => way.readCart(page, addresses)
        }
      })
  )
  const log = join(folder, 'server.log')
  const database = `sqlite:${join(folder, 'transfers.sqlite')}`
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
  const start = () => startProgram(command, `${origin}/healthz`, 60_000)
  let program = await start()
  return {
    merchants,
    kill: () => program.kill(),
    start: async () => {
      program = await start()
    },
    log: () => readFileSync(log, 'utf8'),
    database,
    folder
  }
}
