// What happens to servers: `kill -9` and SIGTERM under load, and a second one on the same database.
import { randomInt } from 'node:crypto'
import { atOnce } from './audit.ts'
import { type Entry, openLedger } from './bags.ts'
import type { Fault } from './fault.ts'
import { faultRounds, underLoad, untilTaken } from './rounds.ts'
import { type Client, openForm, placeOrder, sendBag, submitForm } from './shopper.ts'
import type { StartedServer } from './site.ts'

/** How many answers a round has at least before the kill. */
const FEWEST = 200

export const kill: Fault = {
  name: 'kill',
  what: '`kill -9` of the server under load',
  rule: 'what was answered is there after the start; what was not is there as a whole or not at all',
  stores: ['SQLite', 'PostgreSQL'],
  rounds: 20,
  run: parts =>
    faultRounds(parts, async run => {
      const { site, server } = run
      const load = await underLoad(run, FEWEST + randomInt(100))
      server.child.kill('SIGKILL')
      await Promise.all([server.exited, load.stop()])
      run.server = await site.start()
      await untilTaken(run, run.server.startedAt)
    })
}

export const shutdown: Fault = {
  name: 'shutdown',
  what: 'SIGTERM under load, with and without a time to drain',
  rule: 'what was read is answered: nothing that had no answer is kept; exit code 0',
  stores: ['SQLite', 'PostgreSQL'],
  rounds: 10,
  run: async parts => {
    const durations: number[] = []
    const result = await faultRounds(
      parts,
      async (run, round) => {
        const { site, server } = run
        const load = await underLoad(run, 100 + randomInt(100))
        const stopped = performance.now()
        const { code } = await server.stop()
        durations.push(performance.now() - stopped)
        await load.stop()
        if (code !== 0) run.result.wrong.push(`round ${round}: the server ended with ${code}`)
        run.server = await site.start({ DRAIN_SECONDS: String((round + 1) % 2) })
        await untilTaken(run, run.server.startedAt)
      },
      {
        start: site => site.start({ DRAIN_SECONDS: '1' }),
        note: () => `a stop takes ${Math.round(Math.min(...durations))} to ${Math.round(Math.max(...durations))} ms`
      }
    )
    if (result.kept > 0) result.wrong.push(`${result.kept} were kept without an answer`)
    return result
  }
}

const PAIRS = 100

export const replicas: Fault = {
  name: 'replicas',
  what: 'two replicas, each bag and each order sent to both at once',
  rule: 'both give one checkout and one order; of two bags under one reference one is left, and only that can be ordered',
  stores: ['SQLite', 'PostgreSQL'],
  rounds: 5,
  run: parts => {
    let other!: StartedServer
    return faultRounds(
      parts,
      async ({ ledger, result, server: one }) => {
        const pairs = Array.from({ length: PAIRS }, () => ledger.next())
        await atOnce(pairs, async entry => {
          const same = { ...entry }
          await Promise.all([sendBag(one.client, ledger, entry), sendBag(other.client, ledger, same)])
          if (entry.token !== same.token) result.doubled.push(`bag ${entry.n} has two checkouts`)
          if (entry.n % 4 === 0) result.wrong.push(...(await sendDifferent(one.client, other.client, ledger.next())))
          if (entry.n % 5 >= 3) return
          const form = await openForm(other.client, ledger, entry)
          if (!form) return
          await Promise.all([submitForm(one.client, ledger, entry, form), submitForm(other.client, ledger, same, form)])
          if (entry.number !== same.number) result.doubled.push(`bag ${entry.n} has two orders`)
        })
      },
      {
        start: async site => {
          const [one, two] = await Promise.all([site.start(), site.start()])
          other = two
          return one
        }
      }
    )
  }
}

/** Sends two bags under one reference, and orders both. @returns what is wrong; the entry is the bag that was ordered */
async function sendDifferent(one: Client, other: Client, entry: Entry): Promise<string[]> {
  const ledger = openLedger()
  const { wrong } = ledger
  const another: Entry = { ...entry, cart: { ...entry.cart, items: [{ sku: 'ROPE', quantity: 1 }] } }
  await Promise.all([sendBag(one, ledger, entry), sendBag(other, ledger, another)])
  if (wrong.length > 0) return wrong
  await Promise.all([placeOrder(one, ledger, entry), placeOrder(other, ledger, another)])
  const isRefused = wrong.length === 1 && /: Your bag has changed/.test(String(wrong[0]))
  if (another.number !== undefined) Object.assign(entry, another)
  else delete entry.order
  if (entry.number !== undefined) entry.order = 'answered'
  if (isRefused) return []
  return [`bag ${entry.n}: of two bags under one reference, not one was ordered and one refused: ${wrong.join('; ')}`]
}
