// Vendure as its documentation sets it up, with its default search. program.cjs is the shop, products.csv what it sells.
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { runProgram, startProgram } from '../programs.ts'
import type { Shop, ShopCart, Way } from '../shop.ts'

const VERSION = '3.7.3'

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
    options: ['1', '2A', '2B'],
    settings: ({ shop, page }, path) => ({ url: `${shop}/shop-api`, pageUrl: `${page}${path}` }),
    readCart: ({ cookies }, { shop }) => {
      const pairs = Object.entries(cookies).map(([name, value]) => `${name}=${value}`)
      return readCart(shop, { cookie: pairs.join('; ') })
    }
  },
  {
    title: "a cookie of the storefront's with the token",
    options: ['1', '2A', '2B'],
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
    options: ['1', '2A', '2B'],
    settings: ({ shop, otherHost }, path) => ({
      url: `${shop}/shop-api`,
      pageUrl: `${otherHost}${path}?token={token}`
    }),
    readCart: ({ url }, { shop }) => readCart(shop, bearer(url.searchParams.get('token')))
  }
]

const items = (...lines: [sku: string, quantity: number][]) => lines.map(([sku, quantity]) => ({ sku, quantity }))

export const vendure: Shop = {
  name: 'vendure',
  title: `Vendure ${VERSION}, SQLite`,
  packages: {
    dependencies: { '@vendure/core': VERSION, 'sql.js': '1.13.0' },
    overrides: { '@graphql-tools/batch-execute': '10.2.0' }
  },

  async prepare(folder) {
    for (const name of ['program.cjs', 'products.csv']) copyFileSync(here(name), join(folder, name))
    const program = { command: process.execPath, args: ['program.cjs'], cwd: folder, log: join(folder, 'prepare.log') }
    const code = await runProgram(program, 120_000)
    if (code !== 0) throw new Error(`Vendure's database could not be filled: see ${program.log}`)
  },

  start(folder, port) {
    const program = { command: process.execPath, args: ['program.cjs', String(port)], cwd: folder }
    return startProgram({ ...program, log: join(folder, 'shop.log') }, `http://127.0.0.1:${port}/health`, 60_000)
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
  ways,

  scenarios: [
    {
      name: 'session cookies',
      settings: () => ({}),
      cart: {
        currency: 'GBP',
        items: items(['MUG-SEAGLASS', 2], ['12345', 1], ['MUG-SEAGLASS', 3], ['ODD/1 & 2%_(x)\'"é', 1])
      }
    },
    {
      name: 'the token in the address',
      settings: () => ({ pageUrl: 'https://page.example/checkout?token={token}' }),
      cart: { currency: 'GBP', items: items(['lamp', 1]) }
    },
    {
      name: 'the token in a cookie, and the reference in a custom field',
      settings: () => ({
        tokenCookie: 'vendure-auth-token',
        referenceField: 'cartReference',
        channelToken: 'of-no-channel'
      }),
      cart: { currency: 'USD', items: items(['DOLLARS', 1]) }
    },
    {
      name: 'unknown SKUs',
      settings: () => ({}),
      cart: {
        currency: 'GBP',
        items: items(['LAMP', 1], ['NO-SUCH-SKU', 1], ['TWIN', 1], ['Lamp', 1], ['NO-SUCH-SKU', 2])
      }
    },
    {
      name: 'too few units',
      settings: () => ({}),
      cart: {
        currency: 'GBP',
        items: items(['LAMP', 1], ['MUG-RUST', 1], ['ROPE', 3], ['12345', 1000], ['MUG-SLATE', 999])
      }
    },
    {
      name: 'no price in the currency',
      settings: () => ({}),
      cart: { currency: 'GBP', items: items(['LAMP', 1], ['DOLLARS', 1]) }
    },
    { name: 'another currency', settings: () => ({}), cart: { currency: 'EUR', items: items(['LAMP', 1]) } },
    {
      name: 'a variant that is sold no more, in an old search index',
      settings: () => ({}),
      cart: { currency: 'GBP', items: items(['LAMP', 1], ['GONE', 1]) }
    },
    {
      name: 'a custom field that does not exist',
      settings: () => ({ referenceField: 'noSuchField' }),
      cart: { currency: 'GBP', items: items(['LAMP', 1]) }
    },
    {
      name: 'more lines than one request asks for',
      settings: () => ({}),
      cart: { currency: 'GBP', items: Array.from({ length: 51 }, (_, i) => ({ sku: `NO-SUCH-SKU-${i}`, quantity: 1 })) }
    },
    {
      name: 'another address',
      settings: ({ shop }) => ({ url: `${shop}/nothing-here` }),
      cart: { currency: 'GBP', items: items(['LAMP', 1]) }
    }
  ]
}
