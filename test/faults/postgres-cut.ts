// Every connection to PostgreSQL is cut, again and again, while it goes on.
import { setTimeout as pause } from 'node:timers/promises'
import type { Postgres } from '../postgres.ts'
import { until } from '../until.ts'
import { type Database, startPostgres } from './database.ts'
import { undelivered } from './deliveries.ts'
import { emptyResult, type Fault, type FaultParts, type Result } from './fault.ts'
import { openLedger } from './ledger.ts'
import { startLoad } from './load.ts'
import { check, settle } from './settle.ts'
import { openSite } from './site.ts'
import { untilTaken } from './until-taken.ts'

const CUTS = 5
const CUT = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE pid <> pg_backend_pid() AND application_name = 'cart-transfer'`

export const postgresCut: Fault = {
  name: 'postgres-cut',
  what: `every connection of the server is cut (\`pg_terminate_backend\`) under load, ${CUTS} times a round`,
  rule: 'what was under way is refused with 503 or answered; the next bag is taken',
  stores: ['PostgreSQL'],
  rounds: 10,
  run: cutRounds
}

async function cutRounds({ cleanup, rounds, say }: FaultParts): Promise<Result> {
  let started!: { postgres: Postgres; database: Database }
  const site = await openSite(cleanup, async () => {
    started = await startPostgres(cleanup)
    return started.database
  })
  const result = emptyResult()
  const ledger = openLedger()
  const server = await site.start()
  let settled = 0
  let cut = 0
  for (let round = 1; round <= rounds; round++) {
    const load = startLoad([server.origin], ledger)
    for (let i = 1; i <= CUTS; i++) {
      const before = load.answered()
      await until('the answers', () => load.answered() > before + 40)
      await pause(Math.random() * 8)
      cut += (await started.postgres.query(CUT)).rowCount ?? 0
      result.back.push(await untilTaken(server.client, ledger))
    }
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
  result.note = `${cut} connections were cut`
  return result
}
