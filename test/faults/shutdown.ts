// SIGTERM under load, as at every deployment: whoever is let in is answered, and whoever is not has not been read.
import { randomInt } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { until } from '../until.ts'
import { undelivered } from './deliveries.ts'
import { emptyResult, type Fault, type FaultParts, type Result } from './fault.ts'
import { openLedger } from './ledger.ts'
import { startLoad } from './load.ts'
import { settle } from './settle.ts'
import { sendBag } from './shopper.ts'
import { openSite } from './site.ts'

export const shutdown: Fault = {
  name: 'shutdown',
  what: 'SIGTERM under load, with and without a time to drain',
  rule: 'what was read is answered: nothing that had no answer is kept; exit code 0',
  stores: ['SQLite', 'PostgreSQL'],
  rounds: 10,
  run: stopRounds
}

async function stopRounds({ cleanup, openDatabase, rounds, say }: FaultParts): Promise<Result> {
  const site = await openSite(cleanup, openDatabase)
  const result = emptyResult()
  const ledger = openLedger()
  const durations: number[] = []
  let settled = 0
  const startFor = (round: number) => site.start({ DRAIN_SECONDS: String(round % 2) })
  let server = await startFor(1)
  const store = await site.openStore()
  for (let round = 1; round <= rounds; round++) {
    const load = startLoad([server.origin], ledger)
    const most = 100 + randomInt(100)
    await until('the answers', () => load.answered() >= most)
    await pause(Math.random() * 8)
    const stopped = performance.now()
    const { code } = await server.stop()
    durations.push(performance.now() - stopped)
    await load.stop()
    if (code !== 0) result.wrong.push(`round ${round}: the server ended with ${code}`)

    server = await startFor(round + 1)
    await sendBag(server.client, ledger, ledger.next())
    result.back.push(performance.now() - server.startedAt)
    const kept = result.kept
    await settle(result, ledger, ledger.entries.slice(settled), server.client, store)
    if (result.kept > kept) result.wrong.push(`round ${round}: ${result.kept - kept} were kept without an answer`)
    settled = ledger.entries.length
    result.rounds++
    say(`${round} of ${rounds}: ${result.taken} bags, ${result.unanswered} without an answer, ${code}`)
  }
  result.wrong.push(...(await undelivered(site, server, ledger.entries)))
  result.note = `a stop takes ${Math.round(Math.min(...durations))} to ${Math.round(Math.max(...durations))} ms`
  return result
}
