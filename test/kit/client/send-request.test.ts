// One request and its response, byte for byte.
import dns from 'node:dns'
import { once } from 'node:events'
import {
  type AddressInfo,
  createServer,
  getDefaultAutoSelectFamilyAttemptTimeout,
  setDefaultAutoSelectFamilyAttemptTimeout
} from 'node:net'
import { mock } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import {
  headerValue,
  NoResponseError,
  responseText,
  sendRequest,
  verifiedKey
} from '../../../src/kit/client/send-request.ts'
import { listen } from '../../listen.ts'
import { AUTHORITY, startTlsServer } from '../certificates/tls-server.ts'

/** A raw TCP server: sends these bytes to every connection, and records what it receives. */
async function listenRaw(t: Test, response: string | Uint8Array | undefined, { ends = true } = {}) {
  const received: string[] = []
  const server = createServer(socket => {
    socket.on('data', data => {
      received.push(data.toString('latin1'))
      if (response !== undefined) socket[ends ? 'end' : 'write'](response)
    })
    socket.on('error', () => {})
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => server.close())
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return { host, origin: `http://${host}`, sent: () => received.join('') }
}

const OK = 'HTTP/1.1 200 Fine\r\nX-A: 1\r\nx-a: 2\r\nContent-Type: text/html\r\n\r\nhello'

t.test('a request is sent exactly as written', async t => {
  const { origin, host, sent } = await listenRaw(t, OK)
  const headers = [
    { name: 'X-B', value: 'b' },
    { name: 'x-B', value: 'c' },
    { name: 'Host', value: 'elsewhere' }
  ]
  const url = `${origin}/cart?item_0_sku=a|b%2f'"&x=1#there`
  const response = await sendRequest({ method: 'POST', url, headers, body: 'ü=1' })
  t.equal(
    sent(),
    `POST /cart?item_0_sku=a|b%2f'"&x=1 HTTP/1.1\r\nHost: ${host}\r\nX-B: b\r\nx-B: c\r\nContent-Length: 4\r\nConnection: close\r\n\r\nÃ¼=1`
  )
  t.match(response, { url, status: 200, statusText: 'Fine' })
  t.strictSame(response.headers, [
    { name: 'X-A', value: '1' },
    { name: 'x-a', value: '2' },
    { name: 'Content-Type', value: 'text/html' }
  ])
  t.equal(responseText(response), 'hello')
  t.equal(headerValue(response.headers, 'x-A'), '1, 2')
  t.equal(headerValue(response.headers, 'x-c'), undefined)
  t.type(response.milliseconds, 'number')
})

t.test('a URL without a path requests the root; without a body, a POST has a length of 0 and a GET none', async t => {
  const { origin, host, sent } = await listenRaw(t, OK)
  await sendRequest({ method: 'GET', url: `${origin}?a=b`, headers: [] })
  await sendRequest({ method: 'POST', url: `${origin}/`, headers: [{ name: 'Transfer-Encoding', value: 'chunked' }] })
  const head = (line: string, length = '') => `${line} HTTP/1.1\r\nHost: ${host}\r\n${length}Connection: close\r\n\r\n`
  t.equal(sent(), head('GET /?a=b') + head('POST /', 'Content-Length: 0\r\n'))
})

t.test('a slow request pauses in the middle of its body, or before it begins', async t => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  const received: string[] = []
  const { origin } = await listen(t, async (request, response) => {
    received.push(String(request.url))
    for await (const part of request) {
      received.push(String(part))
      // Nothing but the clock sends the rest.
      mock.timers.tick(500)
    }
    response.end()
  })
  await sendRequest({ method: 'POST', url: `${origin}/bag`, headers: [], body: 'a=1&b=23' }, { pause: 500 })
  const slow = sendRequest({ method: 'GET', url: `${origin}/slow`, headers: [] }, { pause: 500 })
  await sendRequest({ method: 'GET', url: `${origin}/prompt`, headers: [] })
  mock.timers.tick(500)
  await slow
  t.strictSame(received, ['/bag', 'a=1&', 'b=23', '/prompt', '/slow'])
})

