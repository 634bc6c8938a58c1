// UCP carts over MCP: what an agent's client sends, and what JSON-RPC makes of it.
import type { FastifyInstance } from 'fastify'
import t from 'tap'
import { type Build, build, merchantFile } from '../../build.ts'
import { newSigner, signedHeaders } from '../../ucp/sign-request.ts'

const PROFILE = 'https://platform.example/profile.json'
const META = { 'ucp-agent': { profile: PROFILE } }
const MUG = { line_items: [{ item: { id: 'MUG' }, quantity: 2 }] }

async function open(t: Parameters<typeof build>[0], settings: Build = {}) {
  const built = await build(t, { merchants: [merchantFile('ucp', { transfer: { path: '/ucp' } })], ...settings })
  return { ...built, ...clientOf(built.app) }
}

function clientOf(app: FastifyInstance) {
  /** Sends a body as it is. */
  const post = async (payload: string | Buffer, headers: Record<string, string> = {}) => {
    const url = '/shop/ucp/mcp'
    const answer = await app.inject({
      method: 'POST',
      url,
      payload,
      headers: { 'content-type': 'application/json', ...headers }
    })
    return { status: answer.statusCode, headers: answer.headers, text: answer.body }
  }
  const send = async (message: object, headers?: Record<string, string>) => {
    const { status, text } = await post(JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }), headers)
    return { status, ...JSON.parse(text) }
  }
  const call = (name: unknown, args: object, headers?: Record<string, string>) =>
    send({ method: 'tools/call', params: { name, arguments: { meta: META, ...args } } }, headers)
  return { post, send, call }
}

