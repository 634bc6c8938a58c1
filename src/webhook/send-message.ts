// One attempt to notify a merchant of an order, signed as Standard Webhooks describes. Only a 2xx answer is success, and
// only the status of an answer is ever stored.

import { type Static, Type } from '@sinclair/typebox'
import { type Order, OrderData, orderData } from '../orders/order.ts'
import { signMessage } from '../secrets.ts'

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

export const OrderPlaced = Type.Object(
  {
    type: Type.Literal('order.placed'),
    /** When the order was placed: UTC, ISO 8601. */
    timestamp: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' }),
    data: OrderData
  },
  { additionalProperties: false }
)
export type OrderPlaced = Static<typeof OrderPlaced>

export function orderPlaced(order: Order): OrderPlaced {
  return { type: 'order.placed', timestamp: order.placedAt, data: orderData(order) }
}

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

const DELAYS = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, ...[2, 5, 10, 14, 20, 24].map(hours => hours * HOUR)]

/** The attempts that a message gets before it counts as failed. */
export const MAX_ATTEMPTS = DELAYS.length + 1

/** Delays are lengthened by up to this fraction, so that messages that failed together are not retried together. */
const JITTER = 0.2

/** A receiver cannot postpone its messages for longer than this. */
const MAX_RETRY_AFTER = 24 * HOUR

/** No message is put off for longer, in milliseconds. */
export const LONGEST_DELAY = Math.max(...DELAYS) * (1 + JITTER)

/**
 * @param failed failed attempts so far, at least one
 * @param random from 0 to 1
 * @param retryAfter how long the receiver asks to wait, in milliseconds
 * @returns milliseconds until the next attempt, or undefined if there is none
 */
export function retryDelay(failed: number, random: number, retryAfter = 0): number | undefined {
  const delay = DELAYS[failed - 1]
  if (delay === undefined) return undefined
  return Math.max(delay * (1 + JITTER * random), Math.min(retryAfter, MAX_RETRY_AFTER))
}

/** Reads a Retry-After header, seconds or a date, as milliseconds from now; 0 if it is absent or unreadable. */
export function readRetryAfter(header: string | null, now: Date): number {
  if (header === null) return 0
  const milliseconds = /^\d+$/.test(header) ? Number(header) * SECOND : Date.parse(header) - now.getTime()
  return Math.max(milliseconds, 0) || 0
}
