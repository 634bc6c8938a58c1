// `kill -9` at random points during 200 placements: after a restart, every confirmed order is stored exactly once and
// complete, and no order is partially stored.
import { randomInt } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { Item } from '../src/cart/cart.ts'
import { FEED, merchantFile, uuid } from './build.ts'
import { valuesOf } from './pages/read-page.ts'
import { ADA, formOf, orderBlock, readOrders } from './pages/shopper.ts'
import { startServer } from './server-process.ts'

const PLACEMENTS = 200
const SHOPPERS = 12
const HEADERS = { 'content-type': 'application/x-www-form-urlencoded' }
const DELIVERY = [{ id: 'post', label: 'Post', price: '4.50' }]
/** In pence. */
const PRICES: Record<string, number> = { MUG: 1250, THROW: 6495, CLOCK: 12_000 }

type Shopper = { n: number; location?: string }

/** The bag of a shopper, different for each number. */
const itemsOf = (n: number) =>
  Object.keys(PRICES)
    .slice(n % 3)
    .map((sku, i) => ({ sku, quantity: n + i + 1 }))
const totalOf = (n: number) => itemsOf(n).reduce((sum, { sku, quantity }) => sum + quantity * (PRICES[sku] ?? 0), 450)
const emailOf = (n: number) => `ada-${n}@analytical.example`

t.test('no confirmed order is lost, duplicated or incomplete after kill -9', async t => {
  const folder = t.testdir({})
  writeFileSync(join(folder, 'feed.tsv'), FEED)
  const merchant = { ...merchantFile('1', { publicUrl: '/shop' }), delivery: DELIVERY }
  writeFileSync(join(folder, 'shop.json'), JSON.stringify(merchant))
  const shoppers: Shopper[] = []
  const confirmed = () => shoppers.filter(({ location }) => location !== undefined)

  /** From the bag to the confirmation. */
  async function order(origin: string, shopper: Shopper): Promise<void> {
    const { n } = shopper
    const cart = { items: itemsOf(n), currency: 'GBP', reference: uuid(n) }
    const json = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(cart) }
    const described = (await (await fetch(`${origin}/shop/cart`, json)).json()) as { url: string; body: string }
    const page = await fetch(described.url, { method: 'POST', headers: HEADERS, body: described.body })
    const form = formOf(await page.text())
    if (!form) throw new Error(`the page of shopper ${n} has no form: ${page.status}`)
    const body = `${new URLSearchParams({ ...form.fields, ...ADA, email: emailOf(n) })}`
    const placed = await fetch(origin + form.action, { method: 'POST', headers: HEADERS, body, redirect: 'manual' })
    if (placed.status === 303) shopper.location = String(placed.headers.get('location'))
  }

  /** The confirmed orders that are not stored exactly once. */
  async function findLost(origin: string): Promise<object[]> {
    const rows = readOrders(join(folder, 'shop.sqlite'))
    const checked = confirmed().map(async ({ n, location }) => {
      const page = await fetch(origin + location)
      const body = await page.text()
      const shown = page.status === 200 && {
        number: (orderBlock(body) as { orderNumber: string }).orderNumber,
        total: valuesOf(body, 'data-total')[0]
      }
      const stored = rows.filter(({ reference }) => reference === uuid(n)).map(({ number }) => number)
      const number = location?.split('order=')[1]
      const isKept = JSON.stringify([shown, stored]) === JSON.stringify([{ number, total: `${totalOf(n)}` }, [number]])
      return isKept ? [] : [{ n, location, status: page.status, shown, stored }]
    })
    return (await Promise.all(checked)).flat()
  }

  /** The orders, confirmed or not, that are incomplete. */
  async function findBroken(origin: string): Promise<object[]> {
    const checked = readOrders(join(folder, 'shop.sqlite')).map(async row => {
      const n = Number.parseInt(String(row.reference), 16)
      const { email, address } = JSON.parse(String(row.customer))
      const page = await fetch(`${origin}/shop/checkout/${row.token}`)
      const kept = {
        lines: JSON.parse(String(row.lines)).map(({ sku, quantity }: Item) => ({ sku, quantity })),
        total: row.total,
        delivery: JSON.parse(String(row.delivery)).id,
        email,
        postcode: address.postcode,
        status: page.status,
        isNamed: (await page.text()).includes(String(row.number))
      }
      const whole = {
        lines: itemsOf(n),
        total: totalOf(n),
        delivery: 'post',
        email: emailOf(n),
        postcode: ADA.postcode,
        status: 409,
        isNamed: true
      }
      return JSON.stringify(kept) === JSON.stringify(whole) ? [] : [kept]
    })
    return (await Promise.all(checked)).flat()
  }

  let kills = 0
  let unconfirmed = 0
  while (confirmed().length < PLACEMENTS) {
    const { child, exited, origin } = await startServer(t, { folder, args: ['shop.json'] })
    t.strictSame(await findLost(origin), [], `after ${kills} kills: ${confirmed().length} confirmed`)
    let isAlive = true
    let left = randomInt(25, 60)
    const shopUntilKilled = async () => {
      while (isAlive && confirmed().length < PLACEMENTS) {
        const shopper: Shopper = { n: shoppers.length }
        shoppers.push(shopper)
        try {
          await order(origin, shopper)
        } catch (error) {
          if (isAlive) throw error
          return
        }
        left -= 1
        if (left !== 0) continue
        // While the other shoppers have requests in flight.
        setTimeout(() => {
          isAlive = false
          child.kill('SIGKILL')
        }, Math.random() * 8)
      }
    }
    await Promise.all(Array.from({ length: SHOPPERS }, shopUntilKilled))
    isAlive = false
    child.kill('SIGKILL')
    t.match(await exited, { signal: 'SIGKILL' })
    kills += 1
    unconfirmed = readOrders(join(folder, 'shop.sqlite')).length - confirmed().length
  }
  const { origin, stop } = await startServer(t, { folder, args: ['shop.json'] })
  t.strictSame(await findLost(origin), [], `at the end: ${confirmed().length} confirmed of ${shoppers.length}`)
  t.strictSame(await findBroken(origin), [])
  t.ok(kills >= 3, `${kills} kills; ${unconfirmed} orders stored but never confirmed to the shopper`)
  t.ok(shoppers.length > confirmed().length, 'the kills interrupted placements')
  t.match(await stop(), { code: 0 })
})
