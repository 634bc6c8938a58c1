// A bag handed on to the merchant's own shop, by every option, over real sockets: exactly these items or nothing.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import t, { type Test } from 'tap'
import type { Cart } from '../src/cart/cart.ts'
import type { Destination } from '../src/integrations/destination/destination.ts'
import type { DestinationRoute } from '../src/integrations/destination/shop-page.ts'
import { responseText } from '../src/kit/client/send-request.ts'
import { simulateTransfer } from '../src/kit/client/simulate-transfer.ts'
import type { Merchant } from '../src/merchant/merchant.ts'
import type { Store } from '../src/store/store.ts'
import { transferOptions } from '../src/transfer/index.ts'
import { type Built, build, merchantFile, uuid } from './build.ts'
import {
  type OwnShop,
  openOwnShop,
  SHOP_SECRET,
  type ShopAnswer,
  shopFile
} from './integrations/destination/own-shop.ts'
import { listen } from './listen.ts'
import { reported } from './reported.ts'
import { newReport } from './store/reported-orders-suite.ts'
import { linesIn, mistakesIn } from './transfer/answers.ts'
import { until } from './until.ts'

const ITEMS = [
  { sku: 'MUG', quantity: 2 },
  { sku: 'ROPE', quantity: 1 },
  { sku: 'MUG', quantity: 1 }
]
const VARIABLES = { SHOP_SECRET }

const cartOf = (n = 1, items = ITEMS, currency = 'GBP'): Cart => ({ reference: uuid(n), currency, items })

type Opened = Built & { shop: OwnShop; transfers: () => Record<string, unknown>[] }

async function open(t: Test, option: string, changes: object = {}, store?: (store: Store) => Store): Promise<Opened> {
  const shop = await openOwnShop(t)
  const merchants = [{ ...shopFile(option, shop.url), ...changes }]
  const built = await build(t, { merchants, variables: VARIABLES, ...(store && { store }) })
  await built.app.listen({ port: 0, host: '127.0.0.1' })
  return { ...built, shop, transfers: () => built.logs.filter(({ msg }) => msg === 'transfer') }
}

/** Sends a cart as the platform does. @returns the answer to the transfer itself */
async function send({ app, merchants }: Opened, cart = cartOf(), headers: Record<string, string> = {}) {
  const { path, ways } = merchants[0] as Merchant
  const [{ option, transfer }] = ways
  const request = option.request(cart, path + transfer.path)
  return app.inject({
    method: request.method as 'GET',
    url: request.url,
    headers: { ...Object.fromEntries(request.headers.map(({ name, value }) => [name, value])), ...headers },
    ...(request.body !== undefined && { payload: request.body })
  })
}

for (const option of transferOptions) {
  t.test(`${option.name}: the bag arrives in a fresh cart of the shop, and the app sees exactly its lines`, async t => {
    const opened = await open(t, option.name, { publicUrl: '/shop' })
    const { app, merchants, shop, transfers } = opened
    const { path, ways } = merchants[0] as Merchant
    const [{ transfer }] = ways
    const sent = option.request(cartOf(), app.listeningOrigin + path + transfer.path)
    const { shown } = await simulateTransfer(sent, option.answer)
    t.equal(shown?.status, 200)
    t.strictSame(linesIn(responseText(shown as NonNullable<typeof shown>)), ITEMS)
    const reference = option.answer === 'protocol' ? /^[\da-f]{32}$/ : uuid(1)
    t.match(shop.received, [{ cart: { reference, currency: 'GBP', items: ITEMS } }])
    t.match(transfers(), [{ outcome: 'accepted', lines: 3, reference }])
  })

  t.test(`${option.name}: the shop gets codes and attribution, its page what it has to say and to know`, async t => {
    const opened = await open(t, option.name)
    const attribution = { utm_source: 'instagram', utm_campaign: 'a & b', 'add-to-cart': '12' }
    opened.shop.answer(({ codes }, kept) => ({ json: { ...kept, refusedCodes: codes?.map(code => ({ code })) } }))
    const answer = await send(opened, { ...cartOf(), attribution, codes: ['OLD'] })
    const [{ cart }] = opened.shop.received as [OwnShop['received'][0]]
    // Only links have codes.
    const hasCodes = option.answer === 'redirect'
    t.match(cart, {
      attribution: { utm_source: 'instagram', utm_campaign: 'a & b' },
      codes: hasCodes ? ['OLD'] : undefined
    })
    const page =
      option.answer === 'protocol'
        ? await opened.app.inject(answer.json().continue_url.replace(/^http:..[^/]*/, ''))
        : answer
    const url = page.headers.location ?? answer.json().url
    const said = hasCodes ? '&refused_code=OLD' : ''
    t.equal(url, `${opened.shop.origin}/checkout?cart=${cart.key}${said}&utm_source=instagram&utm_campaign=a%20%26%20b`)
    // It is personal, and the page is kept.
    const kept = await opened.store.newestCheckout('shop', cart.reference)
    t.equal(kept?.handover?.url, `${opened.shop.origin}/checkout?cart=${cart.key}${said}`)
    t.match(
      opened.logs.filter(({ refusedCodes }) => refusedCodes),
      hasCodes ? [{ reference: uuid(1) }] : []
    )
  })

  t.test(`${option.name}: nothing of the shopper's request reaches the shop`, async t => {
    const opened = await open(t, option.name)
    await send(opened, cartOf(), {
      cookie: 'session=an-old-one; shop_cart=an-old-one',
      'user-agent': 'a phone',
      'accept-language': 'de',
      'x-forwarded-for': '203.0.113.7',
      referer: 'https://an-old-one.example/'
    })
    const sent = JSON.stringify(opened.shop.received)
    t.ok(sent.includes('MUG'))
    // No word that may be in a signature.
    t.notMatch(sent, /an-old-one|a phone|203\.0\.113\.7/)
  })
}

