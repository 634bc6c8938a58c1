// The destination that fits every shop: we POST the cart to an address of the merchant's, signed as Standard Webhooks,
// and the shop answers with where the app has to go. `README.md` is its contract, `openapi.json` the same for machines.
import { type Static, Type } from '@sinclair/typebox'
import { signMessage } from '../../secrets.ts'
import type { Destination, Handover } from '../destination.ts'
import { readJsonAnswer, unexpectedStatus } from '../shop-answer.ts'
import { shopUrlProblem } from '../shop-url.ts'
import { readRefusal } from './read-refusal.ts'

const HookSettings = Type.Object({
  url: Type.String({
    minLength: 1,
    maxLength: 2048,
    description: 'the address of your shop that each cart is sent to, such as "https://shop.example/app-cart"'
  })
})
type HookSettings = Static<typeof HookSettings>

export const hook: Destination<HookSettings> = {
  name: 'hook',
  title: "an address of the shop's own",
  settings: HookSettings,
  needsSecret: true,

  check({ url }, { origin, path }) {
    const isOurs = origin !== undefined && `${url}/`.startsWith(`${origin}${path}/`)
    const problem = shopUrlProblem(url) ?? (isOurs ? 'it is below publicUrl, which is this server' : undefined)
    return problem ? [{ key: ['url'], problem: `${problem}; give one such as "https://shop.example/app-cart"` }] : []
  },

  connect({ url }, { fetch, clock, secret = '' }) {
    return {
      async open(cart, key, signal) {
        const { reference, currency, items } = cart
        const timestamp = String(Math.floor(clock().getTime() / 1000))
        const body = JSON.stringify({ type: 'cart.transfer', key, reference, currency, items })
        const response = await fetch(url, {
          method: 'POST',
          headers: {
            accept: 'application/json',
            'content-type': 'application/json',
            'idempotency-key': key,
            'user-agent': 'cart-transfer',
            'webhook-id': key,
            'webhook-timestamp': timestamp,
            'webhook-signature': signMessage(secret, { id: key, timestamp, body })
          },
          body,
          redirect: 'manual',
          signal
        })
        if (response.status === 401) {
          throw unexpectedStatus(response, ': does it have the same secret, and the right time?')
        }
        if (response.status === 422) throw readRefusal(await readJsonAnswer(response, [422]), cart)
        return (await readJsonAnswer(response)) as Handover
      }
    }
  }
}
