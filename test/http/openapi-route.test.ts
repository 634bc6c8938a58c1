// The OpenAPI document of a merchant over HTTP: who may read it, how long it is kept, and where there is none.
import t from 'tap'
import { build, merchantFile } from '../build.ts'

const ADDRESS = '/shop/openapi.json'

t.test('anybody may read it, a script of another site included, and ask whether it is still the same', async t => {
  const { app } = await build(t)
  const first = await app.inject({ url: ADDRESS, headers: { origin: 'https://docs.example' } })
  const { etag } = first.headers
  const always = {
    'cache-control': 'no-cache',
    'access-control-allow-origin': '*',
    'x-content-type-options': 'nosniff'
  }
  t.match(first, { statusCode: 200, headers: { ...always, etag: /^"\S+"$/ } })
  t.match(first.headers['content-type'], 'application/json')
  t.match(first.json(), { openapi: '3.1.0', servers: [{ url: 'http://127.0.0.1:3000/shop' }] })
  t.equal((await app.inject(ADDRESS)).body, first.body)
  for (const known of [etag, `W/"other", W/${etag}`]) {
    const again = await app.inject({ url: ADDRESS, headers: { 'if-none-match': String(known) } })
    t.match(again, { statusCode: 304, body: '', headers: { ...always, etag } })
  }
  t.match(await app.inject({ url: ADDRESS, headers: { 'if-none-match': '"other"' } }), { statusCode: 200 })
  t.match(await app.inject({ method: 'HEAD', url: ADDRESS }), { statusCode: 200, body: '' })
  for (const method of ['POST', 'OPTIONS', 'DELETE'] as const) {
    const refused = await app.inject({ method, url: ADDRESS })
    t.match(refused, { statusCode: 405, headers: { allow: 'GET, HEAD' } }, method)
  }
})

t.test('a merchant whose publicUrl is a path has the address at which this process listens', async t => {
  const { app } = await build(t, { merchants: [merchantFile('1', { publicUrl: '/shop' })] })
  await app.listen({ host: '127.0.0.1', port: 0 })
  t.match((await app.inject(ADDRESS)).json(), { servers: [{ url: `${app.listeningOrigin}/shop` }] })
})

t.test('where nothing takes JSON there is none', async t => {
  for (const option of ['2A', '2B']) {
    const { app } = await build(t, { merchants: [merchantFile(option)] })
    t.match(await app.inject(ADDRESS), { statusCode: 404 }, option)
  }
})