t.test('option 1 describes the request that the shop asks for; the others redirect to it', async t => {
  const expireDate = '2026-12-01T00:00:00.5Z'
  const answer = {
    lines: ITEMS,
    currency: 'GBP',
    url: 'https://shop.example/checkout',
    method: 'POST',
    body: 'cart=1',
    cookies: [{ name: 'session', value: 's3', expireDate, isSecure: true }],
    headers: [{ name: 'X-Cart', value: '1' }]
  }
  const one = await open(t, '1')
  one.shop.answer(() => ({ json: answer }))
  const described = await send(one)
  t.equal(described.headers['cache-control'], 'no-store')
  t.strictSame(described.json(), {
    url: 'https://shop.example/checkout',
    httpMethod: 'POST',
    body: 'cart=1',
    cookies: [{ name: 'session', value: 's3', expireDate: '2026-12-01T00:00:00Z', isSecure: true }],
    headers: [{ name: 'X-Cart', value: '1' }]
  })
  for (const option of ['2A', '2B']) {
    const opened = await open(t, option)
    const { method: _, body: _b, headers: _h, cookies: _c, ...plain } = answer
    opened.shop.answer((_cart, kept) => ({ json: { ...kept, cookies: [{ name: 'shop_cart', value: 'x' }] } }))
    const redirected = await send(opened)
    t.equal(redirected.statusCode, 303)
    t.match(redirected.headers, {
      location: /^http:\/\/127\.0\.0\.1:\d+\/checkout\?cart=/,
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'set-cookie': 'shop_cart=x; Path=/; SameSite=Lax'
    })
    for (const [n, lost, reason] of [
      [2, { method: 'POST', body: 'cart=1' }, /^a POST cannot be carried by a redirect/],
      [3, { headers: answer.headers }, /^the header X-Cart/],
      [4, { cookies: answer.cookies }, /^the cookie session for shop\.example, which is not the host of publicUrl/]
    ] as const) {
      opened.shop.answer(() => ({ json: { ...plain, ...lost } }))
      const refused = await send(opened, cartOf(n))
      t.equal(refused.statusCode, 502)
      t.match(opened.transfers().at(-1), { outcome: 'refused', problem: 'destination-unusable', reason })
      t.notMatch(refused.body, /redirect|X-Cart|shop\.example/, 'the shopper does not read it')
    }
    const repeated = await send(opened, cartOf(2))
    t.equal(repeated.statusCode, 502, 'nothing was kept')
  }
})

