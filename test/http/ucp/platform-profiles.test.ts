// Profiles of platforms, fetched from servers that misbehave, and kept.
import type { RequestListener } from 'node:http'
import { Agent } from 'node:https'
import { mock } from 'node:test'
import { gzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { type PlatformProfiles, platformProfiles } from '../../../src/http/ucp/platform-profiles.ts'
import { type Fetch, httpFetch } from '../../../src/integrations/outgoing/http-client.ts'
import { AUTHORITY, startTlsServer } from '../../kit/certificates/tls-server.ts'

const profileOf = (version = '2026-08-25') => JSON.stringify({ ucp: { version, services: {}, payment_handlers: {} } })

/** Of a server in this process, whose private address is allowed here. */
async function open(t: Test, answer: RequestListener): Promise<{ profiles: PlatformProfiles; origin: string }> {
  const agent = new Agent({ ca: AUTHORITY })
  const profiles = platformProfiles((url, options) => httpFetch(url, { ...options, agent }))
  return { profiles, origin: await startTlsServer(t, answer) }
}

t.test('a profile over TLS', async t => {
  const { profiles, origin } = await open(t, ({ headers }, response) => {
    t.match(headers, { accept: 'application/json', connection: 'close' })
    response.end(profileOf('2026-04-08'))
  })
  t.strictSame(await profiles.get(`${origin}/`), { version: '2026-04-08', capabilities: [], keys: [] })
})

const endless: RequestListener = (_, response) => {
  const write = () => response.destroyed || response.write(Buffer.alloc(65_536, 32), write)
  write()
}

t.test('servers that misbehave', { timeout: 20_000 }, async t => {
  const timeout = AbortSignal.timeout.bind(AbortSignal)
  t.teardown(() => mock.restoreAll())
  const cases: Record<string, [code: string, message: RegExp, answer: RequestListener]> = {
    redirect: [
      'profile-unreachable',
      /^Your profile cannot be fetched: its server answers 302\.$/,
      (_, response) => response.writeHead(302, { location: 'http://169.254.169.254/' }).end()
    ],
    missing: ['profile-unreachable', /answers 404/, (_, response) => response.writeHead(404).end('?'.repeat(1e6))],
    'no answer': ['profile-unreachable', /its server does not answer \(ECONNRESET\)/, ({ socket }) => socket.destroy()],
    'slow head': ['profile-unreachable', /takes more than 5 seconds/, () => {}],
    'slow body': ['profile-unreachable', /takes more than 5 seconds/, (_, response) => response.write('{')],
    'endless body': ['profile-malformed', /^The profile has more than 131072 bytes\.$/, endless],
    'gzip bomb': [
      'profile-malformed',
      /has more than 131072 bytes/,
      (_, response) => response.setHeader('content-encoding', 'gzip').end(gzipSync(Buffer.alloc(1e8, 32)))
    ],
    'deep JSON': [
      'profile-malformed',
      /is nested more than 32 levels deep/,
      (_, response) => response.end('['.repeat(100_000))
    ],
    'many values': [
      'profile-malformed',
      /has more than 8192 values/,
      (_, response) => response.end(`[${'1,'.repeat(9000)}1]`)
    ],
    'another version': ['version-unsupported', /"2099-01-01"/, (_, response) => response.end(profileOf('2099-01-01'))]
  }
  const { profiles, origin } = await open(t, (request, response) => {
    const [, , answer] = cases[decodeURI(String(request.url).slice(1))] ?? []
    answer?.(request, response)
  })
  for (const [name, [code, message]] of Object.entries(cases)) {
    mock.method(AbortSignal, 'timeout', (time: number) => timeout(name.startsWith('slow') ? 100 : time))
    await t.rejects(profiles.get(`${origin}/${encodeURI(name)}`), { code, message }, name)
  }
})

t.test('addresses that lead nowhere, or into a private network', async t => {
  for (const code of ['ENOTFOUND', 'ENODATA', 'ERR_NOT_PUBLIC']) {
    const profiles = platformProfiles(async () => {
      throw new TypeError('fetch failed', { cause: { code } })
    })
    await t.rejects(profiles.get('https://a.example/'), {
      code: 'invalid-profile-url',
      message: /does not exist, or is not public/
    })
  }
  // By the agent that is used in earnest.
  for (const url of ['https://127.0.0.1/', 'https://[::ffff:127.0.0.1]/', 'https://2130706433/']) {
    await t.rejects(platformProfiles(httpFetch).get(url), { code: 'invalid-profile-url' }, url)
  }
})

/** Answers with what `answer` says at the time; counts the requests. Time is what `pass` lets pass, in seconds. */
function openKept(t: Test) {
  const state = { requests: 0, answer: (): Response => new Response(profileOf()) }
  let now = 1000
  mock.method(performance, 'now', () => now)
  t.teardown(() => mock.restoreAll())
  const fetch: Fetch = async () => {
    state.requests++
    return state.answer()
  }
  const pass = (seconds: number) => {
    now += seconds * 1000
  }
  return { state, profiles: platformProfiles(fetch), pass }
}

const A = 'https://a.example/'

t.test('a profile is fetched once in its lifetime, however many ask', async t => {
  for (const [cacheControl, age] of [
    [undefined, 60],
    ['no-store', 60],
    ['public, max-age=5', 60],
    ['public, max-age=3600', 3600],
    ['max-age="120"', 120],
    ['public, max-age=99999999', 86_400]
  ] as const) {
    const { state, profiles, pass } = openKept(t)
    state.answer = () => new Response(profileOf(), { headers: cacheControl ? { 'cache-control': cacheControl } : {} })
    await Promise.all([profiles.get(A), profiles.get(A), profiles.get(A)])
    pass(age - 1)
    await profiles.get(A)
    t.equal(state.requests, 1, `${cacheControl}`)
    pass(2)
    await profiles.get(A)
    t.equal(state.requests, 2, `${cacheControl}, later`)
    mock.restoreAll()
  }
})

t.test('a server that fails is left alone for a minute', async t => {
  const { state, profiles, pass } = openKept(t)
  state.answer = () => new Response('', { status: 500 })
  const failing = { code: 'profile-unreachable' }
  await Promise.all([t.rejects(profiles.get(A), failing), t.rejects(profiles.get(A), failing)])
  pass(59)
  await t.rejects(profiles.get(A), failing)
  t.equal(state.requests, 1)
  pass(2)
  state.answer = () => new Response(profileOf())
  t.match(await profiles.get(A), { version: '2026-08-25' })
})

t.test('a profile is asked for again for a new key, once a minute, and kept if its server fails then', async t => {
  const { state, profiles, pass } = openKept(t)
  state.answer = () => new Response(profileOf(), { headers: { 'cache-control': 'max-age=300' } })
  await profiles.get(A)
  await profiles.refresh(A)
  t.equal(state.requests, 1, 'it is new')
  pass(61)
  state.answer = () => new Response('', { status: 500 })
  t.match(await profiles.refresh(A), { version: '2026-08-25' })
  t.match(await profiles.refresh(A), { version: '2026-08-25' })
  t.equal(state.requests, 2)
  pass(300 - 61 - 1)
  t.match(await profiles.get(A), { version: '2026-08-25' })
  t.equal(state.requests, 2, 'its lifetime is what it was')
  pass(2)
  await t.rejects(profiles.get(A), { code: 'profile-unreachable' })
  pass(61)
  state.answer = () => new Response(profileOf('2026-04-08'))
  await profiles.get(A)
  pass(61)
  t.match(await profiles.refresh('https://b.example/'), { version: '2026-04-08' }, 'it was forgotten meanwhile')
})

t.test('what strangers make it fetch and keep is bounded', async t => {
  const { state, profiles } = openKept(t)
  const long = JSON.stringify({ ucp: { version: '2026-08-25' }, keys: [{ kid: 'k'.repeat(120_000) }] })
  state.answer = () => new Response(long)
  for (let i = 0; i < 80; i++) await profiles.get(`${A}${i}`)
  await profiles.get(`${A}79`)
  t.equal(state.requests, 80)
  await profiles.get(`${A}0`)
  t.equal(state.requests, 81, 'the oldest of 8 MiB is forgotten')
  const answers: ((response: Response) => void)[] = []
  const waiting = platformProfiles(() => new Promise(resolve => answers.push(resolve)))
  const first = Array.from({ length: 50 }, (_, i) => waiting.get(`${A}${i}`))
  await t.rejects(waiting.get(`${A}50`), { code: 'overloaded' })
  for (const resolve of answers) resolve(new Response(profileOf()))
  t.equal((await Promise.all(first)).length, 50)
  const more = waiting.get(`${A}50`)
  answers.at(-1)?.(new Response(profileOf()))
  t.match(await more, { version: '2026-08-25' })
})
