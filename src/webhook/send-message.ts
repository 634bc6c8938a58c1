// One attempt to notify a merchant of an order, signed as Standard Webhooks describes. Only a 2xx answer is success, and
// only the status of an answer is ever stored.
import type { Order } from '../orders/order.ts'
import { signMessage } from '../secrets.ts'
import { orderPlaced } from './order-placed.ts'
import { readRetryAfter } from './retry-delay.ts'

export type SendOptions = {
  fetch: typeof fetch
  clock: () => Date
  /** How long an answer may take, in milliseconds. */
  timeout: number
  /** Aborts the attempt. */
  signal: AbortSignal
}

/** Delivered; not delivered; or, as the attempt was aborted, unknown. */
export type WebhookAttempt =
  | { outcome: 'delivered' }
  | { outcome: 'refused'; problem: string; isGone: boolean; retryAfter: number }
  | { outcome: 'aborted' }

const GONE = 410

export async function sendMessage(
  { url, secret }: { url: string; secret: string },
  order: Order,
  { fetch, clock, timeout, signal }: SendOptions
): Promise<WebhookAttempt> {
  const now = clock()
  // The same for every attempt, so that the receiver recognises a repeat.
  const id = `order_placed_${order.number}`
  const timestamp = String(Math.floor(now.getTime() / 1000))
  const body = JSON.stringify(orderPlaced(order))
  const timedOut = AbortSignal.timeout(timeout)
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'cart-transfer',
        'webhook-id': id,
        'webhook-timestamp': timestamp,
        'webhook-signature': signMessage(secret, { id, timestamp, body })
      },
      body,
      redirect: 'manual',
      signal: AbortSignal.any([timedOut, signal])
    })
    // The body is not read; cancelling it frees the connection.
    response.body?.cancel().catch(() => {})
    if (response.ok) return { outcome: 'delivered' }
    const retryAfter = readRetryAfter(response.headers.get('retry-after'), now)
    return { outcome: 'refused', problem: `answered ${response.status}`, isGone: response.status === GONE, retryAfter }
  } catch (error) {
    if (signal.aborted) return { outcome: 'aborted' }
    const { cause } = error as { cause?: { code?: string } }
    const problem = timedOut.aborted
      ? `no answer within ${timeout / 1000} s`
      : `no connection: ${cause?.code ?? 'unknown'}`
    return { outcome: 'refused', problem, isGone: false, retryAfter: 0 }
  }
}