t.test('what differs in the shop refuses the whole bag, named by line', async t => {
  const opened = await open(t, '1')
  const { shop, transfers } = opened
  const held = (lines: object[], currency = 'GBP') =>
    shop.answer((_cart, kept) => ({ json: { ...kept, lines, currency } }))
  const cases: [name: string, answer: () => void, mistakes: object[], reason: RegExp][] = [
    [
      'a line dropped as it is out of stock',
      () => held([{ sku: 'MUG', quantity: 3 }]),
      [{ pointer: '#/items/1/sku', code: 'destination-differs', sku: 'ROPE' }],
      /^#\/items\/1\/sku: The shop's cart has 0 units of "ROPE"; 1 were sent\.$/
    ],
    [
      'a line without units',
      () =>
        held([
          { sku: 'MUG', quantity: 3 },
          { sku: 'ROPE', quantity: 0 }
        ]),
      [{ pointer: '#/items/1/sku', code: 'out-of-stock', sku: 'ROPE' }],
      /^#\/items\/1\/sku: The shop's cart has 0 units of "ROPE"; 1 were sent\.$/
    ],
    [
      'quantities doubled by an old session',
      () =>
        held([
          { sku: 'MUG', quantity: 6 },
          { sku: 'ROPE', quantity: 2 }
        ]),
      [{ pointer: '#/items/0/sku' }, { pointer: '#/items/1/sku' }, { pointer: '#/items/2/sku' }],
      /^#\/items\/0\/sku: .* \| #\/items\/1\/sku: .* \| #\/items\/2\/sku: .*6 units of "MUG"; 3 were sent\.$/
    ],
    [
      'all of it, and more',
      () => held([{ sku: 'OLD', quantity: 1 }]),
      [{}, {}, {}, { pointer: '#/items', code: 'destination-differs' }],
      / \| #\/items: The shop's cart also has "OLD", which was not sent\.$/
    ],
    [
      'something of an old session',
      () => held([...ITEMS, { sku: 'OLD', quantity: 1 }]),
      [{ pointer: '#/items', code: 'destination-differs' }],
      /^#\/items: The shop's cart also has "OLD"/
    ],
    [
      'another currency',
      () => held(ITEMS, 'EUR'),
      [{ pointer: '#/currency', code: 'destination-differs' }],
      /^#\/currency: The shop's cart is in "EUR"; GBP was sent/
    ],
    [
      'the shop refuses lines itself',
      () =>
        shop.answer(() => ({ status: 422, json: { errors: [{ pointer: '#/items/1/sku', code: 'out-of-stock' }] } })),
      [{ pointer: '#/items/1/sku', code: 'out-of-stock', sku: 'ROPE' }],
      /^#\/items\/1\/sku: The shop says of "ROPE": out-of-stock$/
    ]
  ]
  for (const [i, [name, answer, mistakes, reason]] of cases.entries()) {
    answer()
    const response = await send(opened, cartOf(i + 1))
    t.equal(response.statusCode, 422, name)
    t.match(response.json(), { type: /cart-not-sellable$/, errors: mistakes }, name)
    t.equal(response.json().errors.length, mistakes.length, name)
    t.match(transfers().at(-1), { outcome: 'refused', problem: 'cart-not-sellable', reference: uuid(i + 1), reason })
  }
  shop.answer((_cart, kept) => ({ json: kept }))
  t.equal((await send(opened, cartOf(1))).statusCode, 200, 'once the shop has it, the same bag is taken')
  t.not(shop.received.at(-1)?.cart.key, shop.received[0]?.cart.key, 'in another cart of the shop')
})

t.test('the same bag leads to the same place until it expires; another one takes its place', async t => {
  const opened = await open(t, '2B')
  const { shop, tick, transfers, store } = opened
  const first = await send(opened)
  const again = await send(opened)
  t.equal(again.headers.location, first.headers.location)
  t.equal(shop.received.length, 1, 'the shop is not asked again')
  const other = await send(opened, cartOf(1, [{ sku: 'MUG', quantity: 1 }]))
  t.not(other.headers.location, first.headers.location)
  const back = await send(opened)
  t.not(back.headers.location, first.headers.location, 'a fresh cart')
  t.strictSame(
    transfers().map(({ outcome }) => outcome),
    ['accepted', 'repeated', 'accepted', 'accepted']
  )
  tick(24 * 60 * 60 * 1000)
  t.not((await send(opened)).headers.location, back.headers.location, 'expired with checkout.expiresAfterMinutes')
  const until = '2026-11-21T10:10:00Z'
  shop.answer((_cart, kept) => ({ json: { ...kept, expiresAt: until } }))
  const short = await send(opened, cartOf(2))
  t.match(await store.newestCheckout('shop', uuid(2)), { expiresAt: '2026-11-21T10:10:00.000Z' })
  tick(10 * 60 * 1000)
  shop.answer((_cart, kept) => ({ json: kept }))
  t.not((await send(opened, cartOf(2))).headers.location, short.headers.location, 'or when the shop says')
})

