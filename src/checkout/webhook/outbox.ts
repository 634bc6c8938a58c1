// The outbox: the messages to merchants about their orders, delivered at least once, in the background, and signed as Standard
// Webhooks describes. Each merchant has its own workers, so a receiver that hangs delays no other merchant. A message is leased:
// two servers on one database do not send it at once, and one whose server died is taken over.
import type { Fetch } from '../../integrations/outgoing/http-client.ts'
import type { Merchant } from '../../merchant/merchant.ts'
import type { Log, Observer, Trace } from '../../observer.ts'
import { signatureHeaders } from '../../secrets.ts'
import { type Order, orderData, type WebhookState } from '../orders/order.ts'
import type { OrderEvent } from '../orders/payment.ts'

export type OutboxMessage = {
  state: WebhookState
  /** Failed attempts so far. */
  attempts: number
  /** Earliest time of the next attempt while pending; the end of the lease while an attempt is under way. */
  dueAt: string
  /** Of the last attempt; the problem is that of the last one that failed. */
  attemptedAt?: string
  problem?: string
  /** Since when nothing is sent to the merchant, if it has been stopped and this is still pending. */
  stoppedAt?: string
}

/**
 * What a message is about. The later ones follow when an order was placed before its money was there, or when money goes back.
 */
export type MessageEvent = 'order.placed' | OrderEvent

/** No other worker sends it until its lease ends. */
export type LeasedMessage = {
  /** As it is now. */
  order: Order
  event: MessageEvent
  /** When that was; of `order.placed`, the order says it. */
  at?: string
  attempts: number
  lease: string
}

export type Undelivered = {
  merchantId: string
  pending: number
  /** Not sent again unless they are redelivered. */
  failed: number
  /** When the longest-pending order was placed, or redelivered. */
  pendingSince?: string
}

export type OutboxStore = {
  /**
   * Leases the merchant's longest-due message until a time, unless the merchant has been stopped. Those of one order are leased
   * in the order in which they were queued, each once the one before is delivered or has failed.
   */
  leaseMessage: (merchantId: string, now: string, until: string) => Promise<LeasedMessage | undefined>
  /** Stores the result of an attempt, unless another worker has the lease by now. */
  settleMessage: (leased: LeasedMessage, after: OutboxMessage) => Promise<void>
  /** Of several, the first that failed, or else is pending, or else the last. */
  findMessage: (orderNumber: string) => Promise<OutboxMessage | undefined>
  /** Leases no message of the merchant any more. @returns false if it had been stopped before */
  stopMessages: (merchantId: string, now: string) => Promise<boolean>
  resumeMessages: (merchantId: string) => Promise<void>
  /** Makes the pending messages due that are due only after a time. @returns how many */
  hastenMessages: (after: string, now: string) => Promise<number>
  /**
   * Makes an order's messages due, for the first time or again, and resumes those of its merchant.
   * @returns whether these had been stopped; undefined if there is no such order
   */
  redeliver: (orderNumber: string, now: string) => Promise<{ wasStopped: boolean } | undefined>
  /**
   * Makes up to `limit` messages due again whose last attempt failed before now, and resumes those of the merchant, or of
   * all. What is leased is left alone. @returns how many messages, and to how many merchants they had been stopped
   */
  redeliverFailed: (now: string, limit: number, merchantId?: string) => Promise<{ due: number; resumed: number }>
  /** Of the merchants that have any. */
  countUndelivered: () => Promise<Undelivered[]>
}

export type WebhookOptions = {
  store: OutboxStore
  merchants: Merchant[]
  clock: () => Date
  logger: Log
  fetch: Fetch
  observer: Observer
  trace: Trace
  /** From 0 to 1. */
  random: () => number
  /** In milliseconds: how often the outbox is polled, how long an answer may take, how long a stop waits for attempts. */
  interval?: number
  timeout?: number
  grace?: number
}

/** At once, for each merchant. */
const MAX_WORKERS = 4
/** How much longer than its attempt a lease lasts, in milliseconds. */
const LEASE_MARGIN = 45_000

/** @returns a function that stops: attempts under way are finished, or aborted so that the next start sends them */
export function deliverMessages(options: WebhookOptions): () => Promise<void> {
  const { merchants, interval = 1000, grace = 5000 } = options
  const abort = new AbortController()
  const pools = merchants.flatMap(({ id, webhook }) => (webhook ? workerPool(options, id, webhook, abort.signal) : []))
  const poll = () => {
    for (const pool of pools) pool.poll()
  }
  poll()
  const timer = setInterval(poll, interval).unref()
  return async () => {
    clearInterval(timer)
    const deadline = setTimeout(() => abort.abort(), grace)
    await Promise.all(pools.map(pool => pool.stop()))
    clearTimeout(deadline)
  }
}

