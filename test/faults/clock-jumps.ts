// A clock that goes back a day, forward a year, and then shows the right time.
import { until } from '../until.ts'
import { ok, status } from '../webhook/receiver.ts'
import { undelivered } from './deliveries.ts'
import { emptyResult, type Fault, type FaultParts, type Result } from './fault.ts'
import { type Entry, openLedger } from './ledger.ts'
import { startLoad } from './load.ts'
import { settle } from './settle.ts'
import { checkoutPath, placeOrder, sendBag } from './shopper.ts'
import { openSite, type StartedServer } from './site.ts'

const DAY = 24 * 60 * 60 * 1000
/** A bag that arrives a day before the right time is still open at the right time, in minutes. */
const EXPIRY = 7 * 24 * 60
/** At each time. */
const ANSWERS = 150
/** Of the bags of before, so many are looked at again at another time. */
const LOOKED_AT = 20

export const clockJumps: Fault = {
  name: 'clock',
  what: 'the clock goes back a day, then forward a year (with a webhook that fails), then is right again; under load',
  rule:
    'bags and orders are taken at any time; the newest bag of a reference is the one that came last; ' +
    'what has expired by the clock says so, and is back with the time; every webhook arrives',
  stores: ['SQLite', 'PostgreSQL'],
  rounds: 2,
  run: jump
}

async function jump({ cleanup, openDatabase, rounds, say }: FaultParts): Promise<Result> {
  const site = await openSite(cleanup, openDatabase, () => ({ checkout: { expiresAfterMinutes: EXPIRY } }))
  const result = emptyResult()
  const ledger = openLedger()
  let server = await site.start()
  const store = await site.openStore()
  let settled = 0
  /** Sends bags while the clock jumps, and after. @returns those that were open before, without an order */
  const loadDuring = async (shift: number): Promise<Entry[]> => {
    const open = ledger.entries.slice(settled).filter(({ token, order }) => token !== undefined && order === undefined)
    const load = startLoad([server.origin], ledger)
    await until('the answers', () => load.answered() > ANSWERS / 3)
    await site.clock.shift([server], shift)
    await until('the answers', () => load.answered() > ANSWERS)
    await load.stop()
    return open.slice(0, LOOKED_AT)
  }
  for (let round = 1; round <= rounds; round++) {
    await loadDuring(0)
    const [first, ...others] = await loadDuring(-DAY)
    if (first) result.wrong.push(...(await replaceBag(server, first)))
    for (const entry of others) {
      const { token } = entry
      await sendBag(server.client, ledger, entry)
      if (entry.token !== token) result.doubled.push(`bag ${entry.n}, sent again a day before, has another checkout`)
    }

    site.receiver.answer(status(503))
    for (const entry of await loadDuring(365 * DAY)) {
      const { status } = await server.client.ask({ method: 'GET', path: checkoutPath(entry, String(entry.token)) })
      if (status !== 410) result.wrong.push(`bag ${entry.n}: its page is answered ${status} a year after it expired`)
    }
    // A shopper whose clock jumps between bag and page has met one that has expired.
    ledger.wrong = ledger.wrong.filter(answer => !/ was answered 410: /.test(answer))
    for (const entry of ledger.entries) if (entry.order === 'refused') delete entry.order
    await loadDuring(0)
    site.receiver.answer(ok)
    // What the server does every ten minutes, it does at the start.
    await server.stop()
    server = await site.start()
    await settle(result, ledger, ledger.entries.slice(settled), server.client, store)
    settled = ledger.entries.length
    result.rounds++
    say(`${round} of ${rounds}: ${result.taken} bags, ${result.placed} orders`)
  }
  result.wrong.push(...(await undelivered(site, server, ledger.entries)))
  return result
}

/** Sends another bag under a reference, and orders it: it is newer, whatever the clock says. @returns what is wrong */
async function replaceBag({ client }: StartedServer, entry: Entry): Promise<string[]> {
  const ledger = openLedger()
  const { wrong } = ledger
  const path = checkoutPath(entry, String(entry.token))
  entry.cart = { ...entry.cart, items: [{ sku: 'ROPE', quantity: 1 }] }
  await sendBag(client, ledger, entry)
  const { body } = await client.ask({ method: 'GET', path })
  if (!body.includes('Your bag has changed')) wrong.push(`bag ${entry.n}: the page of the bag before does not say so`)
  await placeOrder(client, ledger, entry)
  return wrong
}