t.test(
  'a shop that fails: 503 with Retry-After, nothing half-kept, and the next try works with the same key',
  async t => {
    const opened = await open(t, '2A')
    const { shop, transfers, store } = opened
    await shop.disappear()
    const down = await send(opened)
    t.equal(down.statusCode, 503)
    t.match(down.headers, { 'retry-after': '10', 'content-type': /html/ })
    t.match(down.body, /can’t take your bag right now/)
    t.match(transfers().at(-1), {
      outcome: 'refused',
      problem: 'destination-unavailable',
      reason: 'no connection: ECONNREFUSED'
    })
    t.equal(await store.newestCheckout('shop', uuid(1)), undefined)
    await shop.comeBack()
    shop.answer(() => ({ json: { lines: [] } }))
    t.equal((await send(opened)).statusCode, 503, 'nonsense')
    shop.answer(() => ({ status: 500 }))
    t.equal((await send(opened)).statusCode, 503)
    shop.answer((_cart, kept) => ({ json: kept }))
    t.equal((await send(opened)).statusCode, 303)
    const keys = new Set(shop.received.map(({ cart }) => cart.key))
    t.equal(keys.size, 1, 'one key for every attempt')
    t.equal((await store.newestCheckout('shop', uuid(1)))?.token, [...keys][0])
  }
)

t.test('the next try has the same key only if the shop may have made a cart', async t => {
  const opened = await open(t, '1')
  const { shop } = opened
  const fails: [name: string, answer: ShopAnswer, isSame: boolean][] = [
    ['an answer that makes no sense', { json: { lines: [] } }, true],
    ['no JSON', { text: 'OK' }, true],
    ['a connection that is cut', 'cuts', true],
    ...[502, 504, 520, 524].map((status): (typeof fails)[0] => [`${status} of a proxy`, { status }, true]),
    ...[500, 503, 401, 404, 429, 302].map((status): (typeof fails)[0] => [`${status}`, { status }, false])
  ]
  for (const [n, [name, answer, isSame]] of fails.entries()) {
    shop.answer(() => answer)
    t.equal((await send(opened, cartOf(n + 1))).statusCode, 503, name)
    await shop.disappear()
    t.equal((await send(opened, cartOf(n + 1))).statusCode, 503, 'nor is it reached the next time')
    await shop.comeBack()
    shop.answer((_cart, kept) => ({ json: kept }))
    t.equal((await send(opened, cartOf(n + 1))).statusCode, 200)
    const [last, before] = shop.received.slice(-2).map(({ cart }) => cart.key)
    t.equal(last === before, isSame, name)
  }
  t.equal(await deleteAttempts(opened), 0)
})

t.test(
  'of a bag that came to nothing nothing is kept, however long it is, and of one with a doubt a few bytes',
  async t => {
    const opened = await open(t, '1', { transfer: { option: '1', path: '/cart', maxItems: 900 } })
    const long = Array.from({ length: 900 }, () => ({ sku: 'MUG', quantity: 1 }))
    const database = new DatabaseSync(join(opened.folder, 'data/test.sqlite'), { readOnly: true })
    t.teardown(() => database.close())
    const kept = () => database.prepare('SELECT attempt, reference_key, cart, created_at FROM handovers').all()
    await opened.shop.disappear()
    for (let n = 1; n <= 20; n++) t.equal((await send(opened, cartOf(n, long))).statusCode, 503)
    t.strictSame(kept(), [])
    await opened.shop.comeBack()
    opened.shop.answer(() => 'cuts')
    for (let n = 1; n <= 20; n++) t.equal((await send(opened, cartOf(n, long))).statusCode, 503)
    t.equal(kept().length, 20)
    for (const row of kept()) t.ok(Object.values(row).join('').length < 150)
  }
)

t.test('a shop that says when to try again: the app is told the same, for an hour at most', async t => {
  const cases: [said: string | undefined, told: string][] = [
    ['36', '36'],
    ['86400', '3600'],
    ['0', '10'],
    ['Fri, 20 Nov 2026 10:00:00 GMT', '10'],
    [undefined, '10']
  ]
  for (const [said, told] of cases) {
    const opened = await open(t, '1')
    opened.shop.answer(() => ({ status: 429, headers: said === undefined ? {} : { 'retry-after': said } }))
    t.match(await send(opened), { statusCode: 503, headers: { 'retry-after': told } }, String(said))
  }
})

