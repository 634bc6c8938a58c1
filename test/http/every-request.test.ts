// What every request must have, and what every answer says; load that cannot be answered soon is refused at once, and the server
// recovers by itself.
import { mock } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import t from 'tap'
import { MAX_IN_PROGRESS } from '../../src/http/every-request.ts'
import { build, buildListening, holdCheckouts, merchantFile, uuid } from '../build.ts'
import { openWire, type Wire } from '../fuzz/wire.ts'
import { sendRaw } from '../raw-http.ts'
import { until } from '../until.ts'

const HSTS = 'max-age=31536000'

const ADDRESSES = [
  ['GET', '/healthz'],
  ['GET', '/readyz'],
  ['GET', '/favicon.ico'],
  ['GET', '/nothing'],
  ['POST', '/healthz'],
  ['GET', '/one/nothing'],
  ['POST', '/one/cart'],
  ['PUT', '/one/cart'],
  ['GET', '/one/checkout/unknown'],
  ['GET', '/one/pictures/mug.svg'],
  ['GET', '/one/pictures/missing.svg'],
  ['GET', '/one/%zz']
] as const

t.test('every answer says nosniff, and demands https if that is how it is reached', async t => {
  for (const [origin, hsts] of [
    ['https://shop.example', HSTS],
    ['http://127.0.0.1:3000', undefined]
  ] as const) {
    const { app } = await build(t, { merchants: [merchantFile('1', { publicUrl: `${origin}/one` })] })
    for (const [method, url] of ADDRESSES) {
      const { headers } = await app.inject({ method, url })
      const { 'x-content-type-options': sniff, 'content-security-policy': policy } = headers
      t.match([sniff, policy], ['nosniff', /^default-src 'none';/], `${method} ${url}`)
      t.equal(headers['strict-transport-security'], hsts, `${method} ${url}, ${origin}`)
    }
  }
})

t.test('if only some merchants are reached by https, only their answers demand it', async t => {
  const secure = merchantFile('1', { id: 'secure', publicUrl: 'https://shop.example/secure' })
  const local = merchantFile('1', { id: 'local', publicUrl: 'http://127.0.0.1:3000/local' })
  const { app } = await build(t, { merchants: [secure, local] })
  const hstsOf = async (url: string) => (await app.inject(url)).headers['strict-transport-security']
  for (const url of ['/secure/checkout/unknown', '/secure/cart']) t.equal(await hstsOf(url), HSTS, url)
  for (const url of ['/local/checkout/unknown', '/healthz']) t.equal(await hstsOf(url), undefined, url)
})

t.test('a request has exactly one Host', async t => {
  const { port } = await buildListening(t)
  const get = (version: string, hosts: string) =>
    sendRaw(port, `GET /healthz HTTP/${version}\r\n${hosts}Connection: close\r\n\r\n`)
  t.match(await get('1.1', 'Host: shop.example\r\n'), { status: 200 })
  t.match(await get('1.0', ''), { status: 200 })
  const missing = await get('1.1', '')
  t.match(missing, { status: 400, body: /needs a Host header/ })
  for (const version of ['1.1', '1.0']) {
    const repeated = await get(version, 'Host: shop.example\r\nhost: shop.example\r\n')
    t.match(repeated, { status: 400, body: /one Host header/ }, version)
  }
})

const merchants = [
  merchantFile('1', { id: 'one', publicUrl: 'http://127.0.0.1:3000/one' }),
  merchantFile('2B', { id: 'two-b', publicUrl: 'http://127.0.0.1:3000/two-b' })
]

const postCart = (app: FastifyInstance, i: number) =>
  app.inject({
    method: 'POST',
    url: '/one/cart',
    headers: { 'content-type': 'application/json' },
    payload: JSON.stringify({ items: [{ sku: 'MUG', quantity: 1 }], currency: 'GBP', reference: uuid(i) })
  })
const getCart = (app: FastifyInstance, i: number | string, headers = {}) =>
  app.inject({ url: `/two-b/cart?item_0_sku=MUG&item_0_quantity=1&currency=GBP&reference=r-${i}`, headers })

