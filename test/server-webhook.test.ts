// From a bag to the shop's own system, through the real server: an order arrives at the webhook, signed.
import type { ServerResponse } from 'node:http'
import { Webhook } from 'standardwebhooks'
import t, { type Test } from 'tap'
import { merchantFile, uuid } from './build.ts'
import { listen } from './listen.ts'
import { bagOf, openCheckout, sendOrder, shopFolder, startShop } from './running-shop.ts'
import { until } from './until.ts'

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

/** Starts a server for a shop with a webhook; `respond` answers the webhook's messages. */
async function startWithWebhook(t: Test, respond: (response: ServerResponse) => void) {
  const received: { body: string; headers: Record<string, string> }[] = []
  const receiver = await listen(t, async (request, response) => {
    const body = (await request.toArray()).join('')
    received.push({ body, headers: request.headers as Record<string, string> })
    respond(response)
  })
  const webhook = { url: `${receiver.origin}/orders`, secretVariable: 'SHOP_SECRET' }
  const folder = shopFolder(t, { 'shop.json': { ...merchantFile('1', { publicUrl: '/shop' }), webhook } })
  const { origin, stop } = await startShop(t, { folder, env: { SHOP_SECRET: SECRET } })

  /** @returns the order number */
  const order = async (reference: string): Promise<string | null> => {
    const placed = await sendOrder(origin + (await openCheckout(origin, bagOf(reference, 'MUG', 2))))
    t.equal(placed.status, 303)
    return new URL(String(placed.headers.get('location')), origin).searchParams.get('order')
  }
  return { received, order, stop }
}

t.test('an order placed on the page arrives at the webhook, signed', async t => {
  const { received, order, stop } = await startWithWebhook(t, response => response.end())
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
  const { received, order } = await startWithWebhook(t, response => waiting.push(response))
  const numbers: (string | null)[] = []
  for (let n = 1; n <= 8; n++) numbers.push(await order(uuid(n)))
  t.equal(waiting.length, received.length, 'nothing has been answered so far')
  await until('the maximum of concurrent messages', () => received.length === 4)
  t.equal(new Set(numbers).size, 8, 'every order was placed')
})
