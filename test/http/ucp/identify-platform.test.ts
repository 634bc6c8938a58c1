// Who calls: platforms that anybody may be, those that a merchant lists and what each has to prove, and all who only pretend.
import { mock } from 'node:test'
import t, { type Test } from 'tap'
import type { Fetch } from '../../../src/integrations/outgoing/http-client.ts'
import { exampleProfile } from '../../../src/ucp/platform-settings.ts'
import { type Build, build, merchantFile } from '../../build.ts'
import { newSigner, type Signer, signedHeaders } from '../../ucp/sign-request.ts'

const ORIGIN = 'http://127.0.0.1:3000'
const CARTS = '/shop/ucp/carts'
const CART = 'dev.ucp.shopping.cart'

const A = 'https://a.example/ucp.json'
const B = 'https://b.example/ucp.json'

const TOKEN = 'a-token-of-at-least-thirty-two-characters'
const NEXT_TOKEN = 'another-token-of-at-least-thirty-two-characters'
const API_KEY = 'a-key-of-at-least-thirty-two-characters'
const variables = { TOKEN, NEXT_TOKEN, API_KEY }

type Headers = Record<string, string>

function profileOf(version = '2026-08-25', signers: Signer[] = [], capabilities: object = { [CART]: [{ version }] }) {
  const keys = signers.map(({ jwk }) => jwk)
  const ucp = { version, services: {}, capabilities, payment_handlers: {} }
  return JSON.stringify({ ucp, [version === '2026-04-08' ? 'signing_keys' : 'keys']: keys })
}

/** @param published profiles by their addresses; others answer 404 */
async function openWith(t: Test, platforms: unknown, published: Record<string, string> = {}, parts: Build = {}) {
  const fetched: string[] = []
  const fetch: Fetch = async address => {
    const url = String(address)
    fetched.push(url)
    return new Response(published[url], { status: published[url] === undefined ? 404 : 200 })
  }
  const merchants = [merchantFile('ucp', { transfer: { path: '/ucp', platforms } })]
  const built = await build(t, { merchants, fetch, variables, ...parts })
  const send = async (
    headers: Headers,
    { method = 'POST', url = CARTS, body }: { method?: 'GET' | 'POST' | 'PUT'; url?: string; body?: string } = {}
  ) => {
    const payload = method === 'GET' ? undefined : (body ?? MUG)
    const type = payload === undefined ? undefined : { 'content-type': 'application/json' }
    const request = { method, url, headers: { ...type, ...headers }, ...(payload !== undefined && { payload }) }
    const { statusCode: status, headers: answered, ...answer } = await built.app.inject(request)
    return { status, headers: answered, body: answer.json() }
  }
  return { ...built, send, fetched, published }
}

const MUG = '{"line_items":[{"item":{"id":"MUG"},"quantity":2}]}'

const agent = (profile: string): Headers => ({ 'ucp-agent': `profile="${profile}"` })

/** Of the request that creates a cart. */
function signed(profile: string, signer: Signer, more: Headers = {}, body = MUG, url = CARTS): Headers {
  const headers = { ...agent(profile), 'content-type': 'application/json', ...more }
  return signedHeaders({ method: 'POST', url: ORIGIN + url, headers, body }, signer)
}

t.test('any platform: its profile is fetched once, and says which version is spoken', async t => {
  const published = { [A]: profileOf(), [B]: profileOf('2026-04-08') }
  const { send, fetched } = await openWith(t, 'any', published)
  const answers = await Promise.all([send(agent(A)), send(agent(A)), send(agent(B)), send(agent(`${A}#x`))])
  t.match(answers, [
    { status: 201, body: { ucp: { version: '2026-08-25' } } },
    { status: 201, body: { ucp: { version: '2026-08-25' } } },
    { status: 201, body: { ucp: { version: '2026-04-08' } } },
    { status: 400, body: { code: 'invalid_profile_url' } }
  ])
  t.match(await send({ 'ucp-agent': `v=1, profile="${A}";q=1` }), { status: 201 }, 'any dictionary of RFC 8941')
  for (const version of ['2026-08-25', '2026-04-08'] as const) {
    t.match(await send(agent(exampleProfile(version))), { status: 201, body: { ucp: { version } } })
  }
  t.strictSame(fetched.sort(), [A, B], 'the platform of the simulator needs no profile')
})

