// One attempt to tell a merchant of an order, signed as Standard Webhooks describes. Only an answer of 2xx is success;
// what a receiver answers besides its status is never kept.
import { Webhook } from 'standardwebhooks'
import type { Order } from '../orders/order.ts'
import { orderPlaced } from './order-placed.ts'
import { readRetryAfter } from './retry-delay.ts'

export type Sending = {
  fetch: typeof fetch
  clock: () => Date
  /** How long an answer may take, in milliseconds. */
  timeout: number
  /** Breaks an attempt off. */
  signal: AbortSignal
}

/** What came of an attempt: the receiver has it, it does not, or nobody knows, as it was broken off. */
export type Attempt =
  | { outcome: 'delivered' }
  | { outcome: 'refused'; problem: string; isGone: boolean; retryAfter: number }
  | { outcome: 'broken-off' }

const GONE = 410

/** The same for every attempt at an order: what a receiver knows a repeat by. */
export function messageId(order: Order): string {
  return `order_placed_${order.number}`
}

export async function sendMessage(
  { url, secret }: { url: string; secret: string },
  order: Order,
  { fetch, clock, timeout, signal }: Sending
): Promise<Attempt> {
  const now = clock()
  const id = messageId(order)
  const body = JSON.stringify(orderPlaced(order))
  const late = AbortSignal.timeout(timeout)
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'cart-transfer',
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
        'webhook-signature': new Webhook(secret).sign(id, now, body)
      },
      body,
      redirect: 'manual',
      signal: AbortSignal.any([late, signal])
    })
    // Nothing of it is read; the connection is let go whatever becomes of it.
    response.body?.cancel().catch(() => {})
    if (response.ok) return { outcome: 'delivered' }
    const retryAfter = readRetryAfter(response.headers.get('retry-after'), now)
    return { outcome: 'refused', problem: `answered ${response.status}`, isGone: response.status === GONE, retryAfter }
  } catch (error) {
    if (signal.aborted) return { outcome: 'broken-off' }
    const { cause } = error as { cause?: { code?: string } }
    const problem = late.aborted ? `no answer within ${timeout / 1000} s` : `no connection: ${cause?.code ?? 'unknown'}`
    return { outcome: 'refused', problem, isGone: false, retryAfter: 0 }
  }
}
