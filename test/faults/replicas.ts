// Two replicas on one database: every bag and every order arrives at both at the same moment, and some references with
// another bag at each.

import { atOnce } from './audit.ts'
import type { Client } from './client.ts'
import { undelivered } from './deliveries.ts'
import { emptyResult, type Fault, type FaultParts, type Result } from './fault.ts'
import { type Entry, openLedger } from './ledger.ts'
import { settle } from './settle.ts'
import { openForm, placeOrder, sendBag, submitForm } from './shopper.ts'
import { openSite } from './site.ts'

const PAIRS = 100

export const replicas: Fault = {
  name: 'replicas',
  what: 'two replicas, each bag and each order sent to both at once',
  rule: 'both give one checkout and one order; of two bags under one reference one is left, and only that can be ordered',
  stores: ['SQLite', 'PostgreSQL'],
  rounds: 5,
  run: sendToBoth
}

async function sendToBoth({ cleanup, openDatabase, rounds, say }: FaultParts): Promise<Result> {
  const site = await openSite(cleanup, openDatabase)
  const result = emptyResult()
  const ledger = openLedger()
  const [one, other] = await Promise.all([site.start(), site.start()])
  const store = await site.openStore()
  for (let round = 1; round <= rounds; round++) {
    const settled = ledger.entries.length
    const pairs = Array.from({ length: PAIRS }, () => ledger.next())
    await atOnce(pairs, async entry => {
      const same = { ...entry }
      await Promise.all([sendBag(one.client, ledger, entry), sendBag(other.client, ledger, same)])
      if (entry.token !== same.token) result.doubled.push(`bag ${entry.n} has two checkouts`)
      if (entry.n % 4 === 0) result.wrong.push(...(await sendDifferent(one.client, other.client, ledger.next())))
      if (entry.n % 5 < 3) {
        const form = await openForm(other.client, ledger, entry)
        if (!form) return
        await Promise.all([submitForm(one.client, ledger, entry, form), submitForm(other.client, ledger, same, form)])
        if (entry.number !== same.number) result.doubled.push(`bag ${entry.n} has two orders`)
      }
    })
    await settle(result, ledger, ledger.entries.slice(settled), one.client, store)
    result.rounds++
    say(`${round} of ${rounds}: ${result.taken} bags and ${result.placed} orders, each sent to both`)
  }
  result.wrong.push(...(await undelivered(site, one, ledger.entries)))
  return result
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
