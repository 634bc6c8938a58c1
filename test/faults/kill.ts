// `kill -9` of the server under load, again and again.
import { randomInt } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { until } from '../until.ts'
import { undelivered } from './deliveries.ts'
import { emptyResult, type Fault, type FaultParts, type Result } from './fault.ts'
import { openLedger } from './ledger.ts'
import { startLoad } from './load.ts'
import { check, settle } from './settle.ts'
import { sendBag } from './shopper.ts'
import { openSite } from './site.ts'

/** How many answers a round has at least before the kill. */
const FEWEST = 200

export const kill: Fault = {
  name: 'kill',
  what: '`kill -9` of the server under load',
  rule: 'what was answered is there after the start; what was not is there as a whole or not at all',
  stores: ['SQLite', 'PostgreSQL'],
  rounds: 20,
  run: killRounds
}

async function killRounds({ cleanup, openDatabase, rounds, say }: FaultParts): Promise<Result> {
  const site = await openSite(cleanup, openDatabase)
  const result = emptyResult()
  const ledger = openLedger()
  let settled = 0
  let server = await site.start()
  const store = await site.openStore()
  for (let round = 1; round <= rounds; round++) {
    const load = startLoad([server.origin], ledger)
    const most = FEWEST + randomInt(100)
    await until('the answers', () => load.answered() >= most || server.child.exitCode !== null)
    // Anywhere between two answers.
    await pause(Math.random() * 8)
    server.child.kill('SIGKILL')
    await Promise.all([server.exited, load.stop()])

    server = await site.start()
    await sendBag(server.client, ledger, ledger.next())
    result.back.push(performance.now() - server.startedAt)
    await settle(result, ledger, ledger.entries.slice(settled), server.client, store)
    settled = ledger.entries.length
    result.rounds++
    say(`${round} of ${rounds}: ${result.taken} bags, ${result.placed} orders, ${result.unanswered} without an answer`)
  }
  await check(result, ledger, ledger.entries, server.client, store)
  result.wrong.push(...(await undelivered(site, server, ledger.entries)))
  return result
}
