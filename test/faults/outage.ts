// A database that is away for a while, under load: it goes, bags and orders are refused, it is back, and bags are taken
// again, by servers that nobody has started again.
import { until } from '../until.ts'
import type { Database } from './database.ts'
import { undelivered } from './deliveries.ts'
import { emptyResult, type FaultParts, type Result } from './fault.ts'
import { countOf, openLedger } from './ledger.ts'
import { startLoad } from './load.ts'
import { check, settle } from './settle.ts'
import { openSite } from './site.ts'
import { untilTaken } from './until-taken.ts'

export type Outage = {
  database: Database
  begin: () => Promise<void>
  end: () => Promise<void>
  /** Whether the database is only slow: then nothing is refused. */
  isSlow?: boolean
}

/** Answers before, and after. */
const ANSWERS = 100
/** Until so many bags and orders have been refused. */
const REFUSED = 100
/** Without load a server must answer at once, in milliseconds. */
const AT_ONCE = 1000

export async function outageRounds(
  { cleanup, rounds, say }: FaultParts,
  openOutage: (folder: string) => Promise<Outage>
): Promise<Result> {
  let outage!: Outage
  const site = await openSite(cleanup, async folder => {
    outage = await openOutage(folder)
    return outage.database
  })
  const result = emptyResult()
  const ledger = openLedger()
  const server = await site.start()
  let settled = 0
  for (let round = 1; round <= rounds; round++) {
    const load = startLoad([server.origin], ledger)
    await until('the answers', () => load.answered() > ANSWERS)
    await outage.begin()
    const before = [load.answered(), countOf(ledger).refused] as const
    if (outage.isSlow) await until('the slow answers', () => load.answered() > before[0] + ANSWERS)
    else await until('the refusals', () => countOf(ledger).refused > before[1] + REFUSED)
    const asked = performance.now()
    const { status } = await server.client.ask({ method: 'GET', path: '/healthz' })
    if (status !== 200 || performance.now() - asked > AT_ONCE) result.wrong.push(`/healthz was answered ${status}`)

    await outage.end()
    result.back.push(await untilTaken(server.client, ledger))
    const answered = load.answered()
    await until('the answers after', () => load.answered() > answered + ANSWERS)
    await load.stop()
    const store = await site.database.open()
    await settle(result, ledger, ledger.entries.slice(settled), server.client, store)
    await store.close()
    settled = ledger.entries.length
    result.rounds++
    say(`${round} of ${rounds}: ${result.taken} bags, ${result.refused} refused, ${result.uncertain} unknown`)
  }
  const store = await site.openStore()
  await check(result, ledger, ledger.entries, server.client, store)
  result.wrong.push(...(await undelivered(site, server, ledger.entries)))
  result.note = `the longest wait for an answer was ${Math.round(ledger.longest)} ms`
  return result
}
