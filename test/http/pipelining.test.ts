// An attack on the whole app: connections that ask for large pages in one packet, hundreds of times, and never read.
import { connect } from 'node:net'
import t from 'tap'
import { build, merchantFile } from '../build.ts'
import { sendRawText } from '../raw-http.ts'

const SOCKETS = 20
const LINES = 500
const REQUESTS = 900

/** Runs a load. @returns the peak of the memory in use beyond what it was, in bytes, and the longest turn, in ms */
async function measure(load: () => Promise<unknown>): Promise<{ memory: number; turn: number }> {
  const inUse = () => {
    const { heapUsed, external } = process.memoryUsage()
    return heapUsed + external
  }
  const before = inUse()
  let memory = 0
  let turn = 0
  let last = performance.now()
  const timer = setInterval(() => {
    memory = Math.max(memory, inUse() - before)
    turn = Math.max(turn, performance.now() - last)
    last = performance.now()
  }, 1)
  try {
    await load()
    return { memory, turn }
  } finally {
    clearInterval(timer)
  }
}

t.test('many requests in a packet cost no more than as many connections with one each', async t => {
  const feed = ['id\ttitle\tavailability\tprice']
  for (let i = 0; i < LINES; i++) feed.push(`SKU-${i}\tA product of number ${i}, for every day\tin_stock\t12.50 GBP`)
  const merchants = [merchantFile('1', { publicUrl: 'http://127.0.0.1:3000/shop', transfer: { maxItems: LINES } })]
  const { app } = await build(t, { merchants, feed: feed.join('\n') })
  const items = Array.from({ length: LINES }, (_, i) => ({ sku: `SKU-${i}`, quantity: 1 }))
  const { body } = (
    await app.inject({
      method: 'POST',
      url: '/shop/cart',
      headers: { 'content-type': 'application/json' },
      payload: JSON.stringify({ items, currency: 'GBP', reference: '0'.repeat(32) })
    })
  ).json()
  const path = `/shop/checkout/${body.slice('token='.length)}`
  await app.listen({ port: 0, host: '127.0.0.1' })
  const port = Number(new URL(app.listeningOrigin).port)
  const get = (connection: string) => `GET ${path} HTTP/1.1\r\nHost: shop.example\r\nConnection: ${connection}\r\n\r\n`

  const honestLoad = () => Promise.all(Array.from({ length: SOCKETS }, () => sendRawText(port, get('close'))))
  const [page = ''] = await honestLoad()
  t.equal(page.match(/data-sku=/g)?.length, LINES)
  const honest = await measure(honestLoad)
  const attack = await measure(() =>
    Promise.all(
      Array.from({ length: SOCKETS }, async () => {
        const socket = connect(port, '127.0.0.1')
        socket.on('error', () => {})
        socket.write(get('keep-alive').repeat(REQUESTS))
        await new Promise(resolve => socket.once('close', resolve))
      })
    )
  )
  // All pages would take hundreds of times as much.
  t.ok(attack.memory < 40 * Math.max(honest.memory, SOCKETS * page.length), JSON.stringify({ attack, honest }))
  t.ok(attack.turn < 100 * honest.turn, JSON.stringify({ attack, honest }))
  t.match(await app.inject('/healthz'), { statusCode: 200 })
})
