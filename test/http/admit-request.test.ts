// Option 1 with authentication: who may send a bag, and what everybody else is told.
import { once } from 'node:events'
import { Webhook } from 'standardwebhooks'
import t, { type Test } from 'tap'
import { type Build, build, collectRecords, merchantFile, uuid } from '../build.ts'
import { openSocket } from '../raw-http.ts'
import { until } from '../until.ts'

const TOKEN = 'first-token-of-at-least-32-characters'
const NEXT_TOKEN = 'another-token-of-at-least-32-characters'
const SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
const NEXT_SECRET = `whsec_${Buffer.alloc(32, 2).toString('base64')}`
const VARIABLES = { SHOP_TOKEN: TOKEN, SHOP_TOKEN_NEXT: NEXT_TOKEN, SHOP_SECRET: SECRET, SHOP_SECRET_NEXT: NEXT_SECRET }

/** The clock of `build`. */
const NOW = new Date('2026-11-20T10:00:00.000Z')
const later = (seconds: number) => new Date(NOW.getTime() + seconds * 1000)

type Headers = Record<string, string | string[]>

/** A shop that asks who calls, with what its store was given to keep. */
async function open(t: Test, type: 'bearer' | 'standard-webhooks', ...secretVariables: string[]) {
  return openWith(t, {}, type, ...secretVariables)
}

async function openWith(t: Test, options: Build, type: 'bearer' | 'standard-webhooks', ...secretVariables: string[]) {
  const { collect, records } = collectRecords()
  const merchants = [merchantFile('1', { transfer: { authentication: { type, secretVariables } } })]
  const built = await build(t, { ...options, merchants, variables: VARIABLES, store: collect })
  const send = (sent: Headers, payload: string | Buffer = cart()) => {
    const headers = { 'content-type': 'application/json', ...sent }
    return built.app.inject({ method: 'POST', url: '/shop/cart', headers, payload })
  }
  return { ...built, records, send }
}

const cart = (reference = uuid()) =>
  JSON.stringify({ items: [{ sku: 'MUG', quantity: 1 }], currency: 'GBP', reference })

/** Headers that sign a body, as the library of Standard Webhooks makes them. */
function signed(body: string, { secret = SECRET, at = NOW, id = 'msg_1' } = {}): Record<string, string> {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign(id, at, body)
  }
}

t.test('with either token a bag is accepted, however the scheme is written', async t => {
  const { send } = await open(t, 'bearer', 'SHOP_TOKEN', 'SHOP_TOKEN_NEXT')
  for (const authorization of [`Bearer ${TOKEN}`, `bearer ${TOKEN}`, `BEARER   ${NEXT_TOKEN}`]) {
    const { statusCode, headers } = await send({ authorization })
    t.match([statusCode, headers['www-authenticate']], [200, undefined], authorization)
  }
})

t.test('without the right token a bag is refused, and a wrong token is told nothing but that', async t => {
  const { send, logs } = await open(t, 'bearer', 'SHOP_TOKEN')
  const asked = 'Bearer realm="cart transfer"'
  const wrong = `${asked}, error="invalid_token"`
  const absent = 'The request has no Authorization header; send "Authorization: Bearer …".'
  const malformed = 'Authorization must be one header "Authorization: Bearer …" with one token.'
  const unknown = 'The bearer token is unknown.'
  const cases: [what: string, headers: Headers, challenge: string, reason: string][] = [
    ['no header', {}, asked, absent],
    ['an empty header', { authorization: '' }, asked, malformed],
    ['another scheme', { authorization: `Basic ${TOKEN}` }, asked, malformed],
    ['the token without a scheme', { authorization: TOKEN }, asked, malformed],
    ['a scheme that only begins like it', { authorization: `Bearers ${TOKEN}` }, asked, malformed],
    ['no token', { authorization: 'Bearer' }, wrong, malformed],
    ['another token', { authorization: `Bearer ${NEXT_TOKEN}` }, wrong, unknown],
    ['half the token', { authorization: `Bearer ${TOKEN.slice(0, -1)}` }, wrong, unknown],
    ['more than the token', { authorization: `Bearer ${TOKEN}x` }, wrong, unknown],
    ['the token in another case', { authorization: `Bearer ${TOKEN.toUpperCase()}` }, wrong, unknown],
    ['two tokens', { authorization: `Bearer ${TOKEN} ${TOKEN}` }, wrong, malformed],
    ['the header twice', { authorization: [`Bearer ${TOKEN}`, `Bearer ${TOKEN}`] }, wrong, malformed],
    ['a signature', signed(cart()), asked, absent]
  ]
  const bodies = new Set<string>()
  for (const [sent, [what, headers, challenge, reason]] of cases.entries()) {
    const answer = await send(headers)
    const told = { 'www-authenticate': challenge, 'content-type': 'application/problem+json' }
    t.match(answer, { statusCode: 401, headers: { ...told, 'cache-control': 'no-store' } }, what)
    t.match(answer.json(), { type: /:unauthorized$/, status: 401, detail: reason, errors: undefined })
    await until('the log line', () => logs.filter(({ msg }) => msg === 'transfer').length === sent + 1)
    t.match(logs.at(-1), { problem: 'unauthorized', reason }, 'an operator reads the same in the log')
    bodies.add(JSON.stringify({ ...answer.json(), instance: '' }))
  }
  t.equal(bodies.size, 3, 'the body says nothing else')
})

