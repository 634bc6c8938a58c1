// A disk that fails: the kernel makes it read-only under a running server. The machine starts again, and checks it.
import { until } from '../until.ts'
import { sqliteIn } from './database.ts'
import { undelivered } from './deliveries.ts'
import { type Disk, openDisk } from './disk.ts'
import { emptyResult, type Fault, type FaultParts, type Result } from './fault.ts'
import { countOf, openLedger } from './ledger.ts'
import { startLoad } from './load.ts'
import { check, settle } from './settle.ts'
import { openSite } from './site.ts'
import { untilTaken } from './until-taken.ts'

const MEGABYTES = 24
const REFUSED = 200

export const readOnly: Fault = {
  name: 'read-only',
  what: 'the disk of the database (ext4) fails and becomes read-only under load; `kill -9`, e2fsck, start',
  rule: 'bags and orders are refused with 503; after the repair everything is there that was answered',
  stores: ['SQLite'],
  rounds: 5,
  run: failRounds
}

async function failRounds({ cleanup, rounds, say }: FaultParts): Promise<Result> {
  let disk!: Disk
  const site = await openSite(cleanup, folder => {
    disk = openDisk(cleanup, folder, MEGABYTES)
    return sqliteIn(disk.folder)
  })
  const result = emptyResult()
  const ledger = openLedger()
  let settled = 0
  let server = await site.start()
  for (let round = 1; round <= rounds; round++) {
    const load = startLoad([server.origin], ledger)
    await until('the answers', () => load.answered() > 100)
    disk.fail()
    const refusedBefore = countOf(ledger).refused
    await until(
      'the refusals',
      () =>
        countOf(ledger).refused >= refusedBefore + REFUSED ||
        server.child.exitCode !== null ||
        server.child.signalCode !== null
    )
    await load.stop()
    if (server.child.signalCode !== null)
      result.wrong.push(`round ${round}: the server ended with ${server.child.signalCode}`)
    server.child.kill('SIGKILL')
    await server.exited
    disk.repair()

    server = await site.start()
    result.back.push(await untilTaken(server.client, ledger, server.startedAt))
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
  return result
}
