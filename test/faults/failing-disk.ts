// A disk that fails under a running server: nothing can be written or synced any more. Then the machine starts again.
import { execFileSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '../until.ts'
import { audit } from './audit.ts'
import { undelivered } from './deliveries.ts'
import { emptyResult, type Fault, type FaultParts, type Result } from './fault.ts'
import { countOf, type Ledger, openLedger } from './ledger.ts'
import { startLoad } from './load.ts'
import { check, settle } from './settle.ts'
import { openSite } from './site.ts'
import { untilTaken } from './until-taken.ts'

const REFUSED = 200

export const failingDisk: Fault = {
  name: 'failing-disk',
  what: 'the disk becomes read-only, or only its syncs fail, under load (a preloaded library); then `kill -9` and a start',
  rule: 'bags and orders are refused with 503, pages go on; after the start everything is there that was answered',
  stores: ['SQLite'],
  rounds: 10,
  run: failRounds
}

async function failRounds({ cleanup, openDatabase, rounds, say }: FaultParts): Promise<Result> {
  const site = await openSite(cleanup, openDatabase)
  const [disk, sync] = [join(site.folder, 'the-disk-has-failed'), join(site.folder, 'syncs-fail')]
  const preloaded = { LD_PRELOAD: compileDisk(site.folder), FAILING_DISK: disk, FAILING_SYNC: sync }
  const result = emptyResult()
  const ledger = openLedger()
  let settled = 0
  let server = await site.start(preloaded)
  for (let round = 1; round <= rounds; round++) {
    const load = startLoad([server.origin], ledger)
    await until('the answers', () => load.answered() > 100)
    const failure = round % 2 ? disk : sync
    writeFileSync(failure, '')
    const before = failures(ledger)
    await until('the refusals', () => failures(ledger) > before + REFUSED)
    const taken = ledger.entries.slice(settled).filter(({ transfer }) => transfer === 'answered')
    const beside = await site.database.open()
    const { lost } = await audit(taken, server.client, beside)
    // As long as anybody has the database open, nothing of it is recovered.
    await beside.close()
    result.lost.push(...lost.map(line => `on the failed disk: ${line}`))

    server.child.kill('SIGKILL')
    await Promise.all([server.exited, load.stop()])
    rmSync(failure)
    server = await site.start(preloaded)
    result.back.push(await untilTaken(server.client, ledger, server.startedAt))
    const store = await site.database.open()
    await settle(result, ledger, ledger.entries.slice(settled), server.client, store)
    await store.close()
    settled = ledger.entries.length
    result.rounds++
    say(`${round} of ${rounds}: ${result.taken} bags, ${result.refused} refused`)
  }
  const store = await site.openStore()
  await check(result, ledger, ledger.entries, server.client, store)
  result.wrong.push(...(await undelivered(site, server, ledger.entries)))
  return result
}

function failures(ledger: Ledger): number {
  const { refused, uncertain } = countOf(ledger)
  return refused + uncertain
}

/** @returns the library that plays the disk */
function compileDisk(folder: string): string {
  const library = join(folder, 'failing-disk.so')
  const source = join(import.meta.dirname, 'failing-disk.c')
  execFileSync('cc', ['-shared', '-fPIC', '-O2', '-o', library, source, '-ldl'])
  return library
}
