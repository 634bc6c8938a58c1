// A disk that is full while bags arrive, and has room again.
import { setTimeout as pause } from 'node:timers/promises'
import { until } from '../until.ts'
import { audit } from './audit.ts'
import { sqliteIn } from './database.ts'
import { undelivered } from './deliveries.ts'
import { type Disk, openDisk } from './disk.ts'
import { emptyResult, type Fault, type FaultParts, type Result } from './fault.ts'
import { countOf, openLedger } from './ledger.ts'
import { startLoad } from './load.ts'
import { settle } from './settle.ts'
import { openSite } from './site.ts'
import { untilTaken } from './until-taken.ts'

const MEGABYTES = 24
/** Until so many bags and orders have been refused. */
const REFUSED = 200

export const fullDisk: Fault = {
  name: 'full-disk',
  what: 'no byte free on the disk of the database (ext4), under load',
  rule: 'bags and orders are refused with 503, pages go on; as soon as there is room, bags are taken, without a restart',
  stores: ['SQLite'],
  rounds: 5,
  run: fillRounds
}

async function fillRounds({ cleanup, rounds, say }: FaultParts): Promise<Result> {
  let disk!: Disk
  const site = await openSite(cleanup, folder => {
    disk = openDisk(cleanup, folder, MEGABYTES)
    return sqliteIn(disk.folder)
  })
  const result = emptyResult()
  const ledger = openLedger()
  let settled = 0
  const server = await site.start()
  const store = await site.openStore()
  for (let round = 1; round <= rounds; round++) {
    const load = startLoad([server.origin], ledger)
    await until('the answers', () => load.answered() > 100)
    disk.fill()
    const refusedBefore = countOf(ledger).refused
    await until('the refusals', () => countOf(ledger).refused >= refusedBefore + REFUSED)
    await load.stop()
    await pause(100)
    const taken = ledger.entries.slice(settled).filter(({ transfer }) => transfer === 'answered')
    const { lost } = await audit(taken, server.client, store)
    result.lost.push(...lost.map(line => `on the full disk: ${line}`))

    disk.empty()
    result.back.push(await untilTaken(server.client, ledger))
    await settle(result, ledger, ledger.entries.slice(settled), server.client, store)
    settled = ledger.entries.length
    result.rounds++
    say(`${round} of ${rounds}: ${result.taken} bags, ${result.refused} refused, ${result.uncertain} unknown`)
  }
  result.wrong.push(...(await undelivered(site, server, ledger.entries)))
  return result
}
