// A shop is called with a time limit, for a few bags at a time, for fewer while it only fails, and for a few things at a time,
// however long a bag is; what it answers is read only as far as that holds nobody up.
import { mock } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import t from 'tap'
import type { Cart } from '../../../src/cart/cart.ts'
import {
  CartRefused,
  type Destination,
  type Handoff,
  ShopDown,
  ShopFailed
} from '../../../src/integrations/destination/destination.ts'
import { medusa } from '../../../src/integrations/destination/medusa/medusa.ts'
import { askInTurns, callShop, connectShop, type OwnShop } from '../../../src/integrations/destination/shop-call.ts'
import { vendure } from '../../../src/integrations/destination/vendure/vendure.ts'
import { type Fetch, httpFetch } from '../../../src/integrations/outgoing/http-client.ts'
import { noopObserver } from '../../../src/observer.ts'
import { SILENT } from '../../any-context.ts'
import { measureTurns } from '../../fuzz/turn-meter.ts'

const CART = { reference: 'order-1', currency: 'GBP', items: [{ sku: 'MUG', quantity: 1 }] }
const ANSWER: Handoff = { lines: CART.items, currency: 'GBP', url: 'https://shop.example/' }

const cartOf = (lines: number): Cart => ({
  ...CART,
  items: Array.from({ length: lines }, (_, i) => ({ sku: `${i}`, quantity: 1 }))
})

function connected(open: Destination['open'], { timeoutSeconds = 60, maxInProgress = 100 } = {}) {
  const said: string[] = []
  const logged: object[] = []
  const destination = { name: 'fake', open } as Destination
  let now = Date.parse('2026-11-20T10:00:00Z')
  const ownShop = connectShop(
    { id: 'shop', destination: { adapter: destination, settings: { timeoutSeconds, maxInProgress } } },
    {
      fetch: httpFetch,
      clock: () => new Date(now),
      logger: {
        ...SILENT,
        warn: (details: object) => {
          logged.push(details)
          said.push(`open: ${Reflect.get(details, 'reason')}`)
        },
        info: () => void said.push('closed')
      },
      observer: noopObserver
    }
  )
  const { admit, open: ask, isCircuitOpen } = ownShop as OwnShop
  return {
    said,
    logged,
    isCircuitOpen,
    open: (cart: Cart = CART) => admit(cart, () => ask(cart, 'key')),
    tick: (milliseconds: number) => {
      now += milliseconds
    }
  }
}

t.test('the cart, the key and a signal reach the shop, and its answer is read', async t => {
  let called: unknown[] = []
  const { open } = connected(async (...sent) => {
    called = sent
    return ANSWER
  })
  t.match(await open(), { lines: CART.items, description: { url: 'https://shop.example/' } })
  t.match(called, [CART, { key: 'key', signal: AbortSignal, settings: { timeoutSeconds: 60, maxInProgress: 100 } }])
})

const BROUGHT = {
  codes: ['OLD', 'NO-SUCH'],
  attribution: { utm_source: 'instagram', page: 'a', 'add-to-cart': '12', fbclid: 'IwAR' }
}

t.test(
  'the page learns of refused codes, the log of what the shop said; attribution is no part of a page that is kept',
  async t => {
    const cart = { ...CART, ...BROUGHT }
    const refusedCodes = [{ code: 'OLD', detail: `It has expired. ${'x'.repeat(200)}` }, { code: 'NO-SUCH' }]
    const url = 'https://shop.example/?page=7'
    const { open, logged } = connected(async () => ({ ...ANSWER, url, refusedCodes }))
    const told = `${url}&refused_code=OLD&refused_code=NO-SUCH`
    t.strictSame(await open(cart), {
      lines: CART.items,
      currency: 'GBP',
      description: { url: told, httpMethod: 'GET' }
    })
    t.strictSame(logged, [
      {
        merchant: 'shop',
        destination: 'fake',
        reference: 'order-1',
        refusedCodes: [`"OLD": It has expired. ${'x'.repeat(184)}`, '"NO-SUCH": ']
      }
    ])
    // The page of a POST has a form of its own.
    const posted = connected(async () => ({ ...ANSWER, method: 'POST' }))
    t.match(await posted.open(cart), { description: { url: ANSWER.url, httpMethod: 'POST' } })
    t.strictSame(posted.logged, [])
  }
)