t.test('an answer that comes again after it has expired ends its key: the next try makes a fresh cart', async t => {
  const { shop, transfers, ...opened } = await open(t, '2B')
  const sent = () => send({ ...opened, shop, transfers })
  shop.answer((_cart, kept) => ({ json: { ...kept, expiresAt: '2026-11-20T09:00:00Z' } }))
  t.equal((await sent()).statusCode, 503)
  t.match(transfers().at(-1), { reason: "the shop's answer is wrong at /expiresAt: it is in the past" })
  shop.answer((_cart, kept) => ({ json: kept }))
  t.equal((await sent()).statusCode, 303)
  t.not(shop.received[1]?.cart.key, shop.received[0]?.cart.key)
})

t.test(
  'a repeat that cannot go where its bag went, as the settings have changed, is refused with the reason',
  async t => {
    const opened = await open(t, '2A', {}, store => ({
      ...store,
      newestCheckout: async (...of) => {
        const newest = await store.newestCheckout(...of)
        return newest?.handover && { ...newest, handover: { ...newest.handover, httpMethod: 'POST' } }
      }
    }))
    t.equal((await send(opened)).statusCode, 303)
    t.equal((await send(opened)).statusCode, 502)
    t.match(opened.transfers().at(-1), { problem: 'destination-unusable', reason: /^a POST cannot be carried/ })
  }
)

/** Opens the circuit, with this bag first. */
async function openCircuit(opened: Opened, cart = cartOf()): Promise<void> {
  opened.shop.answer(() => ({ status: 500 }))
  for (let n = 0; n < 5; n++) {
    t.equal((await send(opened, cart)).statusCode, 503)
    opened.tick(1250)
  }
}

/** More lines than an open circuit lets through beside another bag. */
const LARGE = Array.from({ length: 51 }, () => ({ sku: 'MUG', quantity: 1 }))

/** The attempts that are kept; they have to have been made a long time ago. */
const deleteAttempts = ({ store }: Opened) => store.deleteHandoffs('shop', '2030', 1000)

t.test('a shop that keeps failing costs few the time limit, and nothing is kept of what it is not asked', async t => {
  const opened = await open(t, '1')
  await openCircuit(opened)
  t.equal(await deleteAttempts(opened), 0, 'of what was asked as the circuit opened')
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  opened.shop.answer(async (_cart, kept) => {
    await released
    return { json: kept }
  })
  const tried = send(opened, cartOf(3))
  await until('a small bag to try it', () => opened.shop.received.length === 6)
  t.equal((await send(opened, cartOf(2, LARGE))).statusCode, 503)
  t.equal(opened.shop.received.length, 6, 'it is not asked')
  t.match(opened.transfers().at(-1), { reason: /^circuit open: .*; the last failure: it answered 500$/ })
  const reason = 'it answered 500'
  const warning = { destination: 'hook', reason, msg: 'shop keeps failing; circuit open, carts get 503' }
  const warned = opened.logs.filter(({ level }) => Number(level) >= 40)
  t.match(warned, [{ level: 40, merchant: 'shop', ...warning }], 'and no line for each is an error')
  release()
  t.equal((await tried).statusCode, 200)
  t.equal(await deleteAttempts(opened), 0)
  t.match(opened.logs.at(-2), { merchant: 'shop', destination: 'hook', msg: 'shop answers again' })
  t.equal((await send(opened, cartOf(2, LARGE))).statusCode, 200)
})

t.test('while the circuit is open, a bag that was taken still leads where it did', async t => {
  const opened = await open(t, '1')
  const first = await send(opened, cartOf(1, LARGE))
  await openCircuit(opened, cartOf(2))
  t.strictSame((await send(opened, cartOf(1, LARGE))).json(), first.json())
  t.match(opened.transfers().at(-1), { outcome: 'repeated' })
})

