// Which responses to a probe are conclusive.
import t from 'tap'
import type { Proof } from '../../../src/kit/client/prove-sender.ts'
import {
  assertConclusive,
  CheckFailed,
  CheckNotJudged,
  RequestUnanswered,
  sendProbe
} from '../../../src/kit/conformance/final-response.ts'
import type { Credentials } from '../../../src/transfer/authentication.ts'
import { CART, NEWEST, SERVICE } from '../../../src/ucp/versions.ts'
import { sharedViews } from '../../browser/shared-views.ts'
import { build, merchantFile } from '../../build.ts'
import { openServer } from '../../listen.ts'
import { newSigner } from '../../ucp/sign-request.ts'
import { idsOf, kitFor, only, runWith } from './kit.ts'

t.test('a status about access or load is inconclusive, unless the profile expects it or access is proven', async t => {
  for (const status of [401, 403, 407, 408, 425, 429, 502, 503, 504]) {
    t.throws(() => assertConclusive(status, '4xx'), {
      constructor: CheckNotJudged,
      message: new RegExp(`^The site answered ${status}\n`)
    })
    t.doesNotThrow(() => assertConclusive(status, String(status)))
  }
  t.doesNotThrow(() => assertConclusive(403, '2xx', { hasAccess: true }))
  t.throws(() => assertConclusive(429, '2xx', { hasAccess: true }), { constructor: CheckNotJudged, message: /429/ })
  for (const status of [200, 400, 404, 422, 500]) t.doesNotThrow(() => assertConclusive(status, '4xx'))
})

