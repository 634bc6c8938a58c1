// What a kit that knows only the contract cannot try: what happens behind us, in the shop.
import { strict as assert } from 'node:assert'
import { randomUUID } from 'node:crypto'
import { CookieJar } from 'tough-cookie'
import type { Cart } from '../../src/cart/cart.ts'
import type { DescribedCookie } from '../../src/transfer/description.ts'
import { transferOptions } from '../../src/transfer/index.ts'
import { until } from '../until.ts'
import type { Merchant, Merchants } from './merchants.ts'
import type { Program } from './programs.ts'
import type { Moment } from './relay.ts'
import { BROUGHT, type Goods, type PageRequest } from './shop.ts'
import { readCookies } from './storefront.ts'

export type CaseContext = {
  goods: Goods
  merchants: Merchant[]
  /** Those that take UCP carts: one for each way. */
  ucp: Merchant[]
  ours: Merchants
  shop: {
    /** Orders what is in the cart of a page. @returns the number of the order */
    order: (page: PageRequest) => Promise<string>
    /** The way of the merchant that its orders are reported to. */
    reportedWay: string | undefined
    /** Withholds its answer to the next request that makes a cart. @returns at that moment */
    holdCart: (moment: Moment) => Promise<void>
    /** How often it was asked to make one. */
    cartsAsked: () => number
    /** Ends the shop at once, and starts it again. */
    kill: Program['kill']
    start: () => Promise<void>
  }
}

export type Case = {
  title: string
  /** @returns what was seen, in a sentence @throws if it is not what should be */
  run: (context: CaseContext) => Promise<string>
}

export type Line = [sku: string, quantity: number]
export type Answer = { status: number; headers: Headers; text: string }

/** Lines side by side. */
export const bag = (...lines: Line[]) => lines

export const newReference = () => randomUUID().replaceAll('-', '')

