// The page at `/`: for this machine, and for nobody else. It has no key, as a proxy on this machine may say nothing of itself.
import type { IncomingMessage } from 'node:http'
import t from 'tap'
import { openFaultInjection } from '../../../src/kit/fault-injection/fault-injection.ts'
import { isFromHere } from '../../../src/kit/simulator/open-simulator.ts'
import { build, buildListening, merchantFile, SIMULATOR_KEY, simulatorCookie } from '../../build.ts'

const HERE = { remoteAddress: '127.0.0.1', host: '127.0.0.1:3000' }

t.test('a request is from this machine if it comes from there, asks for it, and nobody has passed it on', async t => {
  const cases: [isIt: boolean, request: Partial<typeof HERE> & { headers?: object }][] = [
    [true, {}],
    [true, { remoteAddress: '::1', host: '[::1]:3000' }],
    [true, { remoteAddress: '::ffff:127.0.0.1', host: 'localhost:3000' }],
    [true, { host: 'LOCALHOST', headers: { accept: 'text/html', 'x-own': 'a' } }],
    [false, { remoteAddress: '192.168.1.5' }],
    [false, { remoteAddress: '::ffff:192.168.1.5' }],
    // A name of others that leads here.
    [false, { host: 'evil.example:3000' }],
    [false, { host: '127.0.0.1.evil.example' }],
    [false, { host: '192.168.1.5:3000' }],
    [false, { host: '' }],
    [false, { host: 'a b' }],
    ...[
      'forwarded',
      'via',
      'x-forwarded-for',
      'x-forwarded-host',
      'x-forwarded-proto',
      'x-real-ip',
      'true-client-ip'
    ].map((name): [boolean, object] => [false, { headers: { [name]: '127.0.0.1' } }]),
    [false, { headers: { 'cf-connecting-ip': '127.0.0.1' } }]
  ]
  for (const [isIt, { headers, ...changes }] of cases) {
    const { remoteAddress, host } = { ...HERE, ...changes }
    const request = { socket: { remoteAddress }, headers: { host, ...headers } } as unknown as IncomingMessage
    t.equal(isFromHere(request), isIt, JSON.stringify([changes, headers]))
  }
  t.equal(isFromHere({ socket: {}, headers: {} } as IncomingMessage), false)
})

const merchants = [
  merchantFile('1', { id: 'a', publicUrl: '/a', name: '<b>First' }),
  merchantFile('2A', { id: 'b-b', name: 'Second', publicUrl: 'http://127.0.0.1:9/b' })
]

t.test('this machine sees what this is, and the way to the simulator and to each shop', async t => {
  const { app } = await buildListening(t, { merchants, simulator: {} })
  const page = await fetch(`${app.listeningOrigin}/`)
  t.equal(page.status, 200)
  const html = await page.text()
  t.match(html, '&lt;b&gt;First')
  t.match(html, `<code>${app.listeningOrigin}/a/cart</code>`)
  t.match(html, '<code>http://127.0.0.1:9/b/cart</code>')
  t.match(html, 'href="/simulator"')
  t.match(html, 'href="/simulator#shop=b-b"')
  t.strictSame(html.match(/href="[^"]*openapi[^"]*"/g), ['href="/a/openapi.json"'], 'only of what takes JSON')
  t.notMatch(html, SIMULATOR_KEY)
  t.equal(page.headers.get('set-cookie'), null)
  t.match(page.headers.get('content-security-policy'), /^default-src 'none'.*frame-ancestors 'none'/)
  t.equal(page.headers.get('cache-control'), 'no-store')
  t.equal((await fetch(`${app.listeningOrigin}/`, { method: 'POST' })).status, 404)
})

t.test('for everybody else `/` is unknown, as it is without a simulator', async t => {
  const [plain, local, exposed] = await Promise.all([
    build(t, { merchants }),
    build(t, { merchants, simulator: {} }),
    build(t, { merchants, simulator: { setting: 'on', host: '0.0.0.0' } })
  ])
  const answerOf = async ({ app }: typeof plain, headers: Record<string, string>) => {
    const { statusCode, headers: sent, body } = await app.inject({ url: '/', headers })
    // The id of each request is its own.
    const text = body.replace(/[0-9a-f-]{36}/g, 'id')
    return { statusCode, headers: { ...sent, date: '' }, text }
  }
  for (const accept of ['text/html', 'application/json']) {
    const unknown = await answerOf(plain, { accept })
    t.equal(unknown.statusCode, 404)
    t.strictSame(await answerOf(local, { accept, 'x-forwarded-for': '127.0.0.1' }), unknown)
    t.strictSame(
      await answerOf(local, { accept, host: 'shop.example' }),
      await answerOf(plain, { accept, host: 'shop.example' })
    )
    t.strictSame(
      await answerOf(exposed, { accept }),
      unknown,
      'where others can reach the simulator, on this machine too'
    )
  }
})

t.test('a simulator that cannot play anything does not keep the server from stopping', async t => {
  const inject = () => {
    throw new Error('no parts')
  }
  const built = await buildListening(t, { merchants, simulator: { faults: { ...openFaultInjection(), inject } } })
  const headers = { 'content-type': 'application/json', ...simulatorCookie(built.app) }
  const cart = { items: [], currency: 'GBP', reference: 'a' }
  const payload = { merchant: 'a', cart }
  t.equal((await built.app.inject({ method: 'POST', url: '/simulator/transfers', headers, payload })).statusCode, 500)
  await built.app.close()
})
