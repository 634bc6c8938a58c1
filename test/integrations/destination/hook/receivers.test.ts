// The example receivers, each in its language, called as a shop is: what they send and are sent is what `openapi.json`
// says.
import { type ChildProcess, spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Cart } from '../../../../src/cart/cart.ts'
import { CartRefused, compareCart, readHandoff } from '../../../../src/integrations/destination/destination.ts'
import { hook } from '../../../../src/integrations/destination/hook/hook.ts'
import { type Fetch, httpFetch } from '../../../../src/integrations/outgoing/http-client.ts'
import { webhookSecret } from '../../../../src/secrets.ts'
import { freePort } from '../../../listen.ts'
import { nodeCommand, ROOT } from '../../../node-process.ts'
import { until } from '../../../until.ts'
import { readOpenApi } from './openapi.ts'

const { check } = await readOpenApi()

const RECEIVERS = join(ROOT, 'src/integrations/destination/hook/receivers')
const SECRET = `whsec_${Buffer.from('a secret that shop and server share').toString('base64')}`
const SHOP = 'https://shop.example'

const commands: Record<string, (file: string, port: string) => string[]> = {
  'receiver.mjs': file => nodeCommand([file]),
  'receiver.php': (file, port) => ['php', '-S', `127.0.0.1:${port}`, file],
  'receiver.py': file => ['python3', file]
}

const cartOf = (...items: Cart['items']): Cart => ({ reference: 'order-1', currency: 'EUR', items })
const item = (sku: string, quantity: number, price?: string) => ({
  sku,
  quantity,
  ...(price !== undefined && { price })
})

/** Starts a receiver, and stops it when the test ends. @returns its address */
async function start(t: Test, name: string): Promise<string> {
  const port = String(await freePort())
  const [command = '', ...args] = commands[name]?.(join(RECEIVERS, name), port) ?? []
  const env = { ...process.env, SHOP_SECRET: SECRET, SHOP_URL: SHOP, PORT: port, DATA: t.testdir({}) }
  const child: ChildProcess = spawn(command, args, { env, stdio: 'ignore' })
  const closed = new Promise(resolve => child.once('close', resolve))
  const failed = once(child, 'error').then(([error]) => {
    throw new Error(`${command} cannot be run (${error.message}); \`npm test\` says what to install`)
  })
  t.teardown(async () => {
    child.kill('SIGKILL')
    await closed
  })
  const url = `http://127.0.0.1:${port}/app-cart`
  const isThere = until('the receiver', () => fetch(url, { method: 'POST', body: '{}' }).then(Boolean, () => false))
  await Promise.race([isThere, failed])
  return url
}

for (const name of Object.keys(commands)) {
  t.test(name, async t => {
    /** Checks what goes over the wire against the OpenAPI file. */
    const watched: Fetch = async (input, init) => {
      t.ok(check.CartTransfer(JSON.parse(String(init.body))), JSON.stringify(check.CartTransfer.errors))
      const response = await httpFetch(input, init)
      const isValid = { 200: check.Handover, 422: check.Refusal }[response.status]
      if (isValid) t.ok(isValid(await response.clone().json()), JSON.stringify(isValid.errors))
      return response
    }
    const url = await start(t, name)
    const open = async (cart: Cart, key: string, { secret = SECRET, clock = () => new Date() } = {}) => {
      const signal = AbortSignal.timeout(30_000)
      const access = { settings: { url }, key, signal, fetch: watched, clock, secret }
      return readHandoff(await hook.open(cart, access), new Date())
    }
    const mistakesOf = async (cart: Cart, key: string) => {
      const problem = await open(cart, key).catch((error: unknown) => error)
      return problem instanceof CartRefused
        ? problem.mistakes.map(({ field, line, code }) => [field, line, code])
        : problem
    }

    await t.test('opens a fresh cart for each key, and repeats its answer', async t => {
      const cart = cartOf(item('MUG', 2, '0.01'), item('CLOCK', 1), item('MUG', 1))
      const first = await open(cart, 'key-1')
      compareCart(cart, first)
      t.match(first.description, { url: /^https:\/\/shop\.example\/bag\/[\w-]{32,36}$/, httpMethod: 'GET' })
      t.strictSame(await open(cart, 'key-1'), first)
      t.not((await open(cart, 'key-2')).description.url, first.description.url)
    })

    await t.test('two requests at the same moment are one cart', async t => {
      const found = await Promise.all(Array.from({ length: 4 }, () => open(cartOf(item('MUG', 1)), 'key-3')))
      t.equal(new Set(found.map(({ description }) => description.url)).size, 1)
    })

    await t.test('refuses what the shop does not sell, each line by name', async t => {
      t.strictSame(
        await mistakesOf(cartOf(item('MUG', 1), item('LAMP', 1), item('__proto__', 1), item('1', 1)), 'key-4'),
        [
          ['sku', 1, 'out-of-stock'],
          ['sku', 2, 'sku-unknown'],
          ['sku', 3, 'sku-unknown']
        ]
      )
      t.strictSame(await mistakesOf(cartOf(item('CLOCK', 2), item('MUG', 1), item('CLOCK', 2)), 'key-5'), [
        ['quantity', 0, 'quantity-too-large'],
        ['quantity', 2, 'quantity-too-large']
      ])
      const tooMany = await open(cartOf(item('MUG', 13)), 'key-5').catch((error: unknown) => error)
      t.match(tooMany, { mistakes: [{ line: 0, code: 'quantity-too-large', limit: { units: 12 } }] })
      const dollars = { ...cartOf(item('MUG', 1)), currency: 'USD' }
      t.strictSame(await mistakesOf(dollars, 'key-6'), [['currency', undefined, 'currency-not-sold']])
      t.match(await open(cartOf(item('MUG', 1)), 'key-4'), { currency: 'EUR' }, 'a problem is not kept')
    })

    await t.test('takes nothing that is not signed with its secret, and now', async t => {
      const cart = cartOf(item('MUG', 1))
      const refused = { message: /^it answered 401: does it have the same secret/ }
      const other = `whsec_${Buffer.alloc(32).toString('base64')}`
      t.ok(webhookSecret.isValid(other))
      await t.rejects(open(cart, 'key-7', { secret: other }), refused)
      for (const minutes of [-6, 6]) {
        await t.rejects(open(cart, 'key-7', { clock: () => new Date(Date.now() + minutes * 60_000) }), refused)
      }
      // What an empty secret would sign.
      const [id, timestamp] = ['key-7', String(Math.floor(Date.now() / 1000))]
      const body = JSON.stringify({ type: 'cart.transfer', key: id, ...cart })
      const signature = createHmac('sha256', '').update(`${id}.${timestamp}.${body}`).digest('base64')
      for (const sent of [`v1,${signature}`, 'v1,', '', 'nonsense', 'v1,ä']) {
        const headers = {
          'webhook-id': id,
          'webhook-timestamp': timestamp,
          'webhook-signature': Buffer.from(sent).toString('latin1')
        }
        t.equal((await fetch(url, { method: 'POST', headers, body })).status, 401, sent)
      }
      t.equal((await fetch(url, { method: 'POST', body })).status, 401, 'without any header')
      t.match(await open(cart, 'key-7'), { currency: 'EUR' }, 'and it goes on')
    })

    await t.test('is at most 40 lines that fit a screen', async t => {
      const lines = readFileSync(join(RECEIVERS, name), 'utf8').trimEnd().split('\n')
      t.ok(lines.length <= 40, `${lines.length} lines`)
      t.strictSame(
        lines.filter(line => line.length > 120),
        []
      )
    })
  })
}
