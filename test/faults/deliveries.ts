// The webhook's side of the comparison: every order arrives, under one id however often.

import { until } from '../until.ts'
import type { Receiver } from '../webhook/receiver.ts'
import type { Entry } from './ledger.ts'
import type { Site, StartedServer } from './site.ts'

/** Longer than the lease of a server that was killed, in milliseconds. */
const AFTER_LEASES = 90_000
const PATIENCE = 60_000

/** Waits until every order has arrived. @returns what did not, and what arrived as two messages */
export async function undelivered(site: Site, server: StartedServer, entries: Entry[]): Promise<string[]> {
  // A minute that nobody waits for.
  await site.clock.shift([server], AFTER_LEASES)
  const numbers = entries.flatMap(({ number }) => number ?? [])
  const missing = () => {
    const arrived = new Set(site.receiver.arrived)
    return numbers.filter(number => !arrived.has(number))
  }
  await until('the webhooks', () => missing().length === 0, PATIENCE).catch(() => {})
  return [
    ...missing().map(number => `the webhook of ${number} has not arrived`),
    ...twoIds(site.receiver).map(number => `the webhooks of ${number} have two ids`)
  ]
}

/** Orders that arrived as two messages. */
function twoIds({ received }: Receiver): string[] {
  const ids = new Map<string, Set<unknown>>()
  for (const { headers, body } of received) {
    const { orderNumber } = JSON.parse(body).data
    ids.set(orderNumber, (ids.get(orderNumber) ?? new Set()).add(headers['webhook-id']))
  }
  return [...ids].flatMap(([number, found]) => (found.size > 1 ? number : []))
}
