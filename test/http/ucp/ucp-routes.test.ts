// UCP carts over HTTP: created, read, replaced, cancelled, and the page that `continue_url` leads to.
import t from 'tap'
import { build, buildListening, merchantFile } from '../../build.ts'
import { sendRaw } from '../../raw-http.ts'
import { linesIn } from '../../transfer/answers.ts'

t.test('what is served at no address below the way is refused in the form of the protocol', async t => {
  const { port } = await buildListening(t, { merchants: [merchantFile('ucp', { transfer: { path: '/ucp' } })] })
  const ask = async (request: string) => {
    const { headers, status, body } = await sendRaw(
      port,
      `${request} HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\nAccept: text/html\r\n\r\n`
    )
    t.match(headers['content-type'], /^application\/json\b/, request)
    return [status, JSON.parse(body), headers.allow]
  }
  const unknown = { code: 'not_found', content: 'Nothing is served at this address.' }
  const not = (content: string) => ({ code: 'method_not_allowed', content })
  for (const path of ['', '/', '/cart', '/carts/x/y', '/mcp/sse', '/carts/x/continue/']) {
    t.strictSame(await ask(`GET ${BASE}${path}`), [404, unknown, undefined], path)
  }
  t.strictSame(await ask(`DELETE ${BASE}/carts/x`), [405, not('Only GET, PUT are allowed here.'), 'GET, PUT'])
  t.strictSame(await ask(`GET ${BASE}/mcp`), [405, not('Only POST is allowed here.'), 'POST'])
  t.match(await ask(`GET ${BASE}/carts/%zz`), [400, { code: 'malformed_request' }])
})

const AGENT = { 'ucp-agent': 'profile="https://platform.example/profile.json"' }
const BASE = '/shop/ucp'

t.test('a cart is created, read, replaced and cancelled', async t => {
  const { app } = await build(t, { merchants: [merchantFile('ucp', { transfer: { path: '/ucp' } })] })
  const send = async (method: 'GET' | 'POST' | 'PUT', url: string, body?: object) => {
    const payload = body && { payload: JSON.stringify(body) }
    const headers = { ...AGENT, ...(body && { 'content-type': 'application/json' }) }
    const { statusCode: status, ...answer } = await app.inject({ method, url: BASE + url, headers, ...payload })
    return { status, body: answer.json() }
  }
  const created = await send('POST', '/carts', { line_items: [{ item: { id: 'MUG' }, quantity: 2 }] })
  t.match(created, {
    status: 201,
    body: {
      ucp: { version: '2026-08-25' },
      id: /^[\da-f]{32}$/,
      line_items: [{ id: 'li_1', item: { id: 'MUG' }, quantity: 2 }],
      currency: 'GBP'
    }
  })
  const { id } = created.body
  t.strictSame(await send('GET', `/carts/${id}`), { ...created, status: 200 })
  const changed = await send('PUT', `/carts/${id}`, { line_items: [{ item: { id: 'BASKET' }, quantity: 1 }] })
  t.match(changed, { status: 200, body: { id, continue_url: created.body.continue_url } })
  const { pathname, search } = new URL(created.body.continue_url)
  const continued = await app.inject(pathname + search)
  t.equal(continued.statusCode, 303)
  const page = await app.inject(new URL(String(continued.headers.location)).pathname)
  t.strictSame(linesIn(page.body), [{ sku: 'BASKET', quantity: 1 }])
  t.strictSame(await send('POST', `/carts/${id}/cancel`, {}), changed)
  t.match(await send('GET', `/carts/${id}`), { status: 200, body: { messages: [{ code: 'not_found' }] } })
  t.equal((await app.inject(pathname + search)).statusCode, 404)
  const profile = await app.inject('/.well-known/ucp')
  t.match(profile.json(), {
    ucp: { version: '2026-08-25', services: { 'dev.ucp.shopping': [{ transport: 'rest' }, {}] } }
  })
})
