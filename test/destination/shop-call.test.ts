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

const SKUS = CART.items.map(({ sku }) => sku)

/** A shop that finds nothing, and keeps the requests that it gets. */
function countingShop(answerTo: (body: string) => object) {
  const counted = { requests: [] as { url: string; body: string }[], open: 0, most: 0 }
  const fetch: typeof globalThis.fetch = async (url, init) => {
    counted.requests.push({ url: String(url), body: String(init?.body) })
    counted.most = Math.max(counted.most, ++counted.open)
    await setImmediate()
    counted.open--
    return Response.json(answerTo(String(init?.body)))
  }
  return { counted, fetch }
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

const url = 'https://shop.example/'
const pageUrl = 'https://shop.example/checkout'
const key = 'key'
const clock = () => new Date()
type Call = { fetch: typeof fetch; signal?: AbortSignal }

const openMedusa = ({ fetch, signal = AbortSignal.timeout(60_000) }: Call) =>
  medusa.open(CART, {
    settings: { url, publishableKey: 'pk_1', regions: { EUR: { id: 'reg_1', pageUrl } } },
    ...{ key, signal, fetch, clock }
  })
const openVendure = ({ fetch, signal = AbortSignal.timeout(60_000) }: Call) =>
  vendure.open(CART, { settings: { url, pageUrl }, key, signal, fetch, clock })
const refused = { message: 'the shop refused the cart' }

t.test('Medusa gets four requests at once', async t => {
  const { counted, fetch } = countingShop(() => ({ variants: [] }))
  await t.rejects(openMedusa({ fetch }), refused)
  t.ok(counted.requests.every(({ url }) => url.startsWith('https://shop.example/store/') && url.length < 4500))
  const asked = counted.requests.flatMap(({ url }) => new URL(url).searchParams.getAll('sku').filter(Boolean))
  t.strictSame(asked, SKUS, 'each SKU once')
  t.ok(counted.requests.length > 100)
  t.equal(counted.most, 4)
})

t.test('Vendure gets four requests at once', async t => {
  const { counted, fetch } = countingShop(body => ({
    data: Object.fromEntries(Object.keys(JSON.parse(body).variables).map(name => [name, { items: [] }]))
  }))
  await t.rejects(openVendure({ fetch }), refused)
  t.equal(counted.requests.length, 36)
  const terms = counted.requests.flatMap(({ body }) => Object.values(JSON.parse(body).variables))
  t.strictSame(terms.slice(0, SKUS.length), SKUS, 'each SKU once, then its longest part')
  t.equal(counted.most, 4)
})

t.test('a shop that does not answer is left when the time is up', async t => {
  for (const open of [openMedusa, openVendure]) {
    const stop = new AbortController()
    const fetch: typeof globalThis.fetch = async (_url, init) => {
      stop.abort()
      throw init?.signal?.aborted ? init.signal.reason : new Error('it was not told')
    }
    await t.rejects(open({ fetch, signal: stop.signal }), { name: 'AbortError' })
  }
})
