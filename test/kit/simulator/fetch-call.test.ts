// Requests as calls of fetch: each sends what the request says, to a real server.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { fetchCall } from '../../../src/kit/simulator/fetch-call.ts'
import type { WebRequest } from '../../../src/transfer/option.ts'

/** The body of an async function, as a console runs it. */
const AsyncFunction = (async () => {}).constructor as FunctionConstructor

/** A server that keeps what it receives. */
async function receive(t: Test) {
  const received: object[] = []
  const server = createServer(async (request, response) => {
    const { method, url, headers } = request
    const { authorization, 'content-type': type, 'x-own': own } = headers
    const body = await text(request)
    received.push({ method, url, type, own, body, ...(authorization !== undefined && { authorization }) })
    response.end()
  }).listen(0, '127.0.0.1')
  t.teardown(() => server.close())
  await new Promise(resolve => server.once('listening', resolve))
  return { received, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

t.test('a call sends the same method, address, headers and body', async t => {
  const { received, origin } = await receive(t)
  const run = (request: Omit<WebRequest, 'url'> & { path: string }) =>
    AsyncFunction(`return ${fetchCall({ ...request, url: origin + request.path })}`)()

  const body = `{"sku":""' \\ \`\${1} \u2028 ソ"}`
  const headers = [
    { name: 'Content-Type', value: 'application/json' },
    { name: 'Content-Length', value: '1' },
    { name: 'X-Own', value: 'a' },
    { name: 'X-Own', value: 'b' }
  ]
  await run({ method: 'POST', path: '/cart', headers, body })
  await run({ method: 'GET', path: '/cart?a=%5B%22', headers: [] })
  t.strictSame(received, [
    { method: 'POST', url: '/cart', type: 'application/json', own: 'a, b', body },
    { method: 'GET', url: '/cart?a=%5B%22', type: undefined, own: undefined, body: '' }
  ])
})

t.test('a secret is named, and defined by whoever runs the call', async t => {
  const { received, origin } = await receive(t)
  const headers = [{ name: 'Authorization', value: 'Bearer $SHOP_TOKEN', variable: 'SHOP_TOKEN' }]
  const call = fetchCall({ method: 'POST', url: origin, headers })
  await t.rejects(AsyncFunction(call)(), { name: 'ReferenceError', message: /SHOP_TOKEN/ })
  await AsyncFunction('SHOP_TOKEN', call)('a`$secret')
  t.match(received, [{ method: 'POST', authorization: 'Bearer a`$secret' }])
  t.equal(received.length, 1)
})

t.test('a GET with a body is none that fetch can send', async t => {
  const call = fetchCall({ method: 'get', url: 'http://shop/', headers: [], body: '' })
  t.equal(call, '// fetch cannot send a get with a body')
})