t.test(
  'while the circuit is open and a bag tries the shop, one that is too large to do so is not even read',
  async t => {
    const opened = await open(t, '1')
    await openCircuit(opened, cartOf(2))
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    opened.shop.answer(async (_cart, kept) => {
      await released
      return { json: kept }
    })
    const trying = send(opened, cartOf(3))
    await until('the shop to be asked', () => opened.shop.received.length === 6)
    const payload = JSON.stringify(cartOf()).padEnd(165 * 1024)
    const large = () =>
      opened.app.inject({ method: 'POST', url: '/shop/cart', headers: { 'content-type': 'application/json' }, payload })
    const refused = await large()
    t.match(refused, { statusCode: 503, headers: { 'retry-after': '10' } })
    t.match(refused.json(), { type: /destination-unavailable$/, detail: /this one was not read/ })
    t.match(opened.transfers().at(-1), { reference: undefined, reason: /^circuit open/ })
    release()
    t.equal((await trying).statusCode, 200)
    t.equal((await large()).statusCode, 200, 'once the shop answers again')
  }
)

t.test(
  'a slow shop takes no more than its share; nothing is kept of the rest, and other shops are as before',
  async t => {
    const slow = await openOwnShop(t)
    const quick = await openOwnShop(t)
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    slow.answer(async (_cart, kept) => {
      await released
      return { json: kept }
    })
    const merchants = [shopFile('1', slow.url), shopFile('1', quick.url, { id: 'quick', publicUrl: '/quick' })]
    const built = await build(t, { merchants, variables: VARIABLES })
    await built.app.listen({ port: 0, host: '127.0.0.1' })
    const opened = { ...built, shop: slow, transfers: () => built.logs.filter(({ msg }) => msg === 'transfer') }
    const sent = Array.from({ length: 1050 }, (_, n) => send(opened, cartOf(n + 1)))
    await until('the answers', () => slow.received.length === 100 && opened.transfers().length === 950)
    const reason = 'it has as many bags as maxInProgress allows (100)'
    t.match(new Set(opened.transfers().map(({ reason }) => reason)), new Set([reason]))
    const others = Array.from({ length: 10 }, (_, n) =>
      send({ ...opened, merchants: built.merchants.slice(1) }, cartOf(n + 1))
    )
    for (const other of others) t.equal((await other).statusCode, 200)
    release()
    const answers = await Promise.all(sent)
    const refused = answers.filter(({ statusCode }) => statusCode === 503)
    t.equal(refused.length, 950)
    t.match(refused[0], { headers: { 'retry-after': '10' } })
    t.match(refused[0]?.json(), { type: /destination-unavailable$/ })
    t.equal(answers.filter(({ statusCode }) => statusCode === 200).length, 100)
    t.equal(await deleteAttempts(opened), 0, 'of those that were refused')
  }
)

t.test('an attempt is on disk before the shop hears of it, and the answer before the app does', async t => {
  const steps: string[] = []
  const opened = await open(t, '1', {}, store => ({
    ...store,
    beginHandoff: async (...attempt) => {
      const key = await store.beginHandoff(...attempt)
      steps.push('attempt kept')
      return key
    },
    finishHandoff: async checkout => {
      const kept = await store.finishHandoff(checkout)
      steps.push('answer kept')
      return kept
    }
  }))
  opened.shop.answer((_cart, kept) => {
    steps.push('shop asked')
    return { json: kept }
  })
  await send(opened)
  t.strictSame(steps, ['attempt kept', 'shop asked', 'answer kept'])
})

/** A shop with what sends this cart once, while the answer to the first is on its way to the store. */
async function openWithRival(t: Test, cart: Cart) {
  let rival: ReturnType<typeof send> | undefined
  const opened: Opened = await open(t, '1', {}, store => ({
    ...store,
    finishHandoff: async checkout => {
      if (!rival) {
        rival = send(opened, cart)
        await rival
      }
      return store.finishHandoff(checkout)
    }
  }))
  return { opened, rival: async () => rival }
}

t.test('the same bag twice at once is one transfer and a repeat', async t => {
  const { opened, rival } = await openWithRival(t, cartOf())
  t.equal((await send(opened)).body, (await rival())?.body)
  t.match(opened.transfers(), [{ outcome: 'accepted' }, { outcome: 'repeated' }])
})

t.test('another bag that comes while the shop is asked wins; the first is refused', async t => {
  const { opened, rival } = await openWithRival(t, cartOf(1, [{ sku: 'ROPE', quantity: 5 }]))
  const first = await send(opened)
  t.equal(first.statusCode, 409)
  t.match(first.json(), { type: /checkout-superseded$/ })
  t.equal((await rival())?.statusCode, 200)
})

