// What happens to payments: servers that are killed while shoppers pay, and a provider that is out of reach. In both, two
// replicas share a database, notifications are lost, doubled, late and out of order, and bags are replaced while they are paid.
import { randomInt } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { PaymentOutage } from '../../src/kit/payment/payment-double.ts'
import { until } from '../until.ts'
import { auditMessages, auditPayments } from './audit-payments.ts'
import type { Fault, FaultParts, Result } from './fault.ts'
import { openStripe, type Stripe, startPayers } from './payers.ts'
import { faultRounds, type Run, untilTaken, withStore } from './rounds.ts'
import { type Load, placeOrder, sendBag } from './shopper.ts'
import type { Site, StartedServer } from './site.ts'

/** Longer than a payment may take (an hour), in milliseconds. */
const UNTIL_EXPIRED = 62 * 60_000
/** How long the sweep may take for what is due, and the webhooks, in milliseconds. */
const PATIENCE = 60_000

/** What a round works on. */
type Paying = Run & { stripe: Stripe; servers: StartedServer[]; start: () => Promise<StartedServer> }

const RULE =
  'what the provider has as paid is one order or sent back whole, no order is without its payment, ' +
  'and its webhook says how it was paid; nothing waits for good'

export const paymentKill: Fault = {
  name: 'payment-kill',
  what: '`kill -9` of one of two replicas, or both, while shoppers pay',
  rule: RULE,
  stores: ['SQLite', 'PostgreSQL'],
  rounds: 20,
  run: parts =>
    paymentRounds(parts, async (run, load, round) => {
      const { servers } = run
      await load.more(40 + randomInt(60))
      await pause(randomInt(20))
      const victims = round % 4 === 0 ? [0, 1] : [round % 2]
      const killed = victims.map(i => servers[i] as StartedServer)
      for (const { child } of killed) child.kill('SIGKILL')
      await Promise.all(killed.map(({ exited }) => exited))
      for (const i of victims) servers[i] = await run.start()
      run.server = servers[victims[0] as 0] as StartedServer
      await untilTaken(run, run.server.startedAt)
      await load.more(20)
      await load.stop()
    })
}

/** How long the provider is out of reach, in milliseconds: longer than the circuit takes to open. */
const OUTAGE = 6000

export const paymentProvider: Fault = {
  name: 'payment-provider',
  what: 'the payment provider fails, loses its answers, or does not answer',
  rule: `${RULE}; meanwhile shoppers are told that nothing was charged`,
  stores: ['SQLite', 'PostgreSQL'],
  rounds: 3,
  run: parts =>
    paymentRounds(parts, async (run, load, round) => {
      const { ledger, result, stripe, server } = run
      const outages: PaymentOutage[] = ['forgetful', 'down', 'silent']
      await load.more(40)
      stripe.double.fail(outages[round % outages.length])
      await pause(OUTAGE)
      stripe.double.fail()
      const since = performance.now()
      await until('a payment', async () => {
        const entry = ledger.next()
        if (await sendBag(server.client, ledger, entry)) await placeOrder(server.client, ledger, entry)
        return entry.order === 'answered'
      })
      result.back.push(performance.now() - since)
      await load.more(20)
      await load.stop()
    })
}

async function paymentRounds(
  parts: FaultParts,
  round: (run: Paying, load: Load, number: number) => Promise<void>
): Promise<Result> {
  let site: Site | undefined
  const stripe = await openStripe(parts.cleanup, () => site?.clock.shifted() ?? 0)
  const start = () => (site as Site).start({ ...stripe.env, LOG_LEVEL: 'warn' })
  const servers: StartedServer[] = []
  const result = await faultRounds(
    parts,
    async (run, number) => {
      const paying: Paying = Object.assign(run, { stripe, servers, start })
      const load = startPayers(run.ledger, () => servers.map(({ client }) => client))
      const stopPost = stripe.startPost(() => servers.map(({ origin }) => origin))
      await round(paying, load, number)
      await stopPost()
      await rest(paying)
    },
    {
      settingsOf: stripe.settings,
      start: async opened => {
        site = opened
        servers.push(...(await Promise.all([start(), start()])))
        return servers[0] as StartedServer
      },
      note: () => {
        const books = stripe.double.payments()
        const paid = books.filter(({ session }) => session.payment_status === 'paid')
        const refundFacts = paid.filter(({ refunded }) => refunded > 0).length
        const { delivered, doubled, lost } = stripe.counts
        return `${books.length} payments, ${paid.length} paid, ${refundFacts} sent back; ${delivered} notifications, ${doubled} doubled, ${lost} lost`
      }
    }
  )
  result.wrong.push(...stripe.wrong)
  await withStore(site as unknown as Site, async store => {
    const { received } = (site as unknown as Site).receiver
    await until('the webhooks', async () => (await auditMessages(store, received)).length === 0, PATIENCE).catch(
      () => {}
    )
    result.wrong.push(...(await auditMessages(store, received)))
    const found = await auditPayments(stripe.double.payments(), store)
    result.lost.push(...found.lost)
    result.doubled.push(...found.doubled)
    result.wrong.push(...found.wrong)
  })
  return result
}

/** An hour later nobody can pay any more, and the sweep has asked for whatever waited. */
async function rest({ site, servers, stripe, result }: Paying): Promise<void> {
  stripe.decideLater()
  await site.clock.advance(servers, UNTIL_EXPIRED)
  await withStore(site, async store => {
    await until('the payments', async () => (await store.countPayments()).length === 0, PATIENCE).catch(() => {})
    const waiting = await store.countPayments()
    result.wrong.push(...waiting.map(({ state, payments }) => `${payments} payments are still ${state} an hour later`))
    const found = await auditPayments(stripe.double.payments(), store)
    result.lost.push(...found.lost)
    result.doubled.push(...found.doubled)
    result.wrong.push(...found.wrong)
  })
}
