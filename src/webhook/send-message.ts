// One attempt to notify a merchant of an order, signed as Standard Webhooks describes, and how long to wait for the next.
import { type Static, Type } from '@sinclair/typebox'
import { type Order, OrderData, orderData } from '../orders/order.ts'
import { signatureHeaders } from '../secrets.ts'

/** Delivered; not delivered; or, as the attempt was aborted, unknown. */
export type WebhookAttempt =
  | { outcome: 'delivered' }
  | { outcome: 'refused'; problem: string; isGone?: boolean; retryAfter?: number }
  | { outcome: 'aborted' }

/** @param timeout how long an answer may take, in milliseconds @param signal aborts the attempt */
export async function sendMessage(
  { url, secret }: { url: string; secret: string },
  order: Order,
  { fetch, clock }: { fetch: typeof globalThis.fetch; clock: () => Date },
  timeout: number,
  signal: AbortSignal
): Promise<WebhookAttempt> {
  const now = clock()
  // The same for every attempt, so that the receiver recognises a repeat.
  const id = `order_placed_${order.number}`
  const body = JSON.stringify(orderPlaced(order))
  const timedOut = AbortSignal.timeout(timeout)
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'cart-transfer',
        ...signatureHeaders(secret, id, body, now)
      },
      body,
      redirect: 'manual',
      signal: AbortSignal.any([timedOut, signal])
    })
    // Of the answer, only the status is read and stored; cancelling the body frees the connection.
    response.body?.cancel().catch(() => {})
    if (response.ok) return { outcome: 'delivered' }
    const retryAfter = readRetryAfter(response.headers.get('retry-after'), now)
    return { outcome: 'refused', problem: `answered ${response.status}`, isGone: response.status === 410, retryAfter }
  } catch (error) {
    if (signal.aborted) return { outcome: 'aborted' }
    if (timedOut.aborted) return { outcome: 'refused', problem: `no answer within ${timeout / 1000} s` }
    const { cause } = error as { cause?: { code?: string } }
    return { outcome: 'refused', problem: `no connection: ${cause?.code ?? 'unknown'}` }
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

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** Before the second attempt, the third and so on, in milliseconds. */
const DELAYS = [5000, 5 * MINUTE, 30 * MINUTE, ...[2, 5, 10, 14, 20, 24].map(hours => hours * HOUR)]

/** Delays are lengthened by up to this fraction, so that messages that failed together are not retried together. */
const JITTER = 0.2

/** No message is put off for longer, in milliseconds. */
export const LONGEST_DELAY = Math.max(...DELAYS) * (1 + JITTER)

/**
 * @param failed failed attempts so far, at least one
 * @param random from 0 to 1
 * @param retryAfter how long the receiver asks to wait, in milliseconds; heeded up to a day
 * @returns milliseconds until the next attempt, or undefined if there is none
 */
export function retryDelay(failed: number, random: number, retryAfter = 0): number | undefined {
  const delay = DELAYS[failed - 1]
  if (delay === undefined) return undefined
  return Math.max(delay * (1 + JITTER * random), Math.min(retryAfter, 24 * HOUR))
}

/** Reads a Retry-After header, seconds or a date, as milliseconds from now; 0 if it is absent or unreadable. */
export function readRetryAfter(header: string | null, now: Date): number {
  if (header === null) return 0
  const milliseconds = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now.getTime()
  return Math.max(milliseconds, 0) || 0
}
