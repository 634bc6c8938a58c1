// A clock that goes back a day, forward a year, and then shows the right time.
import { ok, status } from '../checkout/webhook/receiver.ts'
import { type Entry, openLedger } from './bags.ts'
import type { Fault } from './fault.ts'
import { faultRounds, type Run } from './rounds.ts'
import { checkoutPath, placeOrder, sendBag, startLoad } from './shopper.ts'
import type { StartedServer } from './site.ts'

const DAY = 24 * 60 * 60 * 1000
/** A bag that arrives a day before the right time is still open at the right time, in minutes. */
const EXPIRY = 7 * 24 * 60
/** At each time. */
const ANSWERS = 100
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
  run: parts => faultRounds(parts, jump, { settingsOf: () => ({ checkout: { expiresAfterMinutes: EXPIRY } }) })
}

async function jump(run: Run): Promise<void> {
  const { site, ledger, result, server } = run
  const first = ledger.entries.length
  /** Sends bags while the clock jumps, and after. @returns those that were open before, without an order */
  const loadDuring = async (shift: number): Promise<Entry[]> => {
    const open = ledger.entries.slice(first).filter(({ token, order }) => token !== undefined && order === undefined)
    const load = startLoad(server.origin, ledger)
    await load.more(ANSWERS / 3)
    await site.clock.shift([server], shift)
    await load.more(ANSWERS)
    await load.stop()
    return open.slice(0, LOOKED_AT)
  }
  await loadDuring(0)
  const [replaced, ...others] = await loadDuring(-DAY)
  if (replaced) result.wrong.push(...(await replaceBag(server, replaced)))
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
  run.server = await site.start()
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
