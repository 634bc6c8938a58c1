// Draining: what balances the load is told, everything that still arrives is answered, and only then the server closes.
import { once } from 'node:events'
import { Agent, get } from 'node:http'
import { connect } from 'node:net'
import t from 'tap'
import { build, merchantFile } from '../build.ts'

const PAGE = '/shop/cart?item_0_sku=MUG&item_0_quantity=1&currency=GBP&reference='

t.test('while it drains, new connections are served, and every answer closes its own', async t => {
  const { app } = await build(t, { merchants: [merchantFile('2B', { publicUrl: 'http://127.0.0.1:3000/shop' })] })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const origin = app.listeningOrigin
  const agent = new Agent({ keepAlive: true })
  t.teardown(() => agent.destroy())
  const ask = (path: string, onConnect: () => unknown = () => {}) =>
    new Promise<{ status: number | undefined; connection: string | undefined }>((resolve, reject) => {
      get(origin + path, { agent }, response => {
        response.resume().on('end', () => {
          resolve({ status: response.statusCode, connection: response.headers.connection })
        })
      })
        .on('error', reject)
        .on('socket', socket => socket.once('connect', onConnect))
    })
  t.match(await ask('/readyz'), { status: 200, connection: 'keep-alive' })
  app.drain()
  t.match(await ask('/readyz'), { status: 503, connection: 'close' })
  t.match(await ask('/healthz'), { status: 200, connection: 'close' })
  t.match(await ask('/%zz'), { status: 400, connection: 'close' })
  const bags = await Promise.all(Array.from({ length: 50 }, (_, i) => ask(`${PAGE}r-${i}`)))
  for (const bag of bags) {
    if (bag.status !== 200 || bag.connection !== 'close') t.fail(`${bag.status} ${bag.connection}`)
  }

  let unconnected = 50
  const { promise: connected, resolve } = Promise.withResolvers<void>()
  const onConnect = () => --unconnected === 0 && resolve()
  const last = Promise.allSettled(Array.from({ length: 50 }, (_, i) => ask(`${PAGE}last-${i}`, onConnect)))
  await Promise.race([connected, last])
  await app.close()
  for (const answer of await last) t.match(answer, { value: { status: 200 } }, 'what had arrived was answered')
  await t.rejects(ask('/healthz'), { code: 'ECONNREFUSED' })
})

t.test('a request that arrives byte by byte does not hold the close up', async t => {
  const { app } = await build(t, { merchants: [merchantFile('2A')] })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const began = once(app.server, 'request')
  const client = connect(Number(new URL(app.listeningOrigin).port), '127.0.0.1')
  let received = ''
  client.on('data', data => {
    received += data
  })
  // It may be told by a reset, which once() would take for a failure.
  client.on('error', () => {})
  const closed = new Promise(resolve => client.on('close', resolve))
  const form = 'Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000'
  client.write(`POST /shop/cart HTTP/1.1\r\nHost: shop.example\r\n${form}\r\n\r\ni`)
  const trickle = setInterval(() => client.write('i'), 200)
  t.teardown(() => clearInterval(trickle))
  await began
  await app.close()
  await closed
  t.equal(received, '', 'it was cut before it had arrived')
})