t.test('what is wrong with a platform is said as UCP says it', async t => {
  const published = {
    'https://malformed.example/': '<html>',
    'https://older.example/': profileOf('2026-01-23'),
    'https://other.example/': profileOf('2026-08-25', [], { 'dev.ucp.shopping.checkout': [{ version: '2026-08-25' }] })
  }
  const { send } = await openWith(t, 'any', published)
  const cases: [headers: Headers, status: number, code: string][] = [
    [{}, 400, 'invalid_profile_url'],
    [{ 'ucp-agent': A }, 400, 'invalid_profile_url'],
    [{ 'ucp-agent': 'profile=' }, 400, 'invalid_profile_url'],
    [{ 'ucp-agent': 'profile=1' }, 400, 'invalid_profile_url'],
    [{ 'ucp-agent': `profile=("${A}")` }, 400, 'invalid_profile_url'],
    [agent('http://a.example/'), 400, 'invalid_profile_url'],
    [agent('https://missing.example/'), 424, 'profile_unreachable'],
    [agent('https://malformed.example/'), 422, 'profile_malformed'],
    [agent('https://older.example/'), 422, 'version_unsupported']
  ]
  for (const [headers, status, code] of cases) {
    const answer = await send(headers)
    t.match(answer, { status, headers: { 'content-type': /^application\/json/ }, body: { code, content: /\.$/ } })
  }
  t.match(await send(agent('https://other.example/')), {
    status: 200,
    body: { ucp: { version: '2026-08-25', status: 'error' }, messages: [{ code: 'capabilities_incompatible' }] }
  })
})

t.test('a listed platform proves who it is; others are not served', async t => {
  const signer = newSigner()
  const old = newSigner('old')
  const listed = [
    {
      profile: 'https://bearer.example/',
      copy: 'copy.json',
      authentication: { type: 'bearer', secretVariables: ['TOKEN', 'NEXT_TOKEN'] }
    },
    {
      profile: 'https://key.example/',
      copy: 'copy.json',
      authentication: { type: 'x-api-key', secretVariables: ['API_KEY'] }
    },
    { profile: 'https://signing.example/', copy: 'copy.json', authentication: { type: 'signature' } },
    { profile: 'https://fetched.example/', authentication: { type: 'signature' } },
    { profile: 'https://open.example/' }
  ]
  const published = {
    'https://fetched.example/': profileOf('2026-04-08', [signer]),
    'https://open.example/': profileOf('2026-08-25', [signer])
  }
  const feeds = { 'copy.json': profileOf('2026-08-25', [signer]) }
  const { send, fetched } = await openWith(t, listed, published, { feeds })
  const bearer = agent('https://bearer.example/')
  const key = agent('https://key.example/')
  const cases: [name: string, headers: Headers, status: number, code?: string, challenge?: RegExp][] = [
    ['a stranger', agent(A), 403, 'profile_not_trusted'],
    ['the example', agent(exampleProfile()), 403, 'profile_not_trusted'],
    ['a token', { ...bearer, authorization: `Bearer ${TOKEN}` }, 201],
    ['the next token', { ...bearer, authorization: `bearer ${NEXT_TOKEN}` }, 201],
    ['no token', bearer, 401, 'unauthorized', /^Bearer realm/],
    ['a wrong token', { ...bearer, authorization: `Bearer ${TOKEN}x` }, 401, 'unauthorized', /^Bearer .*invalid_token/],
    ['a token as a key', { ...bearer, 'x-api-key': TOKEN }, 401, 'unauthorized', /^Bearer/],
    ['a key', { ...key, 'x-api-key': API_KEY }, 201],
    ['no key', key, 401, 'unauthorized', /^X-API-Key realm/],
    ["another platform's key", { ...key, 'x-api-key': NEXT_TOKEN }, 401, 'unauthorized', /^X-API-Key/],
    ['a key as a token', { ...key, authorization: `Bearer ${API_KEY}` }, 401, 'unauthorized', /^X-API-Key/],
    ['a signature', signed('https://signing.example/', signer), 201],
    ['a signature by a key that was fetched', signed('https://fetched.example/', signer), 201],
    ['no signature', agent('https://signing.example/'), 401, 'signature_missing', /^Signature/],
    [
      'a token for a signature',
      { ...agent('https://signing.example/'), authorization: `Bearer ${TOKEN}` },
      401,
      'signature_missing'
    ],
    ['a key that is not there', signed('https://signing.example/', old), 401, 'key_not_found', /^Signature/],
    ["another's key", signed('https://signing.example/', newSigner()), 401, 'signature_invalid', /^Signature/],
    [
      "another's signature",
      { ...signed('https://fetched.example/', signer), ...agent('https://signing.example/') },
      401,
      'signature_invalid'
    ],
    [
      'a header with the name of what every object has',
      {
        ...signed('https://signing.example/', signer),
        'signature-input':
          'sig1=("@method" "@authority" "@path" "ucp-agent" "content-digest" "content-type" "constructor");keyid="key-1"'
      },
      401,
      'signature_invalid'
    ],
    ['without proof', agent('https://open.example/'), 201],
    ['a signature that nobody asked for', signed('https://open.example/', signer), 201],
    ['a false one that nobody asked for', signed('https://open.example/', newSigner()), 401, 'signature_invalid']
  ]
  for (const [name, headers, status, code, challenge] of cases) {
    const answer = await send(headers)
    t.match(
      answer,
      { status, ...(code && { body: { code } }), ...(challenge && { headers: { 'www-authenticate': challenge } }) },
      name
    )
    t.notOk(JSON.stringify(answer).includes(TOKEN))
  }
  t.match(await send(signed('https://signing.example/', signer), { body: MUG.replace('2', '9') }), {
    status: 400,
    body: { code: 'digest_mismatch' }
  })
  t.strictSame(fetched.sort(), ['https://fetched.example/', 'https://open.example/'])
})

