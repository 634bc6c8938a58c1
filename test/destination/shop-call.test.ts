// A shop is called with a time limit, not at all for a while after five failures in a row, and for a few things at a time,
// however long a bag is.
import { mock } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import t, { type Test } from 'tap'
import {
  CartRefused,
  type Destination,
  type Handover,
  ShopDown,
  ShopFailed
} from '../../src/destination/destination.ts'
import { medusa } from '../../src/destination/medusa/medusa.ts'
import { askInTurns, connectShop, type OwnShop } from '../../src/destination/shop-call.ts'
import { vendure } from '../../src/destination/vendure/vendure.ts'
import { type Fetch, httpFetch } from '../../src/outgoing/http-client.ts'

const CART = { reference: 'order-1', currency: 'GBP', items: [{ sku: 'MUG', quantity: 1 }] }
const ANSWER: Handover = { lines: CART.items, currency: 'GBP', url: 'https://shop.example/' }

function connected(open: Destination['open'], timeoutSeconds = 60) {
  const said: string[] = []
  const destination = { name: 'fake', open } as Destination
  const { ownShop } = connectShop(
    { id: 'shop', destination: { destination, settings: { timeoutSeconds } } },
    {
      fetch: httpFetch,
      clock: () => new Date(),
      logger: {
        warn: (details: object) =>
          void said.push(`open for ${Reflect.get(details, 'seconds')} s: ${Reflect.get(details, 'reason')}`),
        info: () => void said.push('closed')
      },
      observer: { shopCircuit: () => {} }
    }
  )
  return { said, open: () => (ownShop as OwnShop).open(CART, 'key') }
}

t.test('the cart, the key and a signal reach the shop, and its answer is read', async t => {
  let called: unknown[] = []
  const { open } = connected(async (...sent) => {
    called = sent
    return ANSWER
  })
  t.match(await open(), { lines: CART.items, description: { url: 'https://shop.example/' } })
  t.match(called, [CART, { key: 'key', signal: AbortSignal, settings: { timeoutSeconds: 60 } }])
})

t.test('every failure says what it was', async t => {
  const failed = (code: string) => new TypeError('fetch failed', { cause: Object.assign(new Error('no'), { code }) })
  const cases: [name: string, open: Destination['open'], kind: typeof ShopFailed, message: string][] = [
    ['no connection', () => Promise.reject(failed('ECONNREFUSED')), ShopDown, 'no connection: ECONNREFUSED'],
    [
      'a connection that is cut',
      () => Promise.reject(failed('ECONNRESET')),
      ShopDown,
      'it closed the connection before it answered (ECONNRESET)'
    ],
    ['any other error', () => Promise.reject(new Error('what happened')), ShopFailed, 'what happened'],
    ['its own words', () => Promise.reject(new ShopFailed('it answered 400')), ShopFailed, 'it answered 400'],
    [
      'nonsense',
      async () => ({}) as Handover,
      ShopFailed,
      "the shop's answer is wrong at /lines: give the list of lines that the cart holds"
    ]
  ]
  for (const [name, open, kind, message] of cases) {
    await t.rejects(connected(open).open(), { constructor: kind, message }, name)
  }
  const slow: Destination['open'] = (_cart, { signal }) =>
    new Promise((_resolve, reject) => {
      // The timer of the signal does not keep the process alive; a socket would.
      const open = setInterval(() => {}, 1000)
      signal.addEventListener('abort', () => {
        clearInterval(open)
        reject(signal.reason)
      })
    })
  await t.rejects(connected(slow, 0.02).open(), {
    constructor: ShopDown,
    message: 'no answer within 0.02 s'
  })
})

/** The clock stands still, and can be moved on. */
function stopClock(t: Test): void {
  mock.timers.enable({ apis: ['Date'], now: Date.now() })
  t.teardown(() => mock.timers.reset())
}