t.test('a response that switches protocols is an error', async t => {
  const switching = await listenRaw(t, 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n')
  const tunnel = await listenRaw(t, OK)
  const cases: [string, string, RegExp][] = [
    ['GET', switching.origin, /101 switches protocols/],
    ['CONNECT', tunnel.origin, /200 switches protocols/]
  ]
  for (const [method, url, message] of cases) {
    await t.rejects(sendRequest({ method, url, headers: [] }), { constructor: NoResponseError, message })
  }
})

t.test('connectTo changes the connection, not the Host', async t => {
  const { origin, sent } = await listenRaw(t, OK)
  await sendRequest({ method: 'GET', url: 'https://shop.example/cart', headers: [] }, { connectTo: origin })
  t.match(sent(), 'GET /cart HTTP/1.1\r\nHost: shop.example\r\n')
})

t.test('without a response, the error says why', async t => {
  const silent = await listenRaw(t, undefined)
  const half = await listenRaw(t, 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf')
  const huge = await listenRaw(
    t,
    Buffer.concat([Buffer.from('HTTP/1.1 200 OK\r\n\r\n'), Buffer.alloc(21 * 1024 * 1024)])
  )
  const cases: [string, string][] = [
    ['http://127.0.0.1:1/a?b', 'nothing listens at http://127.0.0.1:1; start the site, or correct the address'],
    ['https://localhost:1/', 'nothing listens at https://localhost:1; start the site, or correct the address'],
    [silent.origin, 'no complete response within 0.2 s'],
    [half.origin, `${half.origin} closed the connection without a complete response`],
    [huge.origin, 'the response is larger than 20971520 bytes']
  ]
  for (const [url, message] of cases) {
    const timeout = url === silent.origin ? 200 : 20_000
    const error = await sendRequest({ method: 'GET', url, headers: [] }, { timeout }).catch(reason => reason)
    t.ok(error instanceof NoResponseError, `${url}: ${error}`)
    t.equal(error.message, message)
  }
})

t.test(
  'a name that nobody has, or with several addresses of which none answers, is an error that says why',
  async t => {
    const unknown = Object.assign(new Error('getaddrinfo ENOTFOUND shop.example'), { code: 'ENOTFOUND' })
    const cases: [found: unknown, message: RegExp][] = [
      [unknown, /^there is no host named shop\.example; correct the address$/],
      [
        ['127.0.0.1', '127.0.0.2'],
        /^nothing listens at http:\/\/shop\.example:1; start the site, or correct the address$/
      ],
      // A code without words of ours: no connection can be made to a broadcast address.
      [['255.255.255.255', '127.0.0.1'], /^E[A-Z]+$/]
    ]
    // By default, an address that does not refuse within 250 ms has timed out, as on a busy machine.
    const before = getDefaultAutoSelectFamilyAttemptTimeout()
    setDefaultAutoSelectFamilyAttemptTimeout(20_000)
    t.teardown(() => {
      mock.restoreAll()
      setDefaultAutoSelectFamilyAttemptTimeout(before)
    })
    let answer: unknown[] = []
    mock.method(dns, 'lookup', (_name: string, _options: object, done: (...found: unknown[]) => void) =>
      done(...answer)
    )
    for (const [found, message] of cases) {
      answer = Array.isArray(found) ? [null, found.map(address => ({ address, family: 4 }))] : [found]
      await t.rejects(sendRequest({ method: 'GET', url: 'http://shop.example:1/', headers: [] }), { message })
    }
  }
)

t.test('the timeout also ends a response that has begun', async t => {
  const { origin: url } = await listenRaw(t, 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf', { ends: false })
  await t.rejects(sendRequest({ method: 'GET', url, headers: [] }, { timeout: 300 }), {
    message: /no complete response/
  })
})

const E = Uint8Array.of(0xe9)
const page = (head: string) => Buffer.from(`<!doctype html>${head}é`, 'latin1')

const CASES: [what: string, type: string | undefined, body: Uint8Array, text: string][] = [
  ['a character set in the header', 'text/html; charset="iso-8859-1"', E, 'é'],
  ['an unknown one', 'text/html; charset=none-such', E, '\ufffd'],
  ['no header', undefined, E, '\ufffd'],
  ['one in a meta element', 'text/html', page('<meta name=x><meta charset=iso-8859-1>'), 'é'],
  ['one with http-equiv', 'text/html', page('<meta http-equiv="c" content="text/html; charset=latin1">'), 'é'],
  ['the header takes precedence', 'text/html; charset=utf-8', page('<meta charset=latin1>'), '\ufffd'],
  ['a meta element in JSON is ignored', 'application/json', page('<meta charset=latin1>'), '\ufffd'],
  ['a byte order mark takes precedence over both', 'text/html; charset=latin1', Buffer.from('\ufeffé'), 'é'],
  ['a byte order mark of two bytes', 'text/html', Buffer.from('\ufeffé', 'utf16le'), 'é']
]

t.test('a body is read in its character set', async t => {
  for (const [what, type, body, text] of CASES) {
    const headers = type === undefined ? [] : [{ name: 'Content-Type', value: type }]
    t.equal(responseText({ headers, body }).slice(-1), text, what)
  }
})

t.test('unrequested compression is undone, and a body that cannot be decompressed is left as is', async t => {
  const text = (coding: string, body: Uint8Array) =>
    responseText({ headers: [{ name: 'content-encoding', value: coding }], body })
  const bodies: [string, Uint8Array][] = [
    ['gzip', gzipSync('page')],
    ['X-GZIP', gzipSync('page')],
    ['br', brotliCompressSync('page')],
    ['deflate', deflateSync('page')],
    ['identity', Buffer.from('page')],
    ['gzip', Buffer.from('page')]
  ]
  for (const [coding, body] of bodies) t.equal(text(coding, body), 'page', coding)
})

t.test('a certificate is trusted if Node trusts it', async t => {
  const origin = await startTlsServer(t)
  await t.rejects(verifiedKey(`${origin}/cart`, 5000), {
    message: new RegExp(
      `^the certificate of ${origin} is not trusted \\(UNABLE_TO_VERIFY_LEAF_SIGNATURE\\).*NODE_EXTRA_CA_CERTS=`
    )
  })
  const known = getCACertificates('default')
  t.teardown(() => setDefaultCACertificates(known))
  setDefaultCACertificates([...known, AUTHORITY])
  t.match(await verifiedKey(`${origin}/cart`, 5000), /^[A-Za-z0-9+/]{43}=$/)
  t.equal(await verifiedKey(origin.replace('127.0.0.1', 'localhost'), 5000), await verifiedKey(origin, 5000))
  const { status } = await sendRequest({ method: 'GET', url: origin.replace('127.0.0.1', 'localhost'), headers: [] })
  t.equal(status, 404)
})

t.test('without TLS, or without a connection, there is none', async t => {
  t.equal(await verifiedKey('http://127.0.0.1:9/cart', 5000), undefined)
  t.equal(await verifiedKey('https://[::1]:9/cart', 5000), undefined)
  t.equal(await verifiedKey('https://shop.invalid/cart', 5000), undefined)
  const { origin } = await listen(t, () => {})
  t.equal(await verifiedKey(origin.replace('http:', 'https:'), 5000), undefined)
})