t.test('a token is checked before the Content-Type and the body; another method is refused as ever', async t => {
  const { app, send } = await open(t, 'bearer', 'SHOP_TOKEN')
  t.equal((await send({ 'content-type': 'text/plain' }, 'x')).statusCode, 401)
  t.equal((await send({}, 'x'.repeat(5_000_000))).statusCode, 401)
  t.equal((await app.inject('/shop/cart')).statusCode, 405)

  await app.listen({ host: '127.0.0.1', port: 0 })
  for (const more of ['', `Authorization: Bearer ${TOKEN}\r\nAuthorization: Bearer x\r\n`]) {
    const socket = openSocket(t, Number(new URL(app.listeningOrigin).port))
    const head = 'POST /shop/cart HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 999\r\n'
    socket.write(`${head}${more}\r\n`)
    const [answer] = await once(socket, 'data')
    t.match(String(answer), /^HTTP\/1\.1 401 Unauthorized\r\n/, 'although nothing of its body has arrived')
  }
})

t.test('a signed bag is accepted, also with the second secret and among other signatures', async t => {
  const { send } = await open(t, 'standard-webhooks', 'SHOP_SECRET', 'SHOP_SECRET_NEXT')
  const body = cart()
  const first = signed(body)
  const other = signed(body, { secret: `whsec_${Buffer.alloc(32, 3).toString('base64')}` })
  const [one, wrong] = [first, other].map(headers => String(headers['webhook-signature']))
  const several = `v1a,${one?.slice(3)} ${wrong} v1,short ${one}`
  for (const headers of [first, signed(body, { secret: NEXT_SECRET }), { ...first, 'webhook-signature': several }]) {
    t.equal((await send(headers, body)).statusCode, 200)
  }
  t.equal((await send(other, body)).statusCode, 401)
})

t.test('a bag that is not signed, not signed with this secret, or not in time is refused', async t => {
  const { app, send } = await open(t, 'standard-webhooks', 'SHOP_SECRET')
  const body = cart()
  const right = signed(body)
  const without = (name: string) => Object.fromEntries(Object.entries(right).filter(([key]) => key !== name))
  const cases: [what: string, headers: Headers, detail: RegExp][] = [
    ['no headers', {}, /^Send webhook-id/],
    ['no id', without('webhook-id'), /^Send webhook-id/],
    ['no timestamp', without('webhook-timestamp'), /^Send webhook-id/],
    ['no signature', without('webhook-signature'), /^Send webhook-id/],
    ['a timestamp that is a date', { ...right, 'webhook-timestamp': NOW.toISOString() }, /^Send webhook-id/],
    ['a timestamp in milliseconds', { ...right, 'webhook-timestamp': String(NOW.getTime()) }, /^Send webhook-id/],
    ['five minutes and a second too early', signed(body, { at: later(-301) }), /five minutes/],
    ['five minutes and a second too late', signed(body, { at: later(301) }), /five minutes/],
    ['another id', { ...right, 'webhook-id': 'msg_2' }, /no valid signature/],
    ['another timestamp', { ...right, 'webhook-timestamp': '1795168801' }, /no valid signature/],
    ['the same time, written otherwise', { ...right, 'webhook-timestamp': '01795168800' }, /no valid signature/],
    ['another secret', signed(body, { secret: NEXT_SECRET }), /no valid signature/],
    ['another body', signed(cart(uuid(2))), /no valid signature/],
    [
      'another version',
      { ...right, 'webhook-signature': `v1a,${right['webhook-signature']?.slice(3)}` },
      /no valid signature/
    ],
    ['the id twice', { ...right, 'webhook-id': ['msg_1', 'msg_1'] }, /no valid signature/],
    ['a token', { authorization: `Bearer ${SECRET}` }, /^Send webhook-id/]
  ]
  for (const [what, headers, detail] of cases) {
    const answer = await send(headers, body)
    const asked = { 'www-authenticate': 'Standard-Webhooks realm="cart transfer"' }
    t.match(answer, { statusCode: 401, headers: asked }, what)
    t.match(answer.json(), { type: /:unauthorized$/, detail }, what)
  }
  for (const at of [later(-300), later(300)]) {
    t.equal((await send(signed(body, { at }), body)).statusCode, 200, at.toISOString())
  }
  // Without a body, Fastify parses none.
  const headers = { 'content-type': 'application/json', ...signed('') }
  const empty = { method: 'POST', url: '/shop/cart', headers } as const
  t.match(await app.inject(empty), { statusCode: 400 }, 'signed, and then read: an empty body is not JSON')
  t.equal((await app.inject({ ...empty, headers: { ...headers, 'webhook-id': 'x' } })).statusCode, 401)
})

