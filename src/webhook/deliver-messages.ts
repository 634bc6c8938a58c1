// Delivers the outbox: every message at least once, long after the shopper has the answer. Each merchant has lanes of
// its own, so a receiver that hangs holds up no other; a lane leases one message at a time, so that two servers on one
// database do not send it twice at once, and one that dies leaves it to whoever comes after its lease.
import type { FastifyBaseLogger } from 'fastify'
import type { Merchant } from '../config/merchant.ts'
import type { ClaimedMessage, Message, Store } from '../store/store.ts'
import { retryDelay } from './retry-delay.ts'
import { type Attempt, sendMessage } from './send-message.ts'

export type DeliveryParts = {
  store: Store
  merchants: Pick<Merchant, 'id' | 'webhook'>[]
  clock: () => Date
  logger: Pick<FastifyBaseLogger, 'info' | 'error'>
  fetch: typeof fetch
  /** From 0 to 1. */
  random: () => number
  /** In milliseconds: between two looks at the outbox, for an answer, and for what is under way when it stops. */
  interval?: number
  timeout?: number
  grace?: number
}

export type Delivery = {
  /** Finishes what is under way, or lets go of it so that the next start sends it. */
  stop: () => Promise<void>
}

const INTERVAL = 1000
const TIMEOUT = 15_000
const GRACE = 5000
/** How many messages of a merchant are under way at once. */
const LANES = 4
/** A lease outlives its attempt by far, in milliseconds. */
const LEASE_BEYOND = 45_000

/** Begins to deliver the messages of every merchant that has a webhook. */
export function deliverMessages(parts: DeliveryParts): Delivery {
  const { merchants, interval = INTERVAL, grace = GRACE } = parts
  const breakOff = new AbortController()
  const couriers = merchants.flatMap(({ id, webhook }) =>
    webhook ? courier(parts, { id, webhook }, breakOff.signal) : []
  )
  const look = () => {
    for (const { look } of couriers) look()
  }
  look()
  const timer = setInterval(look, interval).unref()
  return {
    stop: async () => {
      clearInterval(timer)
      const impatience = setTimeout(() => breakOff.abort(), grace)
      await Promise.all(couriers.map(({ stop }) => stop()))
      clearTimeout(impatience)
    }
  }
}

type Courier = { look: () => void; stop: () => Promise<void> }

/** Delivers the messages of one merchant. */
function courier(
  { store, clock, logger, fetch, random, timeout = TIMEOUT }: DeliveryParts,
  { id, webhook }: { id: string; webhook: { url: string; secret: string } },
  signal: AbortSignal
): Courier {
  const lanes = new Set<Promise<void>>()
  let isDone = false

  /** A lane takes messages until none is due; each one taken opens another lane. */
  function openLane(): void {
    if (isDone || lanes.size >= LANES) return
    const lane = work()
      .catch(error => logger.error({ err: error, merchant: id }, 'webhook failed'))
      .finally(() => lanes.delete(lane))
    lanes.add(lane)
  }

  async function work(): Promise<void> {
    while (!isDone) {
      const now = clock()
      const until = new Date(now.getTime() + timeout + LEASE_BEYOND)
      const claimed = await store.claimMessage(id, now.toISOString(), until.toISOString())
      if (!claimed) return
      openLane()
      await deliver(claimed, now)
    }
  }

  async function deliver(claimed: ClaimedMessage, now: Date): Promise<void> {
    // One that was claimed while the delivery stopped is not begun any more.
    const attempt: Attempt = isDone
      ? { outcome: 'broken-off' }
      : await sendMessage(webhook, claimed.order, { fetch, clock, timeout, signal })
    const after = settled(attempt, claimed.attempts, now, random())
    await store.settleMessage(claimed, after)
    const problem = attempt.outcome === 'refused' ? { problem: attempt.problem, attempts: after.attempts } : {}
    logger.info({ merchant: id, order: claimed.order.number, outcome: attempt.outcome, ...problem }, 'webhook')
    if (attempt.outcome === 'refused' && attempt.isGone && !isDone) {
      isDone = true
      logger.error({ merchant: id }, 'the webhook says that it is gone: nothing is sent to it until the next start')
    }
  }

  return {
    look: openLane,
    stop: async () => {
      isDone = true
      await Promise.all(lanes)
    }
  }
}

/** What an attempt that began at a time makes of its message. */
function settled(attempt: Attempt, attempts: number, now: Date, random: number): Message {
  const attemptedAt = now.toISOString()
  if (attempt.outcome === 'delivered') return { state: 'delivered', attempts, dueAt: attemptedAt, attemptedAt }
  if (attempt.outcome === 'broken-off') return { state: 'pending', attempts, dueAt: attemptedAt }
  const failed = { attempts: attempts + 1, attemptedAt, problem: attempt.problem }
  const delay = attempt.isGone ? undefined : retryDelay(failed.attempts, random, attempt.retryAfter)
  if (delay === undefined) return { state: 'failed', dueAt: attemptedAt, ...failed }
  return { state: 'pending', dueAt: new Date(now.getTime() + delay).toISOString(), ...failed }
}