t.test('once the shop has reported an order, its reference is used up', async t => {
  const opened = await open(t, '1')
  const { shop, store, tick } = opened
  const report = newReport(1, { reference: uuid(1) })
  const first = await send(opened)
  await store.keepReport(report)
  tick(48 * 60 * 60 * 1000)
  t.strictSame((await send(opened)).json(), first.json(), 'the same bag leads where it did')
  const other = await send(opened, cartOf(1, [{ sku: 'MUG', quantity: 1 }]))
  t.equal(other.statusCode, 409)
  t.match(other.json(), { type: /reference-ordered$/ })
  await store.keepReport(newReport(2, { reference: uuid(2) }))
  t.match((await send(opened, cartOf(2))).json(), { type: /reference-ordered$/ }, 'also if it came before the bag')
  t.equal(shop.received.length, 1, 'the shop is not asked again')
})

t.test('of two bags under one reference, the one that was ordered goes on leading to its place', async t => {
  const opened = await open(t, '1')
  const mug = [{ sku: 'MUG', quantity: 1 }]
  const first = await send(opened)
  t.equal((await send(opened, cartOf(1, mug))).statusCode, 200, 'the shopper has changed the bag')
  await opened.store.keepReport(newReport(1, { reference: uuid(1), currency: 'GBP', items: [...ITEMS].reverse() }))
  t.strictSame((await send(opened)).json(), first.json(), 'but has ordered the first, on its page')
  t.match((await send(opened, cartOf(1, mug))).json(), { type: /reference-ordered$/ })
})

t.test('a destination that leads back to this server does not go round and round', async t => {
  const opened = await open(t, '1')
  const { shop, app, merchants } = opened
  const { path, ways } = merchants[0] as Merchant
  const [{ option, transfer }] = ways
  const answers: number[] = []
  // As a forwarder does that has a User-Agent of its own.
  shop.answer(async ({ reference, currency, items }) => {
    const { headers } = shop.received.at(-1) as (typeof shop.received)[0]
    const hop = Object.entries(headers).filter(([name]) => name.startsWith('cart-transfer'))
    const { body = '', url } = option.request({ reference: `${reference.slice(1)}0`, currency, items }, '')
    const sent = { 'content-type': 'application/json', ...Object.fromEntries(hop), 'user-agent': 'forwarder' }
    const address = app.listeningOrigin + path + transfer.path + url
    const response =
      shop.received.length > 20 ? undefined : await fetch(address, { method: 'POST', headers: sent, body })
    answers.push(response?.status ?? 0)
    return { status: 502 }
  })
  t.equal((await send(opened)).statusCode, 503)
  t.strictSame(answers, [502], 'refused as it comes back')
  t.match(opened.transfers(), [
    { problem: 'destination-unusable', reason: 'checkout.destination leads back to this server' },
    { problem: 'destination-unavailable' }
  ])
  const looped = await send(opened, cartOf(), { 'user-agent': 'cart-transfer' })
  t.equal(looped.statusCode, 502, 'also if it passes on only what others send')
})

t.test('a page that would send the bag here again is refused, not opened again and again', async t => {
  const opened = await open(t, '2B', { publicUrl: '/shop' })
  const { path, ways } = opened.merchants[0] as Merchant
  const [{ option, transfer }] = ways
  const here = option.request(cartOf(), opened.app.listeningOrigin + path + transfer.path).url
  opened.shop.answer((_cart, kept) => ({ json: { ...kept, url: here } }))
  t.equal((await send(opened)).statusCode, 502)
  t.match(opened.transfers(), [
    {
      problem: 'destination-unusable',
      reason: 'the shop leads back to where bags arrive (publicUrl and transfer.path)'
    }
  ])
  opened.shop.answer((_cart, kept) => ({ json: { ...kept, url: here.replace('/cart?', '/cart/bag?') } }))
  t.equal((await send(opened)).statusCode, 303)
})

t.test('an order that is reported while the shop is asked for another bag wins', async t => {
  const opened = await open(t, '1', {}, store => ({
    ...store,
    beginHandoff: async (attempt, reusableFrom) => {
      const key = await store.beginHandoff(attempt, reusableFrom)
      if (attempt.cart.items.length === 1) await store.keepReport(newReport(1, { reference: uuid(1) }))
      return key
    }
  }))
  t.equal((await send(opened)).statusCode, 200)
  const other = await send(opened, cartOf(1, [{ sku: 'MUG', quantity: 1 }]))
  t.match(other.json(), { type: /reference-ordered$/ })
})

