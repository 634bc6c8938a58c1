// Carts that a platform keeps by UCP, down to what the shop then has: exactly the lines, or none and each line that it does not sell.
import { strict as assert } from 'node:assert'
import { randomUUID } from 'node:crypto'
import { exampleProfile } from '../../src/ucp/platform-settings.ts'
import { type Answer, bag, type Case, type Destination, destinationOf, type Line, unitsOn } from './cases.ts'
import type { Merchant } from './merchants.ts'

type UcpCart = {
  id: string
  line_items: { item: { id: string }; quantity: number }[]
  continue_url: string
  messages: { code: string; path?: string }[]
}

type UcpAnswer = Answer & { cart: UcpCart }

const METHODS = { create: 'POST', get: 'GET', update: 'PUT', cancel: 'POST' }

type Sent = { id?: string; lines?: Line[]; key?: string }

/** Asks for an operation on a cart, by REST. */
async function ask(
  { url, currency }: Merchant,
  operation: keyof typeof METHODS,
  { id, lines = [], key = randomUUID() }: Sent
): Promise<UcpAnswer> {
  const path = [`${url}/carts`, ...(id === undefined ? [] : [id]), ...(operation === 'cancel' ? ['cancel'] : [])]
  const line_items = lines.map(([id, quantity]) => ({ item: { id }, quantity }))
  const response = await fetch(path.join('/'), {
    method: METHODS[operation],
    headers: {
      'ucp-agent': `profile="${exampleProfile()}"`,
      'content-type': 'application/json',
      'idempotency-key': key
    },
    ...(operation !== 'get' && { body: JSON.stringify({ line_items, context: { currency } }) })
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, cart: JSON.parse(text) }
}

const linesOf = ({ text, cart }: UcpAnswer): Line[] => {
  assert(cart.line_items, text)
  return cart.line_items.map(({ item, quantity }): Line => [item.id, quantity])
}

/** What an answer says is wrong, as "code path". */
function wrong({ status, text, cart }: UcpAnswer): string[] {
  assert.equal(status, 200, text)
  assert.equal(cart.id, undefined, text)
  return cart.messages.map(({ code, path }) => (path === undefined ? code : `${code} ${path}`))
}

const follow = async ({ cart }: UcpAnswer): Promise<Answer> => {
  const response = await fetch(cart.continue_url, { redirect: 'manual' })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

const leadsTo = async (merchant: Merchant, answer: UcpAnswer): Promise<Destination> =>
  destinationOf(merchant, await follow(answer))

/** @throws unless the answer has exactly these lines, and so has the shop's page behind it; a SKU is on one line */
async function assertCart(merchant: Merchant, answer: UcpAnswer, lines: Line[]): Promise<void> {
  assert.deepEqual(linesOf(answer), lines, merchant.way)
  assert.deepEqual(await unitsOn(merchant, await leadsTo(merchant, answer)), Object.fromEntries(lines), merchant.way)
}

export const ucpCases: Case[] = [
  {
    title: 'UCP: a cart, and the page behind continue_url',
    run: async ({ goods, ucp }) => {
      const lines = goods.exist.map((sku, i): Line => [sku, i + 1])
      for (const merchant of ucp) {
        const answer = await ask(merchant, 'create', { lines })
        assert.equal(answer.status, 201, answer.text)
        await assertCart(merchant, answer, lines)
      }
      return 'the answer and the page have exactly its lines'
    }
  },
  {
    title: 'UCP: a cart with lines that are unknown, out of stock and too many, among others',
    run: async ({ goods, ucp }) => {
      const [first = '', second = ''] = goods.exist
      const lines = bag([first, 1], [goods.unknown, 1], [goods.outOfStock, 1], [second, 2], [goods.scarce, 9])
      for (const merchant of ucp) {
        assert.deepEqual(
          wrong(await ask(merchant, 'create', { lines })),
          [
            'item_unavailable $.line_items[1]',
            'out_of_stock $.line_items[2]',
            'quantity_too_large $.line_items[4].quantity'
          ],
          merchant.way
        )
      }
      return 'it is refused as a whole, and names these lines, each with its code'
    }
  },
  {
    title: 'UCP: a cart is read and replaced',
    run: async ({ goods, ucp }) => {
      const [first = '', second = '', third = ''] = goods.exist
      for (const merchant of ucp) {
        const created = await ask(merchant, 'create', { lines: bag([first, 2], [second, 1]) })
        const { id } = created.cart
        const earlier = await leadsTo(merchant, created)
        const lines = bag([third, 3], [second, 4])
        const replaced = await ask(merchant, 'update', { id, lines })
        assert.deepEqual([replaced.status, replaced.cart.id], [200, id], replaced.text)
        await assertCart(merchant, replaced, lines)
        assert.deepEqual(await unitsOn(merchant, earlier), { [first]: 2, [second]: 1 }, 'an open page keeps its cart')
        const refused = await ask(merchant, 'update', { id, lines: bag([first, 1], [goods.outOfStock, 1]) })
        assert.deepEqual(wrong(refused), ['out_of_stock $.line_items[1]'], merchant.way)
        const read = await ask(merchant, 'get', { id })
        assert.deepEqual(read.cart, replaced.cart, merchant.way)
        await assertCart(merchant, read, lines)
      }
      return 'whole: the page has the new lines alone, also after one that is refused'
    }
  },
  {
    title: 'UCP: a cart is cancelled',
    run: async ({ goods, ucp }) => {
      const lines = bag([String(goods.exist[0]), 2])
      for (const merchant of ucp) {
        const created = await ask(merchant, 'create', { lines })
        const { id } = created.cart
        const cancelled = await ask(merchant, 'cancel', { id })
        assert.deepEqual(cancelled.cart, created.cart, merchant.way)
        for (const answer of [
          await ask(merchant, 'get', { id }),
          await ask(merchant, 'update', { id, lines }),
          await ask(merchant, 'cancel', { id })
        ]) {
          assert.deepEqual(wrong(answer), ['not_found'], merchant.way)
        }
        assert.equal((await follow(created)).status, 404, merchant.way)
      }
      return 'it is not_found from then on, and so is its page'
    }
  },
  {
    title: 'UCP: the same request again, with its key',
    run: async ({ goods, ucp, shop }) => {
      const [first = '', second = ''] = goods.exist
      const [lines, others] = [bag([first, 2]), bag([second, 3])]
      for (const merchant of ucp) {
        const key = randomUUID()
        const before = shop.cartsAsked()
        const created = await ask(merchant, 'create', { lines, key })
        const { id } = created.cart
        assert.equal((await ask(merchant, 'create', { lines, key })).text, created.text, merchant.way)
        assert.equal(shop.cartsAsked() - before, 1, 'one cart in the shop')
        const replaced = await ask(merchant, 'update', { id, lines: others, key })
        assert.equal((await ask(merchant, 'update', { id, lines: others, key })).text, replaced.text, merchant.way)
        assert.equal(shop.cartsAsked() - before, 2, 'and one for what replaced it')
        await assertCart(merchant, replaced, others)
        const conflict = await ask(merchant, 'create', { lines: others, key })
        assert.equal(conflict.status, 409, conflict.text)
        assert.equal(shop.cartsAsked() - before, 2)
      }
      return 'the same answer, and one cart in the shop; another request with the key is 409'
    }
  },
  {
    title: 'UCP: the shop is killed while it makes the cart, and comes back',
    run: async ({ goods, ucp, shop }) => {
      const [merchant] = ucp
      assert(merchant, 'there is a way')
      const [lines, key] = [bag([String(goods.exist[0]), 2]), randomUUID()]
      const killed = shop.holdCart('answering').then(shop.kill)
      const inTheMiddle = await ask(merchant, 'create', { lines, key })
      await killed
      const whileDown = await ask(merchant, 'create', { lines, key })
      for (const { status, headers, text } of [inTheMiddle, whileDown]) {
        assert.equal(status, 503, text)
        assert.match(String(headers.get('retry-after')), /^\d+$/)
      }
      await shop.start()
      const answer = await ask(merchant, 'create', { lines, key })
      assert.equal(answer.status, 201, answer.text)
      await assertCart(merchant, answer, lines)
      return '503 with Retry-After; the same request works later, with exactly the items'
    }
  }
]
