// Vendure as its documentation sets it up, with its default search. program.cjs is the shop, products.csv what it sells.
import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { npmInstall, runProgram, startProgram } from '../programs.ts'
import { recipe } from '../recipe.ts'
import type { Shop, ShopCart, Way } from '../shop.ts'
import { placeOrder } from './place-order.ts'
import { scenarios } from './scenarios.ts'

const VERSION = '3.7.3'

/** The way whose orders are reported. */
const ORDERS_WAY = 1

const here = (name: string) => join(import.meta.dirname, name)

/** @param headers those of a session */
async function readCart(shop: string, headers: Record<string, string>): Promise<ShopCart | undefined> {
  const response = await fetch(`${shop}/shop-api`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({
      query: '{ activeOrder { subTotalWithTax lines { quantity productVariant { sku } } } }'
    })
  })
  const { data } = (await response.json()) as { data: { activeOrder: ActiveOrder | null } }
  if (!data.activeOrder) return undefined
  const { subTotalWithTax: total, lines } = data.activeOrder
  return { total, lines: lines.map(({ quantity, productVariant: { sku } }) => ({ sku, quantity })) }
}

type ActiveOrder = { subTotalWithTax: number; lines: { quantity: number; productVariant: { sku: string } }[] }

const bearer = (token: string | null | undefined) => ({ authorization: `Bearer ${token}` })

const ways: Way[] = [
  {
    title: 'the cookies of its sessions',
    settings: ({ shop, page }, path) => ({ url: `${shop}/shop-api`, pageUrl: `${page}${path}` }),
    readCart: ({ cookies }, { shop }) => {
      const pairs = Object.entries(cookies).map(([name, value]) => `${name}=${value}`)
      return readCart(shop, { cookie: pairs.join('; ') })
    }
  },
  {
    title: "a cookie of the storefront's with the token",
    settings: ({ shop, page }, path) => ({
      url: `${shop}/shop-api`,
      pageUrl: `${page}${path}`,
      tokenCookie: 'vendure-auth-token',
      referenceField: 'cartReference'
    }),
    readCart: ({ cookies }, { shop }) => readCart(shop, bearer(cookies['vendure-auth-token']))
  },
  {
    title: 'the token in the address, on another site',
    settings: ({ shop, otherHost }, path) => ({
      url: `${shop}/shop-api`,
      pageUrl: `${otherHost}${path}?token={token}`
    }),
    readCart: ({ url }, { shop }) => readCart(shop, bearer(url.searchParams.get('token')))
  }
]

/** @param args of its command line */
const program = (folder: string, ...args: string[]) => ({
  command: process.execPath,
  args: ['program.cjs', ...args],
  cwd: folder
})

export function vendureShop(): Shop {
  let secret = ''
  return {
    name: 'vendure',
    title: `Vendure ${VERSION}, SQLite`,
    install: folder =>
      npmInstall(folder, {
        dependencies: { '@vendure/core': VERSION, 'sql.js': '1.13.0', standardwebhooks: '^1', typescript: '^5' },
        overrides: { '@graphql-tools/batch-execute': '10.2.0' }
      }),

    async prepare(folder, reports) {
      secret = reports.secret
      for (const name of ['program.cjs', 'products.csv']) copyFileSync(here(name), join(folder, name))
      writeFileSync(
        join(folder, 'app-orders.ts'),
        recipe('vendure', 'src/plugins/app-orders.ts', String(reports.urls[ORDERS_WAY]))
      )
      const fill = { ...program(folder), log: join(folder, 'prepare.log') }
      const code = await runProgram(fill, 120_000)
      if (code !== 0) throw new Error(`Vendure's database could not be filled: see ${fill.log}`)
    },

    start(folder, port) {
      const shop = {
        ...program(folder, String(port)),
        env: { ACME_SHOP_SECRET: secret },
        log: join(folder, 'shop.log')
      }
      return startProgram(shop, `http://127.0.0.1:${port}/health`, 60_000)
    },

    orders: {
      way: ORDERS_WAY,
      place: ({ cookies }, { shop }) => placeOrder(shop, String(cookies['vendure-auth-token']))
    },

    goods: {
      currency: 'GBP',
      exist: ['MUG-SEAGLASS', 'MUG-SLATE', 'LAMP', '12345'],
      unknown: 'NO-SUCH-SKU',
      outOfStock: 'MUG-RUST',
      scarce: 'ROPE',
      sameSku: 'together',
      maxQuantity: 999
    },
    cartRequest: 'addItemsToOrder',
    ways,
    scenarios
  }
}