t.test('what the feed does not know, or the merchant does not sell, never reaches the shop', async t => {
  const opened = await open(t, '1', { transfer: { option: '1', path: '/cart', maxQuantity: 5 } })
  const items = [
    { sku: 'NO-SUCH', quantity: 1 },
    { sku: 'LAMP', quantity: 6 }
  ]
  const refused = await send(opened, cartOf(1, items, 'EUR'))
  t.equal(refused.statusCode, 422)
  t.match(
    refused.json().errors.map(({ pointer, code, limit }: Record<string, unknown>) => [pointer, code, limit]),
    [
      ['#/items/0/sku', 'sku-unknown', undefined],
      ['#/items/1/quantity', 'quantity-too-large', 5],
      ['#/currency', 'currency-not-sold', undefined]
    ]
  )
  t.strictSame(opened.shop.received, [])
  const soldOut = await send(opened, cartOf(2, [{ sku: 'LAMP', quantity: 1 }]))
  t.equal(soldOut.statusCode, 200, 'stock is the shop’s to say: the feed may be older')
})

t.test('without a feed, the shop alone decides', async t => {
  const shop = await openOwnShop(t)
  const merchants = [shopFile('2B', shop.url, { hasFeed: false })]
  const opened = { ...(await build(t, { merchants, variables: VARIABLES })), shop, transfers: () => [] }
  const items = [{ sku: 'ANYTHING', quantity: 1 }]
  t.equal((await send(opened, cartOf(1, items))).statusCode, 303)
  shop.answer(() => ({ status: 422, json: { errors: [{ pointer: '#/items/0/sku', code: 'sku-unknown' }] } }))
  const refused = await send(opened, cartOf(2, items))
  t.equal(refused.statusCode, 422)
  t.strictSame(mistakesIn(refused.body), ['item_0_sku sku-unknown'])
})

t.test('there is no page of ours', async t => {
  const opened = await open(t, '1')
  await send(opened)
  const { token } = (await opened.store.newestCheckout('shop', uuid(1))) ?? {}
  const response = await opened.app.inject({ method: 'GET', url: `/shop/checkout/${token}` })
  t.equal(response.statusCode, 404)
})

/** The example destination in src/integrations/destination/README.md, verbatim. */
async function readmeDestination(t: Test): Promise<Destination> {
  const source = join(import.meta.dirname, '../src')
  const readme = readFileSync(join(source, 'integrations/destination/README.md'), 'utf8')
  const [, code = ''] = /```ts\n\/\/ src\/integrations\/destination\/kiosk\/kiosk\.ts\n(.*?)```/s.exec(readme) ?? []
  const file = join(t.testdir({}), 'kiosk.ts')
  writeFileSync(file, code.replaceAll("'../", `'${source}/integrations/destination/`))
  return (await import(file)).kiosk
}

t.test('the example in src/integrations/destination/README.md is all that a destination takes', async t => {
  const kiosk = await readmeDestination(t)
  const sent: unknown[] = []
  const { origin: url } = await listen(t, async (request, response) => {
    const { rows } = JSON.parse((await request.toArray()).join(''))
    sent.push(rows)
    const isGone = ({ article }: { article: string }) => article === 'ROPE'
    const missing = rows.filter(isGone).map(({ article }: { article: string }) => article)
    response.writeHead(201).end(JSON.stringify({ id: 'k1', rows: rows.filter((row: never) => !isGone(row)), missing }))
  })
  const file = merchantFile('2B')
  const { path: _, ...checkout } = file.checkout
  const merchants = [{ ...file, checkout: { ...checkout, destination: { type: 'kiosk', url } } }]
  const opened = {
    ...(await build(t, { merchants, destinations: [kiosk] })),
    shop: undefined as never,
    transfers: () => []
  }
  const taken = await send(opened, cartOf(1, [{ sku: 'MUG', quantity: 2 }]))
  t.equal(taken.headers.location, `${url}/checkout/k1`)
  t.strictSame(sent, [[{ article: 'MUG', count: 2 }]])
  t.strictSame(mistakesIn((await send(opened, cartOf(2))).body), ['item_1_sku out-of-stock'])
  const route: DestinationRoute = { answer: 'page', path: '', currencies: ['GBP'] }
  t.match(
    reported(report => kiosk.check({ url: 'kiosk' }, route, report)),
    [{ key: ['url'] }]
  )
})
