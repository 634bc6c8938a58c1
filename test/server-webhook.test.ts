// From a bag to the shop's own system, through the real server: an order arrives at the webhook, signed.
import { writeFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import t, { type Test } from 'tap'
import { FEED, merchantFile, uuid } from './build.ts'
import { startServer } from './server-process.ts'
import { until } from './until.ts'

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

/** Starts a server for a shop with a webhook; `respond` answers the webhook's messages. */
async function startShop(t: Test, respond: (response: ServerResponse) => void) {
  const received: { body: string; headers: Record<string, string> }[] = []
  const receiver = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    received.push({ body, headers: request.headers as Record<string, string> })
    respond(response)
  })
  await new Promise<void>(resolve => receiver.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    receiver.closeAllConnections()
    receiver.close()
  })
  const { port } = receiver.address() as { port: number }
  const folder = t.testdir({ 'feed.tsv': FEED })
  const webhook = { url: `http://127.0.0.1:${port}/orders`, secretVariable: 'SHOP_SECRET' }
  const file = { ...merchantFile('1', { publicUrl: '/shop' }), webhook }
  writeFileSync(join(folder, 'shop.json'), JSON.stringify(file))
  const { origin, stop } = await startServer(t, { folder, args: ['shop.json'], env: { SHOP_SECRET: SECRET } })

  /** @returns the order number */
  const order = async (reference: string): Promise<string | null> => {
    const cart = { items: [{ sku: 'MUG', quantity: 2 }], currency: 'GBP', reference }
    const headers = { 'Content-Type': 'application/json' }
    const answer = await fetch(`${origin}/shop/cart`, { method: 'POST', headers, body: JSON.stringify(cart) })
    const { url, body } = (await answer.json()) as { url: string; body: string }
    const checkout = `${url}/${body.slice('token='.length)}`
    const [, digest = ''] = /name=digest value="([^"]+)"/.exec(await (await fetch(checkout)).text()) ?? []
    const typed = {
      digest,
      email: 'ada@example.com',
      name: 'Ada',
      address1: '1 Quay',
      city: 'Whitby',
      postcode: 'YO21'
    }
    const placed = await fetch(checkout, { method: 'POST', body: new URLSearchParams(typed), redirect: 'manual' })
    t.equal(placed.status, 303)
    return new URL(String(placed.headers.get('location')), origin).searchParams.get('order')
  }
  return { received, order, stop }
}

t.test('an order placed on the page arrives at the webhook, signed', async t => {
  const { received, order, stop } = await startShop(t, response => response.end())
  const number = await order(uuid())
  await until('the webhook', () => received.length > 0)
  const [message] = received
  const verified = new Webhook(SECRET).verify(message?.body ?? '', message?.headers ?? {})
  t.match(verified, { type: 'order.placed', data: { orderNumber: number, reference: uuid(), total: '25.00' } })
  t.match(await stop(), { code: 0 })
  t.equal(received.length, 1)
})

t.test('a receiver that does not answer does not hold up shoppers', async t => {
  const waiting: ServerResponse[] = []
  const { received, order } = await startShop(t, response => waiting.push(response))
  const numbers: (string | null)[] = []
  for (let n = 1; n <= 8; n++) numbers.push(await order(uuid(n)))
  t.equal(waiting.length, received.length, 'nothing has been answered so far')
  await until('the maximum of concurrent messages', () => received.length === 4)
  t.equal(new Set(numbers).size, 8, 'every order was placed')
})
