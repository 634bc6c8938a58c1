// What Node's parser gives up on, answered on the bare socket. Requests that a client can send are in app.test.ts;
// here are the two that depend on time and on luck.
import { connect, createServer, type Socket } from 'node:net'
import t, { type Test } from 'tap'
import { openShopFront } from '../src/checkout/shop-front.ts'
import { answerSocket } from '../src/unrouted.ts'
import { build } from './build.ts'

const PARTS = { fronts: [], bare: openShopFront() }

/** Both ends of a real connection. */
async function socketPair(t: Test): Promise<{ server: Socket; client: Socket }> {
  const listener = createServer()
  await new Promise<void>(resolve => listener.listen(0, '127.0.0.1', resolve))
  t.teardown(() => listener.close())
  const accepted = new Promise<Socket>(resolve => listener.once('connection', resolve))
  const client = connect((listener.address() as { port: number }).port, '127.0.0.1')
  return { server: await accepted, client }
}

async function readAll(socket: Socket): Promise<string> {
  let text = ''
  for await (const chunk of socket) text += chunk
  return text
}

t.test('a request that does not arrive whole in time is 408', async t => {
  const { app } = await build(t)
  const { server, client } = await socketPair(t)
  const rawPacket = Buffer.from('POST /shop/cart HTTP/1.1\r\n')
  await answerSocket(app, PARTS, { code: 'ERR_HTTP_REQUEST_TIMEOUT', rawPacket }, server)
  t.match(await readAll(client), /^HTTP\/1\.1 408 Request Timeout[\s\S]*request-timeout/)
})

t.test('a timeout knows no packet', async t => {
  const { app } = await build(t)
  const { server, client } = await socketPair(t)
  await answerSocket(app, PARTS, { code: 'ERR_HTTP_REQUEST_TIMEOUT', rawPacket: undefined }, server)
  t.match(await readAll(client), /^HTTP\/1\.1 408 Request Timeout\r\n/)
})

t.test('a connection that was reset gets no answer', async t => {
  const { app } = await build(t)
  const { server, client } = await socketPair(t)
  await answerSocket(app, PARTS, { code: 'ECONNRESET', rawPacket: undefined }, server)
  t.equal(await readAll(client), '')
  t.equal(server.destroyed, true)
})
