// One bag asks a shop for a few things at a time, however long it is.
import { setImmediate } from 'node:timers/promises'
import t from 'tap'
import { medusa } from '../../src/destination/medusa/medusa.ts'
import { askInTurns } from '../../src/destination/shop-call.ts'
import { vendure } from '../../src/destination/vendure/vendure.ts'

/** The longest bag with the longest SKUs. */
const CART = {
  reference: 'order-1',
  currency: 'EUR',
  items: Array.from({ length: 900 }, (_, i) => ({ sku: `${i}`.padEnd(128, 'ソ-'), quantity: 1 }))
}

/** A shop that finds nothing, and counts its requests. */
function countingShop(answerTo: (body: string) => object) {
  const counted = { requests: 0, open: 0, most: 0 }
  const fetch: typeof globalThis.fetch = async (_url, init) => {
    counted.requests++
    counted.most = Math.max(counted.most, ++counted.open)
    await setImmediate()
    counted.open--
    return Response.json(answerTo(String(init?.body)))
  }
  return { counted, parts: { fetch, clock: () => new Date() } }
}

t.test('answers come in the order of the parts, and a failure is the last request', async t => {
  const asked: number[] = []
  const ask = async (part: number) => {
    asked.push(part)
    for (let i = part % 4; i < 4; i++) await setImmediate()
    if (part === 6) throw new Error('down')
    return part * 10
  }
  t.strictSame(await askInTurns([1, 2, 3, 4, 5], ask), [10, 20, 30, 40, 50])
  t.strictSame(await askInTurns([], ask), [])
  asked.length = 0
  await t.rejects(askInTurns([5, 6, 7, 8, 9], ask), { message: 'down' })
  t.strictSame(asked, [5, 6, 7, 8])
})

t.test('Medusa gets four requests at once', async t => {
  const { counted, parts } = countingShop(() => ({ variants: [] }))
  const regions = { EUR: { id: 'reg_1', pageUrl: 'https://shop.example/checkout' } }
  const shop = medusa.connect({ url: 'https://shop.example', publishableKey: 'pk_1', regions }, parts)
  await t.rejects(shop.open(CART, 'key', AbortSignal.timeout(60_000)), { message: 'the shop refused the cart' })
  t.ok(counted.requests > 100)
  t.equal(counted.most, 4)
})

t.test('Vendure gets four requests at once', async t => {
  const { counted, parts } = countingShop(body => ({
    data: Object.fromEntries(Object.keys(JSON.parse(body).variables).map(name => [name, { items: [] }]))
  }))
  const settings = { url: 'https://shop.example/shop-api', pageUrl: 'https://shop.example/checkout' }
  const shop = vendure.connect(settings, parts)
  await t.rejects(shop.open(CART, 'key', AbortSignal.timeout(60_000)), { message: 'the shop refused the cart' })
  t.equal(counted.requests, 36)
  t.equal(counted.most, 4)
})
