// Draining: what balances the load is told, everything that still arrives is answered, and only then the server closes.
import { Agent, get } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'
import t from 'tap'
import { build, merchantFile } from '../build.ts'

const PAGE = '/shop/cart?item_0_sku=MUG&item_0_quantity=1&currency=GBP&reference='

t.test('while it drains, new connections are served, and every answer closes its own', async t => {
  const { app } = await build(t, { merchants: [merchantFile('2B', { publicUrl: 'http://127.0.0.1:3000/shop' })] })
  await app.listen({ port: 0 })
  const origin = app.listeningOrigin
  const agent = new Agent({ keepAlive: true })
  t.teardown(() => agent.destroy())
  const ask = (path: string) =>
    new Promise<{ status: number | undefined; connection: string | undefined }>((resolve, reject) => {
      get(origin + path, { agent }, response => {
        response.resume().on('end', () => {
          resolve({ status: response.statusCode, connection: response.headers.connection })
        })
      }).on('error', reject)
    })
  t.match(await ask('/readyz'), { status: 200, connection: 'keep-alive' })
  app.drain()
  t.match(await ask('/readyz'), { status: 503, connection: 'close' })
  t.match(await ask('/healthz'), { status: 200, connection: 'close' })
  t.match(await ask('/%zz'), { status: 400, connection: 'close' })
  const bags = await Promise.all(Array.from({ length: 200 }, (_, i) => ask(`${PAGE}r-${i}`)))
  for (const bag of bags) {
    if (bag.status !== 200 || bag.connection !== 'close') t.fail(`${bag.status} ${bag.connection}`)
  }

  const last = Array.from({ length: 200 }, (_, i) => ask(`${PAGE}last-${i}`))
  await nextTurn()
  await app.close()
  for (const { status } of await Promise.all(last)) t.equal(status, 200, 'what had arrived was answered')
  await t.rejects(ask('/healthz'), { code: 'ECONNREFUSED' })
})