t.test('beyond so many requests in progress, the rest is refused at once with Retry-After', async t => {
  // The log counts what it has said once a second: here, no second ends.
  t.teardown(() => mock.timers.reset())
  mock.timers.enable({ apis: ['setInterval'] })
  const { hold, release, held: writes } = holdCheckouts()
  const { app, logs } = await build(t, { merchants, store: hold })
  const held = []
  for (let i = 0; i < MAX_IN_PROGRESS - 1; i++) {
    held.push(i % 2 ? postCart(app, i) : getCart(app, i))
    // A turn of their own, as it takes no more requests after a second.
    if (i % 20 === 0) await nextTurn()
  }
  await until('all but one', () => writes() === MAX_IN_PROGRESS - 1)
  // Bodies that arrive for the last place at the same time.
  const last = [postCart(app, MAX_IN_PROGRESS), postCart(app, MAX_IN_PROGRESS + 1)]
  const late = await Promise.race(last)
  await until('all', () => writes() === MAX_IN_PROGRESS)
  const shed = [await getCart(app, 'more'), await postCart(app, MAX_IN_PROGRESS + 2), late]
  for (const response of shed) t.match(response, { statusCode: 503, headers: { 'retry-after': '5' } })
  t.match(shed[0]?.headers['content-type'], /^text\/html/, 'a shopper gets a page')
  t.match(shed[1]?.json(), { type: /overloaded$/ }, 'a platform gets problem+json')
  t.match(await app.inject('/healthz'), { statusCode: 200 }, 'health checks are exempt')
  t.match(await app.inject('/readyz'), { statusCode: 200 })

  release()
  t.strictSame((await Promise.all(last)).map(({ statusCode }) => statusCode).sort(), [200, 503])
  for (const response of await Promise.all(held)) if (response.statusCode !== 200) t.fail(response.body)
  t.match(await getCart(app, 'more'), { statusCode: 200 }, 'it has recovered')
  t.equal(logs.filter(({ err }) => err !== undefined).length, 1, 'the log has one line with the cause')
  const refused = logs.filter(({ msg, problem }) => msg === 'transfer' && problem === 'overloaded')
  t.equal(refused.length, shed.length, 'and one for each transfer')
})

/** Works until so much CPU time has passed, in milliseconds. */
function work(duration: number): void {
  const before = process.threadCpuUsage()
  for (let worked = 0; worked < duration; ) {
    const { user, system } = process.threadCpuUsage(before)
    worked = (user + system) / 1000
  }
}

/** Stands still, as a process does whose machine is paused. */
function standStill(duration: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, duration)
}

t.test('a turn of the event loop that takes too long takes no further requests', async t => {
  let hold = () => {}
  const { app, port } = await buildListening(t, {
    merchants,
    store: store => ({
      ...store,
      addCheckout: (...args) => {
        hold()
        return store.addCheckout(...args)
      },
      findCheckout: async (...args) => {
        const found = await store.findCheckout(...args)
        hold()
        return found
      }
    })
  })
  const ask = async (wire: Wire, path: string) => {
    const [answer] = await wire.send(Buffer.from(`GET ${path} HTTP/1.1\r\nHost: shop.example\r\n\r\n`), 1)
    return answer?.status
  }
  const wires = [openWire(port), openWire(port)]
  for (const wire of wires) {
    t.teardown(wire.close)
    t.equal(await ask(wire, '/healthz'), 200)
  }
  // Both have arrived when the next turn begins.
  const path = '/two-b/cart?item_0_sku=MUG&item_0_quantity=1&currency=GBP&reference='
  const askAll = (name: string) => Promise.all(wires.map((wire, i) => ask(wire, `${path}${name}-${i}`)))
  hold = () => work(1100)
  t.strictSame(await askAll('work'), [200, 503])
  hold = () => standStill(1100)
  t.strictSame(await askAll('pause'), [200, 200], 'a pause is no load')
  let later: Promise<number | undefined> | undefined
  hold = () => {
    hold = () => {}
    work(1100)
    later = ask(wires[1] as Wire, '/two-b/checkout/none')
  }
  t.equal(await ask(wires[0] as Wire, '/two-b/checkout/none'), 404)
  t.equal(await later, 503, 'what arrives while a turn looks things up has waited for it')
  t.match(await getCart(app, 'later'), { statusCode: 200 }, 'the next turn takes them again')
})

