// Our server before a shop: a merchant for each way and each option.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../node-process.ts'
import { type Program, startProgram } from './programs.ts'
import type { Addresses, Shop } from './shop.ts'
import { pagePath } from './storefront.ts'

export type Merchant = {
  /** Its way, in words. */
  way: string
  option: string
  /** {base_url} */
  url: string
}

export type Merchants = { program: Program; merchants: Merchant[] }

export async function startMerchants(
  shop: Shop,
  addresses: Addresses,
  folder: string,
  port: number
): Promise<Merchants> {
  const origin = `http://127.0.0.1:${port}`
  mkdirSync(folder)
  const files: string[] = []
  const merchants = shop.ways.flatMap((way, at) =>
    way.options.map((option): Merchant => {
      const id = `way-${at}-${option.toLowerCase()}`
      const settings = {
        name: `${shop.name}: ${way.title}, ${option}`,
        publicUrl: `${origin}/${id}`,
        id,
        locale: 'en-GB',
        currencies: [shop.goods.currency],
        transfer: { option, path: '/cart' },
        checkout: {
          continueShoppingUrl: 'app://shop',
          destination: { type: shop.name, ...way.settings(addresses, pagePath(at)) }
        }
      }
      const file = join(folder, `${id}.json`)
      writeFileSync(file, JSON.stringify(settings, null, 2))
      files.push(file)
      return { way: way.title, option, url: `${settings.publicUrl}/cart` }
    })
  )
  const program = await startProgram(
    {
      command: process.execPath,
      args: ['src/server.ts', ...files],
      cwd: ROOT,
      env: {
        HOST: '127.0.0.1',
        PORT: String(port),
        DATABASE_URL: `sqlite:${join(folder, 'transfers.sqlite')}`,
        SIMULATOR: 'off'
      },
      log: join(folder, 'server.log')
    },
    `${origin}/healthz`,
    60_000
  )
  return { program, merchants }
}
