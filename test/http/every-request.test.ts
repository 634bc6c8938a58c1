// What every request must have, and what every answer says.
import t from 'tap'
import { build, merchantFile } from '../build.ts'
import { sendRaw } from '../raw-http.ts'

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

function site(origin: string) {
  return { merchants: [merchantFile('1', { publicUrl: `${origin}/one` })] }
}

t.test('every answer says nosniff, and demands https if that is how it is reached', async t => {
  const origins = [
    ['https://shop.example', HSTS],
    ['http://127.0.0.1:3000', undefined]
  ] as const
  for (const [origin, hsts] of origins) {
    const { app } = await build(t, site(origin))
    for (const [method, url] of ADDRESSES) {
      const { headers } = await app.inject({ method, url })
      t.equal(headers['x-content-type-options'], 'nosniff', `${method} ${url}`)
      t.match(headers['content-security-policy'], /^default-src 'none';/, `${method} ${url}`)
      t.equal(headers['strict-transport-security'], hsts, `${method} ${url}, ${origin}`)
    }
  }
})

t.test('if only some merchants are reached by https, only their answers demand it', async t => {
  const secure = merchantFile('1', { id: 'secure', publicUrl: 'https://shop.example/secure' })
  const local = merchantFile('1', { id: 'local', publicUrl: 'http://127.0.0.1:3000/local' })
  const { app } = await build(t, { merchants: [secure, local] })
  for (const [url, hsts] of [
    ['/secure/checkout/unknown', HSTS],
    ['/secure/cart', HSTS],
    ['/local/checkout/unknown', undefined],
    ['/healthz', undefined]
  ] as const) {
    t.equal((await app.inject(url)).headers['strict-transport-security'], hsts, url)
  }
})

t.test('a request has exactly one Host', async t => {
  const { app } = await build(t)
  await app.listen({ port: 0, host: '127.0.0.1' })
  const port = Number(new URL(app.listeningOrigin).port)
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
