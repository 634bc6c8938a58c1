// What all faults have in common: a site with its shoppers, and after each round the comparison with what is kept, everything
// sent again, and the comparison once more.
import { setTimeout as pause } from 'node:timers/promises'
import type { Store } from '../../src/store/store.ts'
import type { Receiver } from '../checkout/webhook/receiver.ts'
import { until } from '../until.ts'
import { audit, sendAgain } from './audit.ts'
import { type Entry, type Ledger, openLedger } from './bags.ts'
import { addCounts, emptyResult, type FaultParts, type Result } from './fault.ts'
import { type Client, type Load, sendBag, startLoad } from './shopper.ts'
import { type OpenDatabase, openSite, type ShopSettings, type Site, type StartedServer } from './site.ts'

/** What a round works on. */
export type Run = {
  site: Site
  ledger: Ledger
  result: Result
  /** The one that is asked after the round: a round may start another. */
  server: StartedServer
}

type Setting = {
  /** Other than the one that was chosen. */
  openDatabase?: OpenDatabase
  settingsOf?: (merchant: string) => ShopSettings
  /** Starts the first server, by default without anything special. */
  start?: (site: Site) => Promise<StartedServer>
  note?: (run: Run) => string
}

/** Does a fault as often as was asked for, and counts what it cost. */
export async function faultRounds(
  { cleanup, openDatabase, rounds, say }: FaultParts,
  round: (run: Run, number: number) => Promise<void>,
  { openDatabase: other, settingsOf, start = site => site.start(), note }: Setting = {}
): Promise<Result> {
  const site = await openSite(cleanup, other ?? openDatabase, settingsOf)
  const result = emptyResult()
  const ledger = openLedger()
  const run: Run = { site, ledger, result, server: await start(site) }
  for (let number = 1; number <= rounds; number++) {
    const settled = ledger.entries.length
    await round(run, number)
    await withStore(site, store => settle(result, ledger, ledger.entries.slice(settled), run.server.client, store))
    result.rounds++
    const { taken, placed, refused, unanswered, uncertain } = result
    const counts = `${taken} bags, ${placed} orders, ${refused} refused`
    say(`${number} of ${rounds}: ${counts}, ${unanswered} without an answer, ${uncertain} unknown`)
  }
  await withStore(site, store => check(result, ledger, ledger.entries, run.server.client, store))
  result.wrong.push(...(await undelivered(site, run.server, ledger.entries)))
  if (note) result.note = note(run)
  return result
}

/** Starts shoppers, and waits for so many answers, and then for any moment between two. */
export async function underLoad({ server, ledger }: Run, answers: number): Promise<Load> {
  const load = startLoad(server.origin, ledger)
  await load.more(answers)
  await pause(Math.random() * 8)
  return load
}

/** Nobody else has the database open while a server starts: it may have to recover it. */
export async function withStore(site: Site, work: (store: Store) => Promise<void>): Promise<void> {
  const store = await site.database.open()
  try {
    await work(store)
  } finally {
    await store.close()
  }
}

/** Counts these bags and finds what is wrong with them; afterwards all of them have been taken. */
async function settle(result: Result, ledger: Ledger, entries: Entry[], client: Client, store: Store): Promise<void> {
  addCounts(result, entries)
  const found = await audit(entries, client, store)
  result.kept += found.kept
  result.uncertainKept += found.uncertainKept
  result.lost.push(...found.lost)
  result.doubled.push(...found.doubled)
  const wrong = await sendAgain(ledger, entries, client, store)
  result.wrong.push(...found.partial, ...wrong)
  await check(result, ledger, entries, client, store)
}

/** Finds what is wrong with bags that have been settled, and what was answered wrong meanwhile. */
async function check(result: Result, ledger: Ledger, entries: Entry[], client: Client, store: Store): Promise<void> {
  const { lost, doubled, partial } = await audit(entries, client, store)
  result.lost.push(...lost)
  result.doubled.push(...doubled)
  result.wrong.push(...partial, ...ledger.wrong.splice(0))
}

/** While the fault lasts: bags that were answered and can no longer be found are lost. */
export async function findLost({ site, server, result }: Run, taken: Entry[], when: string): Promise<void> {
  await withStore(site, async store => {
    const answered = taken.filter(({ transfer }) => transfer === 'answered')
    const { lost } = await audit(answered, server.client, store)
    result.lost.push(...lost.map(line => `${when}: ${line}`))
  })
}

/** Longer than anything may take until bags are taken again, in milliseconds. */
const TAKEN_PATIENCE = 30_000

/** Sends bag after bag until one is taken, and notes how long that took. */
export async function untilTaken({ ledger, result, server }: Run, since = performance.now()): Promise<void> {
  while (!(await sendBag(server.client, ledger, ledger.next()))) {
    if (performance.now() - since > TAKEN_PATIENCE) throw new Error(`no bag was taken for ${TAKEN_PATIENCE / 1000} s`)
    await pause(5)
  }
  result.back.push(performance.now() - since)
}

/** Longer than the lease of a server that was killed, in milliseconds. */
const AFTER_LEASES = 90_000
const DELIVERY_PATIENCE = 60_000

/** Waits until the webhook of every order has arrived. @returns what did not, and what arrived as two messages */
async function undelivered(site: Site, server: StartedServer, entries: Entry[]): Promise<string[]> {
  // A minute that nobody waits for.
  await site.clock.advance([server], AFTER_LEASES)
  const numbers = entries.flatMap(({ number }) => number ?? [])
  const missing = () => {
    const arrived = new Set(site.receiver.arrived)
    return numbers.filter(number => !arrived.has(number))
  }
  await until('the webhooks', () => missing().length === 0, DELIVERY_PATIENCE).catch(() => {})
  return [
    ...missing().map(number => `the webhook of ${number} has not arrived`),
    ...twoIds(site.receiver).map(message => `the webhooks ${message} have two ids`)
  ]
}

/** What arrived as two messages about the same order. */
function twoIds({ received }: Receiver): string[] {
  const ids = new Map<string, Set<unknown>>()
  for (const { headers, body } of received) {
    const { type, data } = JSON.parse(body)
    const message = `${type} of ${data.orderNumber}`
    ids.set(message, (ids.get(message) ?? new Set()).add(headers['webhook-id']))
  }
  return [...ids].flatMap(([message, found]) => (found.size > 1 ? message : []))
}
