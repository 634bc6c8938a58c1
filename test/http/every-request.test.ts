// What every request must have, and what every answer says.
import t from 'tap'
import { build, buildListening, merchantFile } from '../build.ts'
import { sendRaw, sendRawText } from '../raw-http.ts'

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

const HEAD = [
  'POST /shop/cart HTTP/1.1',
  'Host: shop.example',
  'Content-Type: application/x-www-form-urlencoded',
  'Transfer-Encoding: chunked',
  'Connection: close\r\n\r\n'
].join('\r\n')

/** The body in chunks of this many bytes. */
function chunked(body: string, size: number): string {
  let sent = ''
  for (let i = 0; i < body.length; i += size) {
    const chunk = body.slice(i, i + size)
    sent += `${chunk.length.toString(16)}\r\n${chunk}\r\n`
  }
  return `${sent}0\r\n\r\n`
}

t.test('a bag in chunks is read; one in thousands of tiny ones is cut off', async t => {
  const { logs, port } = await buildListening(t, { merchants: [merchantFile('2A', { publicUrl: '/shop' })] })
  const bag = 'items[0][sku]=MUG&items[0][quantity]=1&currency=GBP&reference=r'
  const padded = `${bag}&beyond=${'x'.repeat(40_000)}`
  t.match(await sendRaw(port, HEAD + chunked(bag, 1)), { status: 200 }, 'a small one in single bytes')
  t.match(await sendRaw(port, HEAD + chunked(padded, 20)), { status: 200 }, '2,000 chunks of 20 bytes')
  t.equal(await sendRawText(port, HEAD + chunked(padded, 1)).catch(({ code }) => code), 'ECONNRESET')
  const cuts = logs.filter(({ msg }) => msg === 'connection cut: a body in tiny chunks')
  t.match(cuts, [{ level: 40, requests: 1 }])
})

t.test('a body in tiny chunks is also cut off if it is not wanted', async t => {
  const authentication = { type: 'bearer', secretVariables: ['TOKEN'] }
  const { port } = await buildListening(t, {
    merchants: [
      merchantFile('2A', { publicUrl: '/shop' }),
      merchantFile('1', { id: 'json', publicUrl: '/json', transfer: { authentication } })
    ],
    variables: { TOKEN: 'a'.repeat(32) }
  })
  const last = 'GET /healthz HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n\r\n'
  const unwanted = {
    405: ['PUT /shop/cart', 'application/x-www-form-urlencoded'],
    415: ['POST /shop/cart', 'text/plain'],
    401: ['POST /json/cart', 'application/json'],
    404: ['POST /nothing', 'text/plain'],
    400: ['POST /%zz', 'application/json'],
    200: ['GET /healthz', 'application/json']
  }
  for (const [status, [request, type]] of Object.entries(unwanted)) {
    const head = [`${request} HTTP/1.1`, 'Host: shop.example', `Content-Type: ${type}`, 'Transfer-Encoding: chunked']
    const send = async (size: number) => {
      const sent = `${head.join('\r\n')}\r\n\r\n${chunked('x'.repeat(40_000), size)}${last}`
      const answers = await sendRawText(port, sent).catch(() => '')
      return Array.from(answers.matchAll(/HTTP\/1\.1 (\d+)/g), ([, each]) => each)
    }
    t.strictSame(await send(20), [status, '200'], `${request}: 2,000 chunks, and the next request`)
    t.ok((await send(1)).length < 2, `${request}: 40,000 chunks, and no next request`)
  }
})