t.test('a code that changes what is in the cart is left out: exactly what was sent, in a new cart', async t => {
  const asked: [codes: string[] | undefined, key: string][] = []
  const gift = { sku: 'GIFT', quantity: 1 }
  const opens: Destination['open'] = async ({ codes }, { key }) => {
    asked.push([codes, key])
    return codes ? { ...ANSWER, lines: [...CART.items, gift] } : ANSWER
  }
  const { open, logged } = connected(opens)
  t.match(await open({ ...CART, codes: ['GIFT'] }), { description: { url: `${ANSWER.url}?refused_code=GIFT` } })
  t.strictSame(asked, [
    [['GIFT'], 'key'],
    [undefined, 'key-no-codes']
  ])
  t.match(logged, [{ refusedCodes: ['"GIFT": with it, the cart is not what was sent'] }])
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
      async () => ({}) as Handoff,
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
  await t.rejects(connected(slow, { timeoutSeconds: 0.02 }).open(), {
    constructor: ShopDown,
    message: 'no answer within 0.02 s'
  })
})

t.test('a long bag has more time, but never more than a stop waits', async t => {
  const timeout = mock.method(AbortSignal, 'timeout', () => new AbortController().signal)
  t.teardown(() => timeout.mock.restore())
  const cases: [timeoutSeconds: number, lines: number, seconds: number][] = [
    [5, 1, 5],
    [5, 99, 5],
    [5, 500, 10],
    [5, 900, 14],
    [10, 900, 14]
  ]
  for (const [timeoutSeconds, lines, seconds] of cases) {
    await connected(async () => ANSWER, { timeoutSeconds }).open(cartOf(lines))
    t.strictSame(timeout.mock.calls.at(-1)?.arguments, [seconds * 1000], `${lines} lines`)
  }
})

/** A shop whose answers are given by hand. */
function waitingShop(settings?: Parameters<typeof connected>[1]) {
  const waiting: PromiseWithResolvers<Handoff>[] = []
  const shop = connected(() => {
    waiting.push(Promise.withResolvers())
    return (waiting.at(-1) as (typeof waiting)[0]).promise
  }, settings)
  /** It has failed for as long as it takes. */
  const fail = async () => {
    for (let i = 0; i < 5; i++) {
      const opened = shop.open()
      shop.tick(1250)
      waiting.pop()?.reject(new ShopDown('down'))
      await opened.catch(() => {})
    }
  }
  return { ...shop, waiting, fail }
}

t.test('a slow shop has so many bags at a time, and the next is refused at once', async t => {
  const { open, waiting, said } = waitingShop({ maxInProgress: 3 })
  const [one, other, another] = [open(), open(), open()] as const
  const full = {
    constructor: ShopFailed,
    message: 'it has as many bags as maxInProgress allows (3)'
  }
  for (let i = 0; i < 20; i++) await t.rejects(open(), full)
  t.equal(waiting.length, 3)
  waiting[1]?.reject(new CartRefused([{ field: 'sku', line: 0, code: 'out-of-stock', detail: 'none left' }]))
  await t.rejects(other, { message: 'the shop refused the cart' })
  const next = open()
  await t.rejects(open(), full)
  for (const { resolve } of waiting) resolve(ANSWER)
  for (const opened of [one, another, next]) t.match(await opened, { lines: CART.items })
  t.strictSame(said, [], 'it is slow, not down')
})

t.test('a bag of a hundred lines takes two places at a shop, and so on: long ones take the memory of many', async t => {
  const { open, waiting } = waitingShop({ maxInProgress: 11 })
  const opened = [open(cartOf(900)), open(cartOf(99))]
  await t.rejects(open(), { message: 'it has as many bags as maxInProgress allows (11)' })
  for (const { resolve } of waiting) resolve(ANSWER)
  for (const one of opened) t.match(await one, { lines: CART.items })
  const next = open()
  waiting[2]?.resolve(ANSWER)
  t.match(await next, { lines: CART.items }, 'all of its places are given back')
})