/** Sends a bag, without following where it leads. @param cookies what the web view has */
export async function send(
  { option, url }: Merchant,
  currency: string,
  lines: Line[],
  reference = newReference(),
  cookies = '',
  brought: Pick<Cart, 'codes' | 'attribution'> = {}
): Promise<Answer> {
  const sender = transferOptions.find(({ name }) => name === option)
  const items = lines.map(([sku, quantity]) => ({ sku, quantity }))
  const request = sender?.request({ reference, currency, items, ...brought }, url)
  assert(request, `there is an option ${option}`)
  const headers = Object.fromEntries(request.headers.map(({ name, value }) => [name, value]))
  const response = await fetch(request.url, {
    method: request.method,
    headers: { ...headers, ...(cookies !== '' && { cookie: cookies }) },
    ...(request.body !== undefined && { body: request.body }),
    redirect: 'manual'
  })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

export type Destination = { url: string; cookies: string }

/** Where an answer leads, whatever the option. @param jar the cookies that the web view has from earlier answers */
export function destinationOf({ url: from }: Merchant, answer: Answer, jar = new CookieJar()): Destination {
  const { status, headers, text } = answer
  assert(status === 303 || status === 200, text)
  const { url, cookies = [] }: { url: string; cookies?: DescribedCookie[] } =
    status === 303 ? { url: String(headers.get('location')) } : JSON.parse(text)
  for (const cookie of headers.getSetCookie()) jar.setCookieSync(cookie, from)
  for (const { name, value, path = '/' } of cookies) jar.setCookieSync(`${name}=${value}; Path=${path}`, url)
  return { url, cookies: jar.getCookieStringSync(url) }
}

/** The units of each SKU in the cart of a page. */
export async function unitsOn({ readCart }: Merchant, { url, cookies }: Destination): Promise<Record<string, number>> {
  const cart = await readCart({ url: new URL(url), cookies: readCookies(cookies) })
  const units: Record<string, number> = {}
  for (const { sku, quantity } of cart?.lines ?? []) units[sku] = (units[sku] ?? 0) + quantity
  return units
}

const codesOf = ({ text }: Answer) =>
  (JSON.parse(text) as { errors: { pointer: string; code: string }[] }).errors.map(
    ({ pointer, code }) => `${pointer}: ${code}`
  )

export const describing = (merchants: Merchant[]) => merchants.find(({ option }) => option === '1') as Merchant

export const cases: Case[] = [
  {
    title: 'one line of three is out of stock',
    run: async ({ goods, merchants }) => {
      const [first = '', second = ''] = goods.exist
      const lines = bag([first, 1], [goods.outOfStock, 1], [second, 1])
      const answer = await send(describing(merchants), goods.currency, lines)
      assert.equal(answer.status, 422, answer.text)
      assert.deepEqual(codesOf(answer), ['#/items/1/sku: out-of-stock'])
      return '422, names that line alone'
    }
  },
  {
    title: 'more units than there are',
    run: async ({ goods, merchants }) => {
      const lines = bag([goods.scarce, 999], [String(goods.exist[0]), 1])
      const answer = await send(describing(merchants), goods.currency, lines)
      assert.equal(answer.status, 422, answer.text)
      const codes = codesOf(answer)
      assert.match(codes.join(), /^#\/items\/0\/(sku: out-of-stock|quantity: quantity-too-large)$/)
      return `422, ${codes[0]}`
    }
  },
  {
    title: 'one SKU on two lines',
    run: async ({ goods, merchants }) => {
      const [sku = '', other = ''] = goods.exist
      for (const merchant of merchants) {
        const answer = await send(merchant, goods.currency, bag([sku, 2], [other, 1], [sku, 3]))
        assert.deepEqual(
          await unitsOn(merchant, destinationOf(merchant, answer)),
          { [sku]: 5, [other]: 1 },
          merchant.way
        )
      }
      return 'the page has the sum of both'
    }
  },
  {
    title: 'the web view still has the session of an earlier bag',
    run: async ({ goods, merchants }) => {
      const [sku = '', other = ''] = goods.exist
      for (const merchant of merchants) {
        const jar = new CookieJar()
        const earlier = destinationOf(merchant, await send(merchant, goods.currency, bag([sku, 2])), jar)
        assert.deepEqual(await unitsOn(merchant, earlier), { [sku]: 2 }, merchant.way)
        const cookies = jar.getCookieStringSync(merchant.url)
        const answer = await send(merchant, goods.currency, bag([sku, 2], [other, 1]), newReference(), cookies)
        const later = destinationOf(merchant, answer, jar)
        assert.deepEqual(await unitsOn(merchant, later), { [sku]: 2, [other]: 1 }, merchant.way)
        assert.deepEqual(await unitsOn(merchant, earlier), { [sku]: 2 }, merchant.way)
      }
      return 'each bag has a cart of its own; nothing is added up'
    }
  },
  {
    title: 'the same bag again, and another one under its reference',
    run: async ({ goods, merchants }) => {
      const [sku = '', other = ''] = goods.exist
      for (const merchant of merchants) {
        const reference = newReference()
        const leadsTo = async (lines: Line[]) =>
          destinationOf(merchant, await send(merchant, goods.currency, lines, reference))
        const first = await leadsTo(bag([sku, 2]))
        assert.deepEqual(await leadsTo(bag([sku, 2])), first, merchant.way)
        const changed = await leadsTo(bag([other, 1]))
        assert.deepEqual(await unitsOn(merchant, first), { [sku]: 2 }, merchant.way)
        assert.deepEqual(await unitsOn(merchant, changed), { [other]: 1 }, merchant.way)
      }
      return 'the same place with the same units; then a new cart'
    }
  },
  {
    title: 'links with a code that is good, and one that has expired',
    run: async ({ goods, merchants, ours }) => {
      const lines = bag([String(goods.exist[0]), 2])
      for (const merchant of merchants.filter(({ option }) => option === 'meta')) {
        const totalWith = async (codes: string[], reference = newReference()) => {
          const brought = { ...BROUGHT, codes }
          const { url, cookies } = destinationOf(
            merchant,
            await send(merchant, goods.currency, lines, reference, '', brought)
          )
          assert.equal(new URL(url).searchParams.get('utm_campaign'), BROUGHT.attribution.utm_campaign)
          const cart = await merchant.readCart({ url: new URL(url), cookies: readCookies(cookies) })
          return Number(cart?.total)
        }
        const [whole, reduced] = [await totalWith([]), await totalWith(['SUMMER10'])]
        assert(reduced < whole, `${merchant.way}: ${reduced} with a code, ${whole} without`)
        const reference = newReference()
        assert.equal(await totalWith(['OLD'], reference), whole, merchant.way)
        const isRefusal = (line: string) => line.includes('shop refused discount codes') && line.includes(reference)
        await until('what the shop says', () => ours.log().split('\n').some(isRefusal))
      }
      return 'the good one reduces what is charged, the other is logged; the page gets the attribution'
    }
  },
  {
    title: 'an order is placed in the shop',
    run: async ({ goods, merchants, shop, ours }) => {
      const reference = newReference()
      const merchant = describing(merchants.filter(({ way }) => way === shop.reportedWay))
      const answer = await send(merchant, goods.currency, bag([String(goods.exist[0]), 2]), reference)
      const { url, cookies } = destinationOf(merchant, answer)
      const order = await shop.order({ url: new URL(url), cookies: readCookies(cookies) })
      const isReported = (line: string) =>
        ['order reported', reference, order].every(part => line.includes(JSON.stringify(part)))
      await until('the report of the order', () => ours.log().split('\n').some(isReported))
      return 'it is reported here, with its reference'
    }
  },
  {
    title: 'the shop is killed while it makes the cart, and comes back',
    run: async ({ goods, merchants, shop }) => {
      const [sku = '', other = ''] = goods.exist
      const lines = bag([sku, 2], [other, 1])
      const moments: [option: string, moment: Moment][] = [
        ['1', 'asked'],
        ['1', 'answering'],
        ['2A', 'answering']
      ]
      for (const [option, moment] of moments) {
        const merchant = merchants.find(merchant => merchant.option === option) as Merchant
        const reference = newReference()
        let isKilled = false
        const killed = shop.holdCart(moment).then(async () => {
          isKilled = true
          await shop.kill()
        })
        const inTheMiddle = await send(merchant, goods.currency, lines, reference)
        assert(isKilled, `${option}, ${moment}: ${inTheMiddle.status} without the request: ${inTheMiddle.text}`)
        await killed
        const whileDown = await send(merchant, goods.currency, lines, reference)
        for (const { status, headers, text } of [inTheMiddle, whileDown]) {
          assert.equal(status, 503, text)
          assert.match(String(headers.get('retry-after')), /^\d+$/)
        }
        await shop.start()
        const answer = await send(merchant, goods.currency, lines, reference)
        assert.deepEqual(
          await unitsOn(merchant, destinationOf(merchant, answer)),
          { [sku]: 2, [other]: 1 },
          `${option}, ${moment}`
        )
      }
      return '503 with Retry-After; the next try works, with exactly the items'
    }
  }
]