t.test('GET and cancel are signed as well, and the query', async t => {
  const signer = newSigner('k', 'Ed25519')
  const { send } = await openWith(t, [{ profile: A, authentication: { type: 'signature' } }], {
    [A]: profileOf('2026-08-25', [signer])
  })
  const { body } = await send(signed(A, signer))
  const url = `${CARTS}/${body.id}`
  const get = (target: string) => signedHeaders({ method: 'GET', url: ORIGIN + target, headers: agent(A) }, signer)
  t.match(await send(get(url), { method: 'GET', url }), { status: 200, body: { id: body.id } })
  t.match(await send(get(`${url}?a=1`), { method: 'GET', url: `${url}?a=1` }), { status: 200 })
  t.match(await send(get(url), { method: 'GET', url: `${url}?a=1` }), {
    status: 401,
    body: { code: 'signature_invalid' }
  })
  t.match(await send(agent(A), { method: 'GET', url }), { status: 401, body: { code: 'signature_missing' } })
  t.match(await send(agent(A), { url: `${url}/cancel`, body: '{}' }), { status: 401 })
  t.match(await send(signed(A, signer, {}, '{}', `${url}/cancel`), { url: `${url}/cancel`, body: '{}' }), {
    status: 200
  })
})

t.test('a new key is found a minute after the profile was fetched; a copy is not asked for again', async t => {
  const [first, next] = [newSigner('1'), newSigner('2')]
  const platforms = [
    { profile: A, authentication: { type: 'signature' } },
    { profile: B, copy: 'copy.json', authentication: { type: 'signature' } }
  ]
  const feeds = { 'copy.json': profileOf('2026-08-25', [first]) }
  const { send, fetched, published } = await openWith(
    t,
    platforms,
    { [A]: profileOf('2026-08-25', [first]) },
    { feeds }
  )
  let now = 1000
  mock.method(performance, 'now', () => now)
  t.teardown(() => mock.restoreAll())
  t.match(await send(signed(A, first)), { status: 201 })
  published[A] = profileOf('2026-08-25', [next])
  t.match(await send(signed(A, next)), { status: 401, body: { code: 'key_not_found' } })
  now += 61_000
  t.match(await send(signed(A, next)), { status: 201 })
  t.match(await send(signed(A, first)), { status: 401, body: { code: 'key_not_found' } }, 'the old one is void')
  t.match(await send(signed(B, next)), { status: 401, body: { code: 'key_not_found' } })
  t.strictSame(fetched, [A, A])
})

t.test('a request that is sent again word for word does nothing again', async t => {
  const signer = newSigner()
  const { send } = await openWith(t, 'any', { [A]: profileOf('2026-08-25', [signer]) })
  const headers = signed(A, signer, { 'idempotency-key': 'a-key-of-the-platform' })
  const [first, again] = [await send(headers), await send(headers)]
  t.equal(first.status, 201)
  t.strictSame(again.body, first.body)
  const another = { ...headers, 'idempotency-key': 'another-key-of-nobody' }
  t.match(await send(another), { status: 401, body: { code: 'signature_invalid' } })
})