t.test('the circuit to a shop that only fails opens: few wait for it, until it answers one of them', async t => {
  const { open, waiting, fail, said, isCircuitOpen } = waitingShop()
  await fail()
  t.strictSame([said, isCircuitOpen()], [['open: down'], true])
  const refusal = {
    constructor: ShopFailed,
    message:
      'circuit open: 20 bags of up to 50 lines, or one of any size, at a time try the shop until it answers; the last failure: down'
  }
  const tried = Array.from({ length: 20 }, () => open(cartOf(50)))
  await t.rejects(open(cartOf(51)), refusal, 'a large bag could take long')
  for (let i = 0; i < 20; i++) await t.rejects(open(), refusal)
  t.equal(waiting.length, 20)
  waiting[0]?.reject(new ShopDown('still down'))
  await t.rejects(tried[0] as Promise<unknown>, { message: 'still down' })
  const next = open()
  t.equal(waiting.length, 21, 'one bag that fails keeps no other from trying')
  await t.rejects(open(), { message: /: still down$/ })
  waiting[4]?.resolve(ANSWER)
  t.match(await tried[4], { lines: CART.items })
  t.strictSame([said, isCircuitOpen()], [['open: down', 'closed'], false])
  const large = open(cartOf(900))
  for (const { resolve } of waiting) resolve(ANSWER)
  for (const opened of [next, large]) t.match(await opened, { lines: CART.items })
})

t.test('a few bags that a shop never answers do not close it to others', async t => {
  const { open, waiting, fail, said } = waitingShop()
  await fail()
  const hanging = Array.from({ length: 19 }, () => open(cartOf(50)))
  const next = open()
  waiting.pop()?.resolve(ANSWER)
  t.match(await next, { lines: CART.items })
  t.strictSame(said, ['open: down', 'closed'])
  for (const { resolve } of waiting) resolve(ANSWER)
  await Promise.all(hanging)
})

t.test('a circuit closes for a shop of large bags alone', async t => {
  const { open, waiting, fail, said } = waitingShop()
  await fail()
  const large = open(cartOf(900))
  await t.rejects(open(cartOf(51)), { message: /^circuit open/ })
  const small = open()
  t.equal(waiting.length, 2, 'it keeps no small one from trying')
  for (const { resolve } of waiting) resolve(ANSWER)
  for (const opened of [large, small]) t.match(await opened, { lines: CART.items })
  t.strictSame(said, ['open: down', 'closed'])
})

t.test('a shop that answers is up, whatever it answers: nobody closes it to others by odd carts', async t => {
  const refusal = new CartRefused([{ field: 'sku', line: 0, code: 'out-of-stock', detail: 'none left' }])
  const answers: [name: string, open: Destination['open']][] = [
    ['a refusal', () => Promise.reject(refusal)],
    ['400', () => Promise.reject(new ShopFailed('it answered 400'))],
    ['nonsense', async () => ({}) as Handoff],
    ['what the adapter cannot read', () => Promise.reject(new TypeError('no such field'))]
  ]
  for (const [name, answer] of answers) {
    const { said, open, tick } = connected(answer)
    for (let i = 0; i < 10; i++, tick(5000)) await t.rejects(open(), { message: /^(?!circuit open)/ }, name)
    t.strictSame(said, [], name)
  }
})

t.test('the circuit stays closed while others are answered, whoever sends what makes the shop fail', async t => {
  const odd = { ...CART, items: [{ sku: 'ODD', quantity: 1 }] }
  const { said, open, tick } = connected(async ({ items }) => {
    if (items[0]?.sku === 'ODD') throw new ShopDown('it answered 500')
    return ANSWER
  })
  for (let turn = 0; turn < 40; turn++) {
    for (let i = 0; i < 10; i++) await t.rejects(open(odd), { message: 'it answered 500' })
    tick(500)
    if (turn % 9 === 0) t.match(await open(), { lines: CART.items })
  }
  t.strictSame(said, [])
  for (let i = 0; i < 11; i++) {
    await t.rejects(open(odd), { message: 'it answered 500' })
    tick(500)
  }
  t.strictSame(said, ['open: it answered 500'], 'in a shop where nobody else buys')
  t.match(await open(), { lines: CART.items }, 'and it is open to nobody else')
})

t.test('a clock that is set back keeps no circuit from opening', async t => {
  const { open, tick, said } = connected(() => Promise.reject(new ShopDown('down')))
  for (let i = 0; i < 5; i++) {
    await t.rejects(open(), { message: 'down' })
    tick(-3_600_000)
  }
  t.strictSame(said, ['open: down'])
})

/** What `callShop` makes of an answer that comes in parts of this size. */
async function read(json: string, { size = json.length, body }: { size?: number; body?: string } = {}) {
  const bytes = Buffer.from(json)
  const parts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
    bytes.subarray(i * size, (i + 1) * size)
  )
  return readParts(parts, body)
}

async function readParts(parts: Buffer[], body?: string) {
  const fetch: Fetch = async () => new Response(ReadableStream.from(parts))
  const call = { signal: AbortSignal.timeout(60_000), ...(body !== undefined && { body }) }
  return (await callShop(fetch, 'https://shop.example/carts', call)).json
}