t.test('the circuit to a shop that keeps failing opens, and the shop is asked again after a while', async t => {
  stopClock(t)
  let calls = 0
  let isWell = false
  const { said, open } = connected(async () => {
    calls++
    if (!isWell) throw new ShopDown('down')
    return ANSWER
  })
  for (let i = 0; i < 5; i++) await t.rejects(open(), { message: 'down' })
  t.strictSame(said, ['open for 10 s: down'])
  await t.rejects(open(), {
    constructor: ShopFailed,
    message: 'circuit open for 10 s after 5 failures in a row; the last: down'
  })
  t.equal(calls, 5, 'nobody waits for it')
  isWell = true
  mock.timers.tick(10_000)
  t.match(await open(), { lines: CART.items })
  t.strictSame(said, ['open for 10 s: down', 'closed'])
})

t.test('a shop that answers is up, whatever it answers: nobody closes it to others by odd carts', async t => {
  const refusal = new CartRefused([{ field: 'sku', line: 0, code: 'out-of-stock', detail: 'none left' }])
  const answers: [name: string, open: Destination['open']][] = [
    ['a refusal', () => Promise.reject(refusal)],
    ['400', () => Promise.reject(new ShopFailed('it answered 400'))],
    ['nonsense', async () => ({}) as Handover],
    ['what the adapter cannot read', () => Promise.reject(new TypeError('no such field'))]
  ]
  for (const [name, answer] of answers) {
    const { said, open } = connected(answer)
    for (let i = 0; i < 10; i++) await t.rejects(open(), { message: /^(?!circuit open)/ }, name)
    t.strictSame(said, [], name)
  }
})

t.test('after a pause one cart asks the shop, and no other waits for what becomes of it', async t => {
  stopClock(t)
  let answer: ((handover: Handover) => void) | undefined
  let isTried = false
  const { open } = connected(() =>
    isTried ? new Promise(resolve => (answer = resolve)) : Promise.reject(new ShopDown('down'))
  )
  for (let i = 0; i < 5; i++) await t.rejects(open(), { message: 'down' })
  isTried = true
  mock.timers.tick(10_000)
  const tried = open()
  while (!answer) await setImmediate()
  await t.rejects(open(), { constructor: ShopFailed, message: /^circuit open/ })
  answer(ANSWER)
  t.match(await tried, { lines: CART.items })
})

t.test('failures count as in a row only if the shop has not answered in between', async t => {
  let calls = 0
  const refusal = new CartRefused([{ field: 'sku', line: 0, code: 'out-of-stock', detail: 'none left' }])
  const { said, open } = connected(() => Promise.reject(++calls % 5 === 0 ? refusal : new ShopDown('down')))
  for (let i = 0; i < 20; i++) await open().catch(() => {})
  t.equal(calls, 20)
  t.strictSame(said, [])
})

/** The longest bag with the longest SKUs. */
const LONG_CART = {
  reference: 'order-1',
  currency: 'EUR',
  items: Array.from({ length: 900 }, (_, i) => ({ sku: `${i}`.padEnd(128, 'ソ-'), quantity: 1 }))
}

const SKUS = LONG_CART.items.map(({ sku }) => sku)

/** A shop that finds nothing, and keeps the requests that it gets. */
function countingShop(answerTo: (body: string) => object) {
  const counted = { requests: [] as { url: string; body: string }[], open: 0, most: 0 }
  const fetch: Fetch = async (url, init) => {
    counted.requests.push({ url: String(url), body: String(init.body) })
    counted.most = Math.max(counted.most, ++counted.open)
    await setImmediate()
    counted.open--
    return Response.json(answerTo(String(init.body)))
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
type Call = { fetch: Fetch; signal?: AbortSignal }

const openMedusa = ({ fetch, signal = AbortSignal.timeout(60_000) }: Call) =>
  medusa.open(LONG_CART, {
    settings: { url, publishableKey: 'pk_1', regions: { EUR: { id: 'reg_1', pageUrl } } },
    ...{ key, signal, fetch, clock }
  })
const openVendure = ({ fetch, signal = AbortSignal.timeout(60_000) }: Call) =>
  vendure.open(LONG_CART, { settings: { url, pageUrl }, key, signal, fetch, clock })
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
    const fetch: Fetch = async (_url, init) => {
      stop.abort()
      throw init.signal.aborted ? init.signal.reason : new Error('it was not told')
    }
    await t.rejects(open({ fetch, signal: stop.signal }), { name: 'AbortError' })
  }
})
