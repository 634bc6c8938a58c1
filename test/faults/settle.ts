// What follows every fault: the comparison, everything sent again, the comparison once more.
import type { Store } from '../../src/store/store.ts'
import { audit } from './audit.ts'
import type { Client } from './client.ts'
import { addCounts, type Result } from './fault.ts'
import type { Entry, Ledger } from './ledger.ts'
import { sendAgain } from './send-again.ts'

/** Counts these bags and finds what is wrong with them; afterwards all of them have been taken. */
export async function settle(
  result: Result,
  ledger: Ledger,
  entries: Entry[],
  client: Client,
  store: Store
): Promise<void> {
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
export async function check(
  result: Result,
  ledger: Ledger,
  entries: Entry[],
  client: Client,
  store: Store
): Promise<void> {
  const { lost, doubled, partial } = await audit(entries, client, store)
  result.lost.push(...lost)
  result.doubled.push(...doubled)
  result.wrong.push(...partial, ...ledger.wrong.splice(0))
}
