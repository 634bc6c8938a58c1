// Delivers the outbox: every message at least once, in the background. Each merchant has its own workers, so a receiver
// that hangs delays no other merchant. A message is leased: two servers on one database do not send it at once, and one
// whose server died is taken over.
import type { Logger } from 'pino'
import type { Merchant } from '../merchant/merchant.ts'
import type { Observer, Trace } from '../observer.ts'
import type { LeasedMessage, OutboxMessage, OutboxStore } from './outbox.ts'
import { LONGEST_DELAY, retryDelay, sendMessage, type WebhookAttempt } from './send-message.ts'

export type WebhookOptions = {
  store: OutboxStore
  merchants: Pick<Merchant, 'id' | 'webhook'>[]
  clock: () => Date
  logger: Pick<Logger, 'info' | 'warn' | 'error'>
  fetch: typeof fetch
  observer: Pick<Observer, 'webhookAttempted'>
  trace: Trace
  /** From 0 to 1. */
  random: () => number
  /** In milliseconds: how often the outbox is polled, how long an answer may take, how long a stop waits for attempts. */
  interval?: number
  timeout?: number
  grace?: number
}

/** Concurrent deliveries per merchant. */
const MAX_WORKERS = 4
/** How much longer than its attempt a lease lasts, in milliseconds. */
const LEASE_MARGIN = 45_000

/**
 * Starts delivering the messages of every merchant that has a webhook.
 * @returns a function that stops: attempts under way are finished, or aborted so that the next start sends them
 */
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
    // A message that was leased while we were stopping is not sent any more.
    const attempt: WebhookAttempt = isStopped
      ? { outcome: 'aborted' }
      : await sendMessage(webhook, leased.order, { fetch, clock }, timeout, signal)
    if (attempt.outcome === 'refused' && attempt.isGone && (await store.stopMessages(id, now.toISOString()))) {
      logger.error(
        { merchant: id },
        'webhook answered 410 Gone: nothing more is sent to it until a redelivery or the next start'
      )
    }
    const after = settled(attempt, leased.attempts, now, random())
    await store.settleMessage(leased, after)
    observer.webhookAttempted(id, attempt.outcome)
    const result = { merchant: id, order: leased.order.number, outcome: attempt.outcome }
    if (attempt.outcome === 'refused') {
      logger.warn({ ...result, problem: attempt.problem, attempts: after.attempts }, 'webhook')
    } else logger.info(result, 'webhook')
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

/** Makes due what a clock that was ahead has put off. */
export async function hastenMessages(
  store: Pick<OutboxStore, 'hastenMessages'>,
  now: Date,
  logger: Pick<Logger, 'warn'>
): Promise<void> {
  const latest = new Date(now.getTime() + LONGEST_DELAY)
  const messages = await store.hastenMessages(latest.toISOString(), now.toISOString())
  if (messages > 0) logger.warn({ messages }, 'webhooks put off by a clock that was ahead; they are due now')
}
