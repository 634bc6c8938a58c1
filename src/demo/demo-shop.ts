// The demo merchants, which plain `npm start` serves, and beside them Orchard Lane's own shop: bags that lead into a shop need
// one that is there.
import { randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { readSecret } from '../environment.ts'
import type { Merchant } from '../merchant/merchant.ts'
import { openShop } from './orchard-shop.ts'

const FOLDER = join(import.meta.dirname, '../../config')

/** The files of the demo merchants. */
export function demoFiles(): string[] {
  return readdirSync(FOLDER)
    .filter(name => /(?<!\.schema)\.json$/.test(name) && name !== 'minimal.json')
    .sort()
    .map(name => relative(process.cwd(), join(FOLDER, name)))
}

const ID = 'orchard'
const SECRET_VARIABLE = 'ORCHARD_SHOP_SECRET'

export type DemoShopOptions = {
  /** The server's own port: the shop listens at the next, or at any other if that is taken. */
  port: number
  /** Scheme, host and port of the server, once it listens. */
  ownOrigin: () => string
  clock: () => Date
}

export async function openDemoShop({ port, ownOrigin, clock }: DemoShopOptions) {
  const secret = `whsec_${randomBytes(32).toString('base64')}`
  const shop = await openShop({
    secret,
    port: port === 0 ? 0 : (port + 1) % 65_536,
    clock,
    ordersUrl: () => `${ownOrigin()}/${ID}/orders`
  })
  return {
    ...shop,
    /** The secret that server and shop share is made at each start; other variables are asked for as usual. */
    secretOf: (name: string) => (name === SECRET_VARIABLE ? secret : readSecret(name)),
    /** Leads the bags of its merchant to where the shop listens, which the merchant file cannot know. */
    lead: (merchant: Merchant): Merchant => {
      const { id, destination } = merchant
      if (id !== ID || !destination) return merchant
      const settings = { ...destination.settings, ...{ url: `${shop.origin}/app-cart` } }
      return { ...merchant, destination: { ...destination, settings } }
    }
  }
}