t.test('a limit of requests a minute counts each address behind the proxy', async t => {
  const { app } = await build(t, { merchants, rateLimit: { requestsPerMinute: 2, trustedProxies: ['127.0.0.1'] } })
  const from = (address: string) => getCart(app, address, { 'x-forwarded-for': address })
  t.match(await from('203.0.113.1'), { statusCode: 200 })
  t.match(await from('203.0.113.1'), { statusCode: 200 })
  const third = await from('203.0.113.1')
  t.match(third, { statusCode: 429, headers: { 'retry-after': /^\d+$/, 'content-type': /^text\/html/ } })
  t.match(await from('203.0.113.2'), { statusCode: 200 }, 'another address')
  t.match(await from('2001:db8::1'), { statusCode: 200 })
  t.match(await from('2001:db8::2'), { statusCode: 200 })
  t.match(await from('2001:db8::3'), { statusCode: 429 }, 'one household has a network of IPv6 addresses')
  for (let i = 0; i < 5; i++) t.match(await app.inject('/healthz'), { statusCode: 200 }, 'health checks are exempt')
})

t.test('neither a port nor what is no address makes another address of it', async t => {
  const rateLimit = { requestsPerMinute: 1, trustedProxies: ['127.0.0.1', '192.0.2.7'] }
  const groups = [
    [
      '203.0.113.1:1',
      '203.0.113.1',
      '203.0.113.1:65535',
      '[::ffff:203.0.113.1]:80',
      '9.9.9.9, 203.0.113.1:3,192.0.2.7:4'
    ],
    ['[2001:db8::1]:1', '2001:db8::2', '[2001:db8::3]'],
    ['unknown', '_hidden', '999.1.1.1', '203.0.113', 'a.example:80', '[::1', '\u00fc', '203.0.113.1:x', '8.8.8.8, ']
  ]
  for (const addresses of groups) {
    const { app } = await build(t, { merchants, rateLimit })
    const found: number[] = []
    for (const [n, address] of addresses.entries()) {
      found.push((await getCart(app, n, { 'x-forwarded-for': address })).statusCode)
    }
    t.strictSame(found, [200, ...addresses.slice(1).map(() => 429)], addresses.join(' '))
  }
})

t.test('a minute ends after a minute, also if the clock was set back', async t => {
  let elapsed = performance.now()
  t.intercept(performance, 'now', { value: () => elapsed })
  const { app } = await build(t, { merchants, rateLimit: { requestsPerMinute: 1, trustedProxies: [] } })
  t.match(await getCart(app, 1), { statusCode: 200 })
  t.match(await getCart(app, 2), { statusCode: 429, headers: { 'retry-after': '60' } })
  const { now } = Date
  t.intercept(Date, 'now', { value: () => now() - 24 * 60 * 60 * 1000 })
  elapsed += 61_000
  t.match(await getCart(app, 3), { statusCode: 200 })
})

t.test('the limit counts what is refused before its body is read, and what does not exist', async t => {
  const json = { 'content-type': 'application/json' }
  const refused = {
    404: { method: 'GET', url: '/one/nothing' },
    405: { method: 'PUT', url: '/one/cart', headers: json },
    415: { method: 'POST', url: '/one/cart', headers: { 'content-type': 'text/plain' }, payload: 'x' },
    401: { method: 'POST', url: '/closed/cart', headers: json, payload: '{}' }
  } as const
  const authentication = { type: 'bearer', secretVariables: ['TOKEN'] }
  const closed = merchantFile('1', { id: 'closed', publicUrl: '/closed', transfer: { authentication } })
  const { app } = await build(t, {
    merchants: [...merchants, closed],
    variables: { TOKEN: 'a'.repeat(32) },
    rateLimit: { requestsPerMinute: 1, trustedProxies: ['127.0.0.1'] }
  })
  for (const [status, request] of Object.entries(refused)) {
    const headers = {
      ...('headers' in request && request.headers),
      'x-forwarded-for': `203.0.113.${Number(status) - 400}`
    }
    const [first, second] = [await app.inject({ ...request, headers }), await app.inject({ ...request, headers })]
    t.strictSame([first.statusCode, second.statusCode], [Number(status), 429])
  }
})

t.test('X-Forwarded-For is believed only from a trusted proxy; another is logged once', async t => {
  for (const [trustedProxies, second, lines] of [
    [[], 429, 1],
    [['192.0.2.1'], 429, 1],
    [['127.0.0.1'], 200, 0]
  ] as const) {
    const rateLimit = { requestsPerMinute: 1, trustedProxies: [...trustedProxies] }
    const { app, logs } = await build(t, { merchants, rateLimit })
    t.match(await getCart(app, 1, { 'x-forwarded-for': '203.0.113.1' }), { statusCode: 200 })
    t.match(await getCart(app, 2, { 'x-forwarded-for': '203.0.113.2' }), { statusCode: second })
    t.equal(logs.filter(({ level, msg }) => level === 40 && /^X-Forwarded-For from/.test(String(msg))).length, lines)
  }
})