t.test('a cart is created, read, replaced and cancelled', async t => {
  const { call, logs, app } = await open(t)
  const created = await call('create_cart', { cart: MUG })
  t.match(created, { status: 200, jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text' }] } })
  const { structuredContent: cart, content } = created.result
  t.match(cart, { ucp: { version: '2026-08-25' }, line_items: [{ item: { id: 'MUG', price: 1250 }, quantity: 2 }] })
  t.strictSame(JSON.parse(content[0].text), cart)
  const { id } = cart
  t.strictSame(await call('get_cart', { id }), created)
  const headers = { 'ucp-agent': `profile="${PROFILE}"` }
  const rest = await app.inject({ url: `/shop/ucp/carts/${id}`, headers })
  t.strictSame(rest.json(), cart, 'REST has the same cart')
  const changed = await call('update_cart', { id, cart: { line_items: [{ item: { id: 'ROPE' }, quantity: 1 }] } })
  t.match(changed.result.structuredContent, {
    id,
    line_items: [{ item: { id: 'ROPE' } }],
    continue_url: cart.continue_url
  })
  t.strictSame(await call('cancel_cart', { id }), changed)
  const gone = await call('get_cart', { id })
  t.match(gone, { status: 200, result: { structuredContent: { messages: [{ code: 'not_found' }] } } })
  const lines = logs.filter(({ msg }) => msg === 'transfer')
  t.match(lines, [{ option: 'ucp', outcome: 'accepted' }, { outcome: 'accepted' }])
  t.equal(lines.length, 2, 'what sends no cart is no transfer')
  const [cancellation] = logs.filter(({ msg }) => msg === 'cancellation')
  t.match(cancellation, { option: 'ucp', platform: PROFILE, reference: id, outcome: 'accepted', level: 30 })
})

t.test('a cart that cannot be sold is a result, with the reason', async t => {
  const { call, logs } = await open(t)
  const answer = await call('create_cart', { cart: { line_items: [{ item: { id: 'LAMP' }, quantity: 1 }] } })
  t.match(answer, {
    status: 200,
    result: {
      structuredContent: { ucp: { status: 'error' }, messages: [{ code: 'out_of_stock', path: '$.line_items[0]' }] }
    }
  })
  const incomplete = await call('create_cart', { cart: {} })
  t.match(incomplete.result.structuredContent.messages, [{ code: 'field_missing', path: '$.line_items' }])
  t.match(
    logs.filter(({ msg }) => msg === 'transfer'),
    [
      { outcome: 'refused', problem: 'cart-not-sellable' },
      { outcome: 'refused', problem: 'contract-broken' }
    ]
  )
})

t.test('a cart that is refused before its sender is read is logged with its id', async t => {
  const { call, logs } = await open(t)
  const id = '0'.repeat(32)
  t.match(await call('update_cart', { id, cart: MUG, meta: { 'ucp-agent': { profile: 5 } } }), { status: 400 })
  t.match(await call('cancel_cart', { id, meta: { 'ucp-agent': { profile: 5 } } }), { status: 400 })
  const line = { outcome: 'refused', status: 400, reference: id, reason: /must be a string/ }
  t.match(logs, [
    { msg: 'transfer', ...line },
    { msg: 'cancellation', ...line }
  ])
})

t.test('a name with slashes is not the path of a field', async t => {
  const { send, call } = await open(t)
  const { id } = (await call('create_cart', { cart: MUG })).result.structuredContent
  const flat = { 'params/name': 'get_cart', 'params/arguments/id': id, params: { arguments: { meta: META } } }
  t.match(await send({ method: 'tools/call', ...flat }), { status: 400, error: { code: -32602 } })
})

t.test('an empty key is none', async t => {
  const { call } = await open(t)
  const meta = { ...META, 'idempotency-key': '' }
  const ids = [await call('create_cart', { cart: MUG, meta }), await call('create_cart', { cart: MUG, meta })]
  t.equal(new Set(ids.map(({ result }) => result.structuredContent.id)).size, 2)
})

t.test(
  'a call with the key of an earlier one has its answer, also of REST, and another cart with it is refused',
  async t => {
    const { call, app } = await open(t)
    const meta = { ...META, 'idempotency-key': 'a key "of" mine' }
    const created = await call('create_cart', { meta, cart: MUG })
    t.strictSame(await call('create_cart', { cart: MUG, meta }), created)
    t.strictSame(await call('create_cart', { cart: MUG }, { 'idempotency-key': 'a key "of" mine' }), created)
    const rest = await app.inject({
      method: 'POST',
      url: '/shop/ucp/carts',
      headers: {
        'ucp-agent': `profile="${PROFILE}"`,
        'idempotency-key': 'a key "of" mine',
        'content-type': 'application/json'
      },
      payload: JSON.stringify(MUG)
    })
    t.strictSame(rest.json(), created.result.structuredContent)
    const other = await call('create_cart', { meta, cart: { line_items: [{ item: { id: 'ROPE' }, quantity: 1 }] } })
    t.match(other, { status: 409, id: 1, error: { code: -32000, data: { code: 'idempotency_conflict' } } })
    const { id } = created.result.structuredContent
    const cancelled = await call('cancel_cart', { meta, id })
    t.match(cancelled.result.structuredContent, { id })
    t.strictSame(await call('cancel_cart', { meta, id }), cancelled)
  }
)

t.test('an id of any legal kind comes back as it was sent', async t => {
  const { post } = await open(t)
  for (const id of ['1', '1.0', '-0', '12345678901234567890', '1e3', '"a\\u00e9\\ud800"', '"é"', '""', 'null']) {
    const { status, text } = await post(`{"method":"ping","id":${id},"jsonrpc":"2.0"}`)
    t.strictSame([status, text], [200, `{"jsonrpc":"2.0","id":${id},"result":{}}`])
    const { text: refused } = await post(`{"jsonrpc":"2.0","method":"no/such","id":${id}}`)
    t.ok(refused.startsWith(`{"jsonrpc":"2.0","id":${id},"error":{"code":-32601,`), id)
  }
})

t.test('a client of MCP is told which tools there are, and answered before it calls any', async t => {
  const { send, post, app } = await open(t)
  const { result } = await send({ method: 'tools/list' })
  t.strictSame(
    result.tools.map(({ name, inputSchema }: { name: string; inputSchema: { required: string[] } }) => [
      name,
      inputSchema.required
    ]),
    [
      ['create_cart', ['meta', 'cart']],
      ['get_cart', ['meta', 'id']],
      ['update_cart', ['meta', 'id', 'cart']],
      ['cancel_cart', ['meta', 'id']]
    ]
  )
  for (const [asked, answered] of [
    ['2025-06-18', '2025-06-18'],
    ['2025-11-25', '2025-11-25'],
    ['2024-11-05', '2025-11-25']
  ]) {
    const opened = await send({ method: 'initialize', params: { protocolVersion: asked, capabilities: {} } })
    t.match(opened.result, { protocolVersion: answered, capabilities: { tools: {} }, serverInfo: { name: 'The Shop' } })
  }
  const note = await post('{"jsonrpc":"2.0","method":"notifications/initialized"}')
  t.match(note, { status: 202, text: '' })
  t.equal((await app.inject('/shop/ucp/mcp')).statusCode, 405, 'there are no events to listen to')
})

const PARSE = { error: { code: -32700 }, id: null }
const INVALID = { error: { code: -32600 } }

t.test('what is no request of JSON-RPC is refused', async t => {
  const { post, logs } = await open(t)
  const deep = `${'['.repeat(2000)}${']'.repeat(2000)}`
  const cases: [body: string | Buffer, status: number, answer: object][] = [
    ['', 400, PARSE],
    ['{"jsonrpc":"2.0","id":1', 400, PARSE],
    ['{"jsonrpc":"2.0","id":1} x', 400, PARSE],
    [Buffer.from([0x7b, 0xff, 0x7d]), 400, PARSE],
    [`{"jsonrpc":"2.0","id":1,"method":"ping","params":${deep}}`, 400, PARSE],
    [`{"jsonrpc":"2.0","id":1,"method":"ping","params":[${'1,'.repeat(50_000)}1]}`, 413, { ...INVALID, id: null }],
    [`{"jsonrpc":"2.0","id":1,"method":"${'x'.repeat(2_000_000)}"}`, 413, { ...INVALID, id: null }],
    ['[]', 400, { ...INVALID, id: null }],
    ['[{"jsonrpc":"2.0","id":1,"method":"ping"}]', 400, { ...INVALID, id: null }],
    ['"ping"', 400, { ...INVALID, id: null }],
    ['{}', 400, { ...INVALID, id: null }],
    ['{"id":1,"method":"ping"}', 400, { ...INVALID, id: 1 }],
    ['{"jsonrpc":2.0,"id":1,"method":"ping"}', 400, { ...INVALID, id: 1 }],
    ['{"jsonrpc":"2.0","id":1}', 400, { ...INVALID, id: 1 }],
    ['{"jsonrpc":"2.0","id":1,"method":["ping"]}', 400, { ...INVALID, id: 1 }],
    ['{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}', 400, { ...INVALID, id: null }],
    ['{"jsonrpc":"2.0","method":"ping"}', 400, { ...INVALID, id: null }],
    ...['true', '[1]', '{"a":1}'].map((id): [string, number, object] => [
      `{"jsonrpc":"2.0","id":${id},"method":"ping"}`,
      400,
      { ...INVALID, id: null }
    ]),
    ['{"jsonrpc":"2.0","id":1,"method":"toString"}', 404, { error: { code: -32601 }, id: 1 }]
  ]
  for (const [body, status, answer] of cases) {
    const { text, ...found } = await post(body)
    const name = `${body.toString().slice(0, 60)} is answered with ${status}`
    t.match(found, { status, headers: { 'content-type': /^application\/json/, 'cache-control': 'no-store' } }, name)
    t.match(JSON.parse(text), { jsonrpc: '2.0', ...answer }, name)
  }
  t.match((await post('{}', { 'content-type': 'text/plain' })).status, 415)
  t.match((await post('{}', { 'content-encoding': 'gzip' })).status, 415)
  t.equal(
    logs.find(({ level }) => Number(level) >= 50),
    undefined
  )
})

t.test('a call that lacks something says what', async t => {
  const { call, send, logs } = await open(t)
  const cases: [answer: Promise<object>, content: RegExp][] = [
    [call('create_checkout', {}), /^\/params\/name: The tools are create_cart, /],
    [call('constructor', {}), /^\/params\/name: The tools are /],
    [call(7, {}), /^\/params\/name: This must be a string/],
    [send({ method: 'tools/call' }), /^\/params\/name: /],
    [send({ method: 'tools/call', params: ['create_cart'] }), /^\/params\/name: /],
    [call('create_cart', {}), /^\/params\/arguments\/cart: This field is required/],
    [call('create_cart', { cart: [MUG] }), /^\/params\/arguments\/cart: This must be an object/],
    [call('get_cart', {}), /^\/params\/arguments\/id: This field is required/],
    [call('update_cart', { id: 7, cart: MUG }), /^\/params\/arguments\/id: This must be a string/],
    [
      call('create_cart', { cart: MUG, meta: { ...META, 'idempotency-key': 7 } }),
      /idempotency-key: This must be a string/
    ]
  ]
  for (const [answer, content] of cases) {
    t.match(await answer, { status: 400, id: 1, error: { code: -32602, data: { content } } }, String(content))
  }
  const unknown = await call('create_cart', { cart: MUG, meta: {} })
  t.match(unknown, { status: 400, error: { code: -32001, data: { code: 'invalid_profile_url', content: /profile/ } } })
  const byHeader = await call('create_cart', { cart: MUG, meta: {} }, { 'ucp-agent': `profile="${PROFILE}"` })
  t.equal(byHeader.status, 200, 'the header names the profile as well')
  const transfers = logs.filter(({ msg }) => msg === 'transfer')
  t.equal(transfers.filter(({ outcome }) => outcome === 'accepted').length, 1)
  t.ok(transfers.every(({ problem }) => problem !== 'not-found'))
})

t.test('a failure of ours is said as one, and when to call again', async t => {
  const down = await open(t, {
    store: store => ({ ...store, newestCheckout: () => Promise.reject(new Error('no')) })
  })
  const id = 'a'.repeat(32)
  t.match(await down.call('get_cart', { id }), { status: 500, id: 1, error: { code: -32603 } })
  t.equal(
    down.logs.find(({ msg }) => msg === 'transfer'),
    undefined
  )
  const limited = await open(t, { rateLimit: { requestsPerMinute: 1, trustedProxies: [] } })
  await limited.call('get_cart', { id })
  const { headers, status, text } = await limited.post('{}')
  t.match(JSON.parse(text), { id: null, error: { code: -32000, data: { code: 'too_many_requests' } } })
  t.equal(status, 429)
  t.equal(JSON.parse(text).error.data.retry_after, Number(headers['retry-after']))
})

t.test('a platform proves by MCP who it is, as it does by REST', async t => {
  const signer = newSigner()
  const version = '2026-08-25'
  const profile = { ucp: { version, capabilities: { 'dev.ucp.shopping.cart': [{ version }] } }, keys: [signer.jwk] }
  const platforms = [
    { profile: PROFILE, copy: 'platform.json', authentication: { type: 'signature' } },
    {
      profile: 'https://other.example/profile.json',
      copy: 'platform.json',
      authentication: { type: 'bearer', secretVariables: ['TOKEN'] }
    }
  ]
  const { call, post } = await open(t, {
    merchants: [merchantFile('ucp', { transfer: { path: '/ucp', platforms } })],
    feeds: { 'platform.json': JSON.stringify(profile) },
    variables: { TOKEN: 'a-token-of-at-least-thirty-two-characters' }
  })
  const params = { name: 'create_cart', arguments: { meta: META, cart: MUG } }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
  const url = 'http://127.0.0.1:3000/shop/ucp/mcp'
  const headers = signedHeaders({ method: 'POST', url, headers: { 'content-type': 'application/json' }, body }, signer)
  const created = await post(body, headers)
  const { id } = JSON.parse(created.text).result.structuredContent
  t.match(id, /^[\da-f]{32}$/)
  const forged = await post(body.replace('"quantity":2', '"quantity":9'), headers)
  t.match(
    [forged.status, JSON.parse(forged.text)],
    [400, { error: { code: -32600, data: { code: 'digest_mismatch' } } }]
  )
  t.match(await call('get_cart', { id }), { status: 401, error: { code: -32000, data: { code: 'signature_missing' } } })

  const meta = { 'ucp-agent': { profile: 'https://other.example/profile.json' } }
  const bearer = { authorization: 'Bearer a-token-of-at-least-thirty-two-characters' }
  t.match(await call('get_cart', { id, meta }), { status: 401, error: { code: -32000 } })
  const others = await call('get_cart', { id, meta }, bearer)
  t.match(others.result.structuredContent.messages, [{ code: 'not_found' }], "another platform's cart")
  t.equal((await call('get_cart', { id }, bearer)).status, 401, 'the proof of one platform is none of another')
})
