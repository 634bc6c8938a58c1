// UCP carts over HTTP: created, read, replaced, cancelled, and the page that `continue_url` leads to.
import t from 'tap'
import { build, merchantFile } from '../../build.ts'
import { linesIn } from '../../transfer/answers.ts'

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