function workerPool(
  { store, clock, logger, fetch, observer, trace, random, timeout = 15_000 }: WebhookOptions,
  id: string,
  webhook: { url: string; secret: string },
  signal: AbortSignal
) {
  const workers = new Set<Promise<void>>()
  let isStopped = false
  let isResumed = false

  /** A worker takes messages until none is due; each message taken starts another worker. */
  function startWorker(): void {
    if (isStopped || workers.size >= MAX_WORKERS) return
    const worker = work()
      .catch(error => logger.error({ err: error, merchant: id }, 'webhook failed'))
      .finally(() => workers.delete(worker))
    workers.add(worker)
  }

  async function work(): Promise<void> {
    // A start tries again what a 410 has stopped.
    if (!isResumed) await store.resumeMessages(id)
    isResumed = true
    while (!isStopped) {
      const now = clock()
      const until = new Date(now.getTime() + timeout + LEASE_MARGIN)
      const leased = await store.leaseMessage(id, now.toISOString(), until.toISOString())
      if (!leased) return
      startWorker()
      await trace('deliver order', () => deliver(leased, now))
    }
  }

  async function deliver(leased: LeasedMessage, now: Date): Promise<void> {
    // It may have been leased while we were stopping.
    const attempt: WebhookAttempt = isStopped ? { outcome: 'aborted' } : await sendMessage(leased)
    if (attempt.outcome === 'refused' && attempt.isGone && (await store.stopMessages(id, now.toISOString()))) {
      logger.error(
        { merchant: id },
        'webhook answered 410 Gone: nothing more is sent to it until a redelivery or the next start'
      )
    }
    const after = settled(attempt, leased.attempts, now, random())
    await store.settleMessage(leased, after)
    observer.webhookAttempted(id, attempt.outcome)
    const { order, event } = leased
    const result = { merchant: id, order: order.number, event, outcome: attempt.outcome }
    if (attempt.outcome === 'refused') {
      logger.warn({ ...result, problem: attempt.problem, attempts: after.attempts }, 'webhook')
    } else logger.info(result, 'webhook')
  }

  async function sendMessage({ order, event, at }: LeasedMessage): Promise<WebhookAttempt> {
    const now = clock()
    // The same for every attempt, so that the receiver recognises a repeat.
    const occasion = at === undefined ? '' : `_${Date.parse(at)}`
    const id = `${event.replaceAll(/\W/g, '_')}${occasion}_${order.number}`
    const body = JSON.stringify(orderMessage(order, event, at))
    const timedOut = AbortSignal.timeout(timeout)
    try {
      const response = await fetch(webhook.url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'user-agent': 'cart-transfer',
          ...signatureHeaders(webhook.secret, id, body, now)
        },
        body,
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

  return {
    poll: startWorker,
    stop: async () => {
      isStopped = true
      await Promise.all(workers)
    }
  }
}

/** @param now when the attempt began */
function settled(attempt: WebhookAttempt, attempts: number, now: Date, random: number): OutboxMessage {
  const attemptedAt = now.toISOString()
  if (attempt.outcome === 'delivered') return { state: 'delivered', attempts, dueAt: attemptedAt, attemptedAt }
  if (attempt.outcome === 'aborted') return { state: 'pending', attempts, dueAt: attemptedAt }
  const failed = { attempts: attempts + 1, attemptedAt, problem: attempt.problem }
  const delay = attempt.isGone ? undefined : retryDelay(failed.attempts, random, attempt.retryAfter)
  if (delay === undefined) return { state: 'failed', dueAt: attemptedAt, ...failed }
  return { state: 'pending', dueAt: new Date(now.getTime() + delay).toISOString(), ...failed }
}

/** Makes messages due that a clock that was ahead has put off. */
export async function hastenMessages(
  store: Pick<OutboxStore, 'hastenMessages'>,
  now: Date,
  logger: Log
): Promise<void> {
  const latest = new Date(now.getTime() + LONGEST_DELAY)
  const messages = await store.hastenMessages(latest.toISOString(), now.toISOString())
  if (messages > 0) logger.warn({ messages }, 'webhooks put off by a clock that was ahead; they are due now')
}

/** Delivered; not delivered; or, as the attempt was aborted, unknown. */
type WebhookAttempt =
  | { outcome: 'delivered' }
  | { outcome: 'refused'; problem: string; isGone?: boolean; retryAfter?: number }
  | { outcome: 'aborted' }

export function orderMessage(order: Order, type: MessageEvent = 'order.placed', timestamp = order.placedAt) {
  return { type, timestamp, data: orderData(order) }
}

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** Before the second attempt, the third and so on, in milliseconds. */
const DELAYS = [5000, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR]

/** Delays are lengthened by up to this fraction, so that messages that failed together are not retried together. */
const JITTER = 0.2

/** No message is put off for longer, in milliseconds. */
const LONGEST_DELAY = Math.max(...DELAYS) * (1 + JITTER)

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