t.test('the bytes are signed: a bag is read only after they have been verified', async t => {
  const { send } = await open(t, 'standard-webhooks', 'SHOP_SECRET')
  t.equal((await send(signed('{'), '{')).statusCode, 400)
  t.equal((await send(signed('{}'), '{')).statusCode, 401)
  // The library would read these bytes as the text U+FFFD, which has this signature.
  t.equal((await send(signed('\ufffd'), Buffer.from([0xff]))).statusCode, 401)
})

t.test('a refusal leaves its log line and its record, without a reference, and no secret anywhere', async t => {
  for (const [type, variable] of [
    ['bearer', 'SHOP_TOKEN'],
    ['standard-webhooks', 'SHOP_SECRET']
  ] as const) {
    const { send, logs, records } = await open(t, type, variable)
    const sent = 'Bearer a-token-that-somebody-made-up-or-stole'
    const { body } = await send({ authorization: sent, ...signed(cart(), { secret: NEXT_SECRET }) })
    await until('the line and the record', () => records.length > 0 && logs.at(-1)?.msg === 'transfer')
    t.match(logs.at(-1), { msg: 'transfer', outcome: 'refused', status: 401, problem: 'unauthorized', mistakes: [] })
    t.notOk('reference' in (logs.at(-1) ?? {}))
    const refused = { option: '1', outcome: 'refused', problem: 'unauthorized', mistakes: [] }
    t.strictSame(records, [{ merchantId: 'shop', reference: undefined, ...refused, at: NOW.toISOString() }])
    const text = JSON.stringify([logs, records, body])
    for (const secret of [...Object.values(VARIABLES), sent]) t.notOk(text.includes(secret.replace('whsec_', '')))
  }
})

t.test('RATE_LIMIT counts what is not authenticated, and then refuses all from its address unchecked', async t => {
  const body = cart()
  const cases = [
    ['bearer', 'SHOP_TOKEN', { authorization: `Bearer ${TOKEN}` }, { authorization: `Bearer ${NEXT_TOKEN}` }],
    ['standard-webhooks', 'SHOP_SECRET', signed(body), signed(body, { secret: NEXT_SECRET })]
  ] as const
  for (const [type, variable, right, wrong] of cases) {
    const rateLimit = { requestsPerMinute: 3, trustedProxies: ['127.0.0.1'] }
    const { send, app } = await openWith(t, { rateLimit }, type, variable)
    const statuses = async (...sent: Headers[]) =>
      (await Promise.all(sent.map(headers => send(headers, body)))).map(({ statusCode }) => statusCode)
    t.strictSame(await statuses(...Array(20).fill(right)), Array(20).fill(200), `${type}: at once`)
    t.strictSame(await statuses(right), [200])
    t.strictSame(await statuses({}), [401], 'nothing proves who sent it')
    t.strictSame(await statuses(wrong), [401])
    t.strictSame(await statuses({ ...right, 'content-type': 'text/plain' }), [415])
    // A token is checked before the Content-Type, a signature after it.
    t.strictSame(await statuses(wrong), [type === 'bearer' ? 401 : 429])
    const { headers } = await send(right, body)
    t.match(headers, { 'retry-after': /^\d+$/ }, 'a right one is refused as well: nobody learns that it is right')
    t.strictSame(await statuses(wrong, right), [429, 429])
    const elsewhere = { 'x-forwarded-for': '203.0.113.1' }
    t.strictSame(await statuses({ ...right, ...elsewhere }, { ...wrong, ...elsewhere }), [200, 401])
    t.equal((await app.inject('/shop/openapi.json')).statusCode, 429, 'the same limit as for all the rest')
  }
})

t.test(
  'RATE_LIMIT counts a signed cart of which the rest never arrives, but none that is refused for the load',
  async t => {
    const rateLimit = { requestsPerMinute: 1, trustedProxies: [] }
    const { app, send } = await openWith(t, { rateLimit, bodyMemory: 10_000 }, 'standard-webhooks', 'SHOP_SECRET')
    const large = JSON.stringify({ pad: 'x'.repeat(3000) })
    t.equal((await send(signed(large), large)).statusCode, 503)
    t.equal((await send(signed(cart()))).statusCode, 200)
    await app.listen({ host: '127.0.0.1', port: 0 })
    const socket = openSocket(t, Number(new URL(app.listeningOrigin).port))
    const headers = Object.entries(signed(cart())).map(([name, value]) => `${name}: ${value}\r\n`)
    const head = 'POST /shop/cart HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 999\r\n'
    socket.end(`${head}${headers.join('')}\r\n{`)
    await until('it is counted', async () => (await send(signed(cart()))).statusCode === 429)
  }
)