t.test('an answer that would hold the server up is refused before JSON.parse sees it', async t => {
  const parse = mock.method(JSON, 'parse')
  t.teardown(() => parse.mock.restore())
  const deep = 'its answer is nested more than 32 levels deep'
  const cases: [name: string, json: string, message: RegExp | string][] = [
    ['brackets', '['.repeat(2 ** 17), deep],
    ['braces', '{"a":'.repeat(33), deep],
    ['both', '{"a":['.repeat(17), deep],
    ['behind text', `["[\\\\\\"]","\\\\",${'['.repeat(32)}`, deep],
    ['empty lists', `[${Array(40_000).fill('[]')}]`, 'its answer has more than 32768 values'],
    ['members', `{${Array(40_000).fill('"a":0')}}`, 'its answer has more than 32768 values'],
    ['text', `"${'a'.repeat(2 ** 20)}"`, /^its answer has more than 3\d{5} bytes$/]
  ]
  for (const [name, json, message] of cases) {
    for (const size of [65_536, 7]) {
      await t.rejects(read(json, { size, body: 'x'.repeat(400) }), { constructor: ShopFailed, message }, name)
    }
  }
  t.equal(parse.mock.callCount(), 0)
})

t.test('four megabytes of brackets hold the loop no longer than the answer to an honest bag of 500 lines', async t => {
  const { items, currency } = cartOf(500)
  const honest = [Buffer.from(JSON.stringify({ lines: items, currency, url: 'https://shop.example/' }))]
  const brackets = Array<Buffer>(64).fill(Buffer.alloc(65_536, '['))
  /** A hundred answers at once; the best of eight attempts counts. */
  const held = async (parts: Buffer[]) => {
    const turns: number[] = []
    for (let round = 0; round < 8; round++) {
      const answers = () => Array.from({ length: 100 }, () => readParts(parts).catch(() => undefined))
      turns.push((await measureTurns(() => Promise.all(answers()))).total)
    }
    return Math.min(...turns)
  }
  const bag = await held(honest)
  const attack = await held(brackets)

  t.ok(attack < bag, `${attack} ms, and ${bag} ms for honest ones`)
})

t.test('of an answer whose headers are enough, the body is not waited for', async t => {
  let isCancelled = false
  const cancel = () => {
    isCancelled = true
  }
  const fetch: Fetch = async () => new Response(new ReadableStream({ cancel }), { headers: { a: 'b' } })
  const call = { signal: AbortSignal.timeout(60_000), headersOnly: true }
  const { headers } = await callShop(fetch, 'https://shop.example', call)
  t.match({ isCancelled, a: headers.get('a') }, { isCancelled: true, a: 'b' })
})

t.test('how much a shop may answer follows from what it was sent', async t => {
  const list = (bytes: number) => `["${'a'.repeat(bytes - 4)}"]`
  const small = { body: '{}' }
  await read(list(130_000), small)
  await t.rejects(read(list(150_000), small), { message: /bytes$/ })
  await read(list(150_000), { body: 'x'.repeat(100) })
  const large = { body: 'x'.repeat(100_000) }
  await read(list(2 ** 20), large)
  await t.rejects(read(list(2 ** 20 + 1), large), { message: 'its answer has more than 1048576 bytes' })
})

t.test('text is no nesting, however it is written and cut', async t => {
  const value = { text: '[{'.repeat(100), name: ['"[', '\\', '\\"[[', 'ソ☕'], deep: {} as object }
  for (let level = 0; level < 29; level++) value.deep = { deep: value.deep }
  const json = JSON.stringify(value)
  for (const size of [1, 2, 3, json.length]) t.strictSame(await read(json, { size }), value)
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

t.test('the search of Vendure may find a thousand others for each of several short SKUs', async t => {
  const items = Array.from({ length: 1000 }, (_, i) => ({ sku: `A${i}`, productId: `${i}`, productVariantId: `${i}` }))
  const { fetch } = countingShop(body => ({
    data: Object.fromEntries(Object.keys(JSON.parse(body).variables).map(name => [name, { items }]))
  }))
  const cart = { ...CART, items: Array.from({ length: 8 }, (_, i) => ({ sku: `B${i}`, quantity: 1 })) }
  const access = { settings: { url, pageUrl }, key, signal: AbortSignal.timeout(60_000), fetch, clock }
  await t.rejects(vendure.open(cart, access), refused)
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