t.test('what keeps the kit out is quoted, with what to give', async t => {
  const answer = (code: string) => JSON.stringify({ code, content: 'Why.' })
  const about = 'That is about access or load, and not about what was sent.'
  const told: [status: number, text: string, told: string | RegExp][] = [
    [401, answer('signature_missing'), /^The site answered 401: \{.*"Why\."\}\n.* Give --signing-key-from, /],
    [401, answer('signature_invalid'), /The key in --signing-key-from .* or if a clock is\.$/],
    [401, answer('key_not_found'), /has under this kid\.$/],
    [400, answer('algorithm_unsupported'), /has under this kid\.$/],
    [
      403,
      answer('profile_not_trusted'),
      /Give "platform" the address of a profile that the site lists, or can fetch\.$/
    ],
    [424, answer('profile_unreachable'), /Give "platform" /],
    [
      401,
      answer('unauthorized'),
      /: \{.*\n.*, with --token-from, --api-key-from, --secret-from or --signing-key-from\.$/
    ],
    [503, '<h1>Busy</h1>', new RegExp(`^The site answered 503\\n${about} Run the kit with nothing in front`)]
  ]
  for (const [status, text, message] of told) {
    t.throws(() => assertConclusive(status, '201', { text }), { constructor: CheckNotJudged, message })
  }
  for (const other of ['line_unknown', 'constructor']) {
    t.doesNotThrow(() => assertConclusive(400, '4xx', { text: answer(other) }))
  }
  t.doesNotThrow(() => assertConclusive(200, '4xx', { text: answer('key_not_found') }))
})

t.test('no response is not judged, and a failure stays a failure', async t => {
  await t.rejects(
    sendProbe('4xx', () => Promise.reject(new RequestUnanswered('no response'))),
    { constructor: CheckNotJudged, message: 'no response' }
  )
  await t.rejects(
    sendProbe('4xx', () => Promise.reject(new CheckFailed('wrong'))),
    { constructor: CheckFailed, message: 'wrong' }
  )
})

const views = sharedViews()
const run = kitFor(t, views)

t.test('an error of the browser is a failure, without the call log', async t => {
  const broken = only('exact-items').map(check => ({
    ...check,
    run: async (site: Parameters<typeof check.run>[0]) => {
      const view = await site.newView()
      await view.call(() => Promise.reject(new Error('gone\nlog')))
    }
  }))
  const results = await run('2A', [], {}, broken)
  t.strictSame(idsOf(results, 'failed'), ['exact-items'])
  t.match(results, [{ detail: /: gone$/ }])
})

t.test('a site that asks who calls is tested with what it gave the kit, and nothing is judged without', async t => {
  const token = 'a-token-of-at-least-thirty-two-characters'
  const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
  const merchants = (['bearer', 'standard-webhooks'] as const).map(type =>
    merchantFile('1', {
      id: type,
      publicUrl: `/${type}`,
      transfer: { authentication: { type, secretVariables: ['SITE'] } }
    })
  )
  for (const [i, value] of [token, secret].entries()) {
    const { app } = await build(t, { merchants: merchants.slice(i, i + 1), variables: { SITE: value }, isNow: true })
    await app.listen({ host: '127.0.0.1', port: 0 })
    const type = i === 0 ? 'bearer' : 'standard-webhooks'
    const profile = {
      name: 'A site that asks',
      option: '1',
      url: `${app.listeningOrigin}/${type}/cart`,
      currency: 'GBP',
      skus: { exist: ['MUG', 'THROW', 'CLOCK'], unknown: ['NONE'] }
    }
    const checks = only('description-json', 'exact-items', 'missing-field', 'wrong-content-type', 'wrong-method')
    t.equal(checks.length, 5)
    const credentials: Credentials = { type, variable: 'SITE', value }
    const known = await runWith(t, profile, views, checks, false, credentials)
    t.equal(idsOf(known, 'passed').length, 5, type)
    const stranger = await runWith(t, profile, views, checks)
    t.strictSame(idsOf(stranger, 'failed'), [], type)
    t.match(stranger[0], { verdict: 'not judged', detail: /401: \{.*\n.*--token-from/ })

    // A report shows what was sent, and never the secret.
    const wrong = { ...profile, expect: { malformed: '422' } }
    const [failed] = await runWith(t, wrong, views, only('missing-field'), false, credentials)
    t.equal(failed?.verdict, 'failed')
    t.match(failed?.detail, i === 0 ? /-H "Authorization: Bearer \$\{SITE:\?\}"/ : /-H 'webhook-signature: v1,/)
    t.notOk(failed?.detail.includes(value.replace('whsec_', '')))
  }
})

t.test('asked with a token what became of a bag that a link brought, which goes without it', async t => {
  const way = { option: '1', path: '/api', authentication: { type: 'bearer', secretVariables: ['SITE'] } }
  const merchants = [
    { ...merchantFile('1', { publicUrl: '/shop' }), transfer: [{ option: 'meta', path: '/meta' }, way] }
  ]
  const value = 'a-token-of-the-platform-000000000000'
  const { app } = await build(t, { merchants, variables: { SITE: value }, isNow: true })
  const authorized: string[] = []
  app.server.on('request', ({ url, headers }) => headers.authorization && authorized.push(String(url)))
  await app.listen({ host: '127.0.0.1', port: 0 })
  const at = `${app.listeningOrigin}/shop`
  const skus = { exist: ['MUG', 'THROW', 'CLOCK'], unknown: ['NONE'] }
  const link = { name: 'Links', option: 'meta', url: `${at}/meta`, currency: 'GBP', skus, transfers: `${at}/transfers` }
  const credentials: Credentials = { type: 'bearer', variable: 'SITE', value }
  const results = await runWith(t, link, views, only('transfer-status'), false, credentials)
  t.strictSame(idsOf(results, 'passed'), ['transfer-status'])
  t.equal(authorized.length, 2)
  t.ok(authorized.every(url => url.startsWith('/shop/transfers/')))
})

t.test(
  'what proves who the kit is goes to no profile, which anybody may read, and which may be on another host',
  async t => {
    const [newest, older] = ['2026-08-25', '2026-04-08']
    const proved: string[] = []
    const serve = async (profileOf: () => object) => {
      const { origin } = await openServer(t, ({ url, headers }, response) => {
        if (headers.authorization ?? headers['x-api-key'] ?? headers.signature) proved.push(`${headers.host}${url}`)
        const more = { 'content-type': 'application/json', 'cache-control': 'public, max-age=600' }
        response.writeHead(200, more).end(JSON.stringify(profileOf()))
      })
      return origin
    }
    const profile = (version: string, supported?: object): object => {
      const services = { [SERVICE]: [{ version, transport: 'rest', endpoint: `${site}/ucp` }] }
      const capabilities = { [CART]: [{ version }] }
      return { ucp: { version, supported_versions: supported, services, capabilities, payment_handlers: {} } }
    }
    const other = await serve(() => profile(older))
    const site = await serve(() => profile(newest, { [older]: `${other}/older.json` }))
    const { privateKey, jwk } = newSigner()
    const key = JSON.stringify({ kid: jwk.kid, ...privateKey.export({ format: 'jwk' }) })
    const skus = { exist: ['MUG', 'THROW', 'CLOCK'], unknown: ['NONE'] }
    for (const [type, value] of [
      ['bearer', 'token'],
      ['x-api-key', 'key'],
      ['signature', key]
    ] as const) {
      const told = { name: 'Carts', option: 'ucp', url: `${site}/ucp`, currency: 'GBP', skus }
      const proof: Proof = { type, variable: 'SITE', value }
      t.strictSame(idsOf(await runWith(t, told, views, only('profile-leads-here'), false, proof), 'passed').length, 1)
      t.strictSame(proved.splice(0), [`${new URL(site).host}/ucp/carts`], type)
    }
  }
)

t.test('a UCP platform of the list, by each proof that a shop may ask for', async t => {
  const { privateKey, jwk } = newSigner()
  const capabilities = { [CART]: [{ version: NEWEST }] }
  const folder = t.testdir({ 'copy.json': JSON.stringify({ ucp: { version: NEWEST, capabilities }, keys: [jwk] }) })
  const secret = 'a-token-of-the-platform-000000000000'
  const signingKey = JSON.stringify({ kid: jwk.kid, ...privateKey.export({ format: 'jwk' }) })
  const proofs: Proof[] = [
    { type: 'signature', variable: 'SITE', value: signingKey },
    { type: 'x-api-key', variable: 'SITE_KEY', value: secret.replace('token', 'key') },
    { type: 'bearer', variable: 'SITE_TOKEN', value: secret }
  ]
  const profileOf = (type: string) => `https://${type}.example/profile.json`
  const variables = Object.fromEntries(proofs.map(({ variable, value }) => [variable, value]))
  const platforms = proofs.map(({ type, variable }) => ({
    profile: profileOf(type),
    copy: `${folder}/copy.json`,
    authentication: { type, ...(type !== 'signature' && { secretVariables: [variable] }) }
  }))
  const merchants = [merchantFile('ucp', { publicUrl: '/shop', transfer: { path: '/ucp', platforms } })]
  const { app } = await build(t, { merchants, variables, isNow: true })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const ids = ['cart-created', 'cart-read', 'key-answers-once'] as const
  const skus = { exist: ['MUG', 'THROW', 'CLOCK'], unknown: ['NONE'] }
  const site = { name: 'Carts', option: 'ucp', url: `${app.listeningOrigin}/shop/ucp`, currency: 'GBP', skus }
  for (const proof of proofs) {
    const profile = { ...site, platform: profileOf(proof.type) }
    t.strictSame(idsOf(await runWith(t, profile, views, only(...ids), false, proof), 'passed'), ids, proof.type)
    const [stranger] = await runWith(t, profile, views, only('cart-created'))
    t.match(stranger, { verdict: 'not judged', detail: /^The site answered 401: \{"code":/ })
  }
})