t.test("no platform sees or changes another's cart, nor does who guesses an id", async t => {
  const { send, app } = await openWith(t, 'any', { [A]: profileOf(), [B]: profileOf() })
  const { body } = await send(agent(A))
  const notFound = { status: 200, body: { ucp: { status: 'error' }, messages: [{ code: 'not_found' }], id: undefined } }
  const ids = [
    ...['0'.repeat(32), 'f'.repeat(32), body.id.toUpperCase(), `${body.id}0`, body.id.slice(1)],
    ...["' or ''='", '%2e%2e', '%00', '*', '1', 'undefined', 'a'.repeat(5000)].map(encodeURIComponent)
  ]
  const tries: [profile: string, id: string][] = [[B, body.id], ...ids.map((id): [string, string] => [A, id])]
  for (const [profile, id] of tries) {
    const url = `${CARTS}/${id}`
    for (const [request, method] of [
      [{ url }, 'GET'],
      [{ url }, 'PUT'],
      [{ url: `${url}/cancel`, body: '{}' }, 'POST']
    ] as const) {
      t.match(await send(agent(profile), { ...request, method }), notFound, `${method} ${id.slice(0, 40)}`)
    }
    if (id !== body.id) t.equal((await app.inject(`${url}/continue`)).statusCode, 404, id.slice(0, 40))
  }
  t.match(await send(agent(A), { method: 'GET', url: `${CARTS}/${body.id}` }), {
    status: 200,
    body: { line_items: [{ quantity: 2 }] }
  })
})

t.test('bodies that are made to be parsed for long', async t => {
  const { send } = await openWith(t, 'any')
  const deep = '['.repeat(60_000)
  const bodies = [
    deep,
    `{"line_items":${deep}`,
    `{"context":${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)},"line_items":[]}`,
    `{"line_items":[{"item":{"id":"MUG","x":${'['.repeat(20_000)}${']'.repeat(20_000)}},"quantity":1}]}`
  ]
  for (const body of bodies) {
    const began = performance.now()
    const { status } = await send(agent(exampleProfile()), { body })
    t.ok([200, 201, 400, 413].includes(status), `${status}`)
    t.ok(performance.now() - began < 1000)
  }
})

t.test('RATE_LIMIT leaves those alone who have proved who they are, and counts the others', async t => {
  const rateLimit = { requestsPerMinute: 3, trustedProxies: ['127.0.0.1'] }
  const signer = newSigner()
  const platforms = [
    { profile: A, copy: 'copy.json', authentication: { type: 'bearer', secretVariables: ['TOKEN'] } },
    { profile: B, copy: 'copy.json', authentication: { type: 'signature' } },
    { profile: 'https://open.example/', copy: 'copy.json' }
  ]
  const feeds = { 'copy.json': profileOf('2026-08-25', [signer]) }
  const { send } = await openWith(t, platforms, {}, { feeds, rateLimit })
  let at = 0
  const inTurn = async (headers: Headers, times: number) => {
    const address = `203.0.113.${++at}`
    const statuses: number[] = []
    for (let i = 0; i < times; i++) statuses.push((await send({ ...headers, 'x-forwarded-for': address })).status)
    return statuses
  }
  const bearer = { ...agent(A), authorization: `Bearer ${TOKEN}` }
  t.strictSame(await inTurn(bearer, 10), Array(10).fill(201))
  t.strictSame(await inTurn(signed(B, signer), 10), Array(10).fill(201))
  t.strictSame(await inTurn({ ...bearer, authorization: 'Bearer guessed' }, 5), [401, 401, 401, 429, 429])
  t.strictSame(await inTurn(signed(B, newSigner()), 5), [401, 401, 401, 429, 429])
  t.strictSame(await inTurn(agent('https://open.example/'), 5), [201, 201, 201, 429, 429], 'it proves nothing')
  const address = { 'x-forwarded-for': '203.0.113.99' }
  for (let i = 0; i < 3; i++) await send({ ...agent(A), ...address })
  const { headers, body } = await send({ ...bearer, ...address })
  t.match({ headers, body }, { headers: { 'retry-after': /^\d+$/ }, body: { code: 'too_many_requests' } })
  const any = await openWith(t, 'any', {}, { rateLimit })
  const all = await Promise.all(Array.from({ length: 5 }, () => any.send(signed(A, signer))))
  t.strictSame(
    all.map(({ status }) => status).sort(),
    [424, 424, 424, 429, 429],
    'each counts before its profile is fetched'
  )
})
