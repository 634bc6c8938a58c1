// What Stripe tells the shop: events, signed by the SDK (https://docs.stripe.com/webhooks). Unless they are held back, they are
// sent as they happen, once; whoever tests may send them late, twice, in any order, or never.
import { httpFetch } from '../../integrations/outgoing/http-client.ts'
import type { CheckoutEvent } from './stripe-objects.ts'

/** How long the shop may take to answer, in milliseconds. */
const LIMIT = 10_000

export type NotificationOptions = {
  /** Where the shop takes them; undefined if nobody listens. */
  notify: () => string | undefined
  webhookSecret: string
  clock: () => Date
  /** @param status undefined if there was no answer */
  onAnswer: (event: CheckoutEvent, status: number | undefined) => void
}

export function stripeNotifications({ notify, webhookSecret, clock, onAnswer }: NotificationOptions) {
  const events: CheckoutEvent[] = []
  const pending = new Set<CheckoutEvent>()
  const underWay = new Set<Promise<unknown>>()
  let isHeld = false

  /** @param signedAt if not now @returns the status of the shop's answer; undefined if there was none */
  async function deliver(event: CheckoutEvent, signedAt = clock()): Promise<number | undefined> {
    const url = notify()
    if (url === undefined) return undefined
    const { Stripe } = await import('stripe')
    const body = JSON.stringify(event)
    const timestamp = Math.floor(signedAt.getTime() / 1000)
    const signature = Stripe.webhooks.generateTestHeaderString({ payload: body, secret: webhookSecret, timestamp })
    const headers = { 'content-type': 'application/json; charset=utf-8', 'stripe-signature': signature }
    try {
      const answer = await httpFetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(LIMIT) })
      await answer.body?.cancel()
      if (answer.ok) pending.delete(event)
      return answer.status
    } catch {
      return undefined
    }
  }

  return {
    /** All that has happened, oldest first. */
    events: events as readonly CheckoutEvent[],
    /** What the shop has not taken yet, oldest first. */
    pending: (): CheckoutEvent[] => [...pending],
    /** From now on, nothing is sent but by `deliver`. */
    hold: () => {
      isHeld = true
    },
    deliver,
    /** The shop never gets it. */
    drop: (event: CheckoutEvent) => pending.delete(event),
    /** Resolves once what was sent as it happened has been answered, or will not be. */
    settled: async (): Promise<void> => {
      await Promise.all(underWay)
    },
    add: (event: CheckoutEvent): void => {
      events.push(event)
      pending.add(event)
      if (isHeld) return
      const delivery = deliver(event)
        .then(status => onAnswer(event, status))
        .finally(() => underWay.delete(delivery))
      underWay.add(delivery)
    }
  }
}
