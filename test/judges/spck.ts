// The checks of spck (vishkaty/ucp-conformance), which nobody here wrote, on the carts of the version that it knows.
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import type { Cleanup } from '../server-process.ts'
import { startUcpShop } from './ucp-shop.ts'

/** The newest that it knows. */
const VERSION = '2026-04-08'

/** The platform that it plays. */
const PLATFORM = 'https://spck.dev/agent'

const CHECKOUT = 'it sends POST /checkout-sessions: we take carts, and the checkout is a page for the shopper'

/** Checks that deviate, by a 404, and why. Each has to. */
export const EXCUSED: Record<string, string> = {
  'response.envelope_every_response': CHECKOUT,
  'response.content_type_json': CHECKOUT,
  'response.capabilities_relevant': CHECKOUT,
  'cart.conversion_uses_cart_contents': CHECKOUT,
  'cart.conversion_idempotent': CHECKOUT,
  'checkout.idempotency_conflict': CHECKOUT,
  'checkout.deterministic_logic': CHECKOUT,
  'checkout.protocol_error_shape': CHECKOUT,
  'payment.handler_id_validated': CHECKOUT,
  'signals.attribution_no_effect': CHECKOUT
}

/** How many of its checks pass: with fewer, it has not seen our carts. */
const PASSING = 19

export type SpckCheck = { id: string; status: string; observed?: { status: number; body: string } | null }

/** What speaks against us: too little that passed, what deviates without an excuse, and an excuse that is needed no more. */
export function findDeviations(checks: SpckCheck[], passing = PASSING): string[] {
  const passed = checks.filter(({ status }) => status === 'clean-pass').length
  const deviating = checks.filter(({ status }) => status === 'deviation')
  const excused = deviating.filter(({ id, observed }) => Object.hasOwn(EXCUSED, id) && observed?.status === 404)
  const ids = excused.map(({ id }) => id)
  return [
    ...(passed < passing ? [`only ${passed} checks passed, not ${passing}`] : []),
    ...deviating.filter(({ id }) => !ids.includes(id)).map(({ id, observed }) => `${id}: ${JSON.stringify(observed)}`),
    ...Object.keys(EXCUSED)
      .filter(id => !deviating.some(check => check.id === id))
      .map(id => `${id} deviates no more: take it off the list of excuses`)
  ]
}

/** Hands everything on to our server, and shows this version where a judge that knows no newer one looks for the newest. */
async function startRelay(t: Cleanup, portOf: () => number): Promise<string> {
  const server = createServer(client => {
    const shop = connect(portOf(), '127.0.0.1')
    client.on('data', sent => {
      const profile = '/.well-known/ucp'
      shop.write(sent.toString('latin1').replace(`GET ${profile} `, `GET ${profile}/${VERSION} `), 'latin1')
    })
    shop.pipe(client)
    client.on('close', () => shop.destroy()).on('error', () => {})
    shop.on('error', () => client.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** @param folder with its `conformance` */
export async function runSpck(t: Cleanup, folder: string): Promise<SpckCheck[]> {
  let port = 0
  const origin = await startRelay(t, () => port)
  const capabilities = { 'dev.ucp.shopping.cart': [{ version: VERSION }] }
  const profile = { ucp: { version: VERSION, services: {}, capabilities, payment_handlers: {} } }
  const shop = await startUcpShop(t, { [PLATFORM]: JSON.stringify(profile) }, origin)
  port = Number(new URL(shop.origin).port)
  const config = join(folder, 'merchant.json')
  writeFileSync(config, JSON.stringify({ product_id: 'MUG', currency: 'GBP', cart: { second_product_id: 'ROPE' } }))
  const args = [join(folder, 'conformance/checks/merchant.py'), '--server', origin, '--config', config, '--json']
  const report = await new Promise<string>((resolve, reject) => {
    // 2 if anything deviates.
    execFile('python3', args, { maxBuffer: 2 ** 26 }, (error, stdout, stderr) =>
      error && error.code !== 2 ? reject(new Error(`spck: ${stderr || error.message}`)) : resolve(stdout)
    )
  })
  return JSON.parse(report).checks
}
