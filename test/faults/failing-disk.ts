// A disk that fails under a running server: nothing can be written or synced any more. Then the machine starts again.
import { execFileSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '../until.ts'
import { audit } from './audit.ts'
import { undelivered } from './deliveries.ts'
import { emptyResult, type Fault, type FaultParts, type Result } from './fault.ts'
import { countOf, openLedger } from './ledger.ts'
import { startLoad } from './load.ts'
import { check, settle } from './settle.ts'
import { openSite } from './site.ts'
import { untilTaken } from './until-taken.ts'

const REFUSED = 200

export const failingDisk: Fault = {
  name: 'failing-disk',
  what: 'the disk becomes read-only and syncs fail, under load (a preloaded library); then `kill -9` and a start',
  rule: 'bags and orders are refused with 503, pages go on; after the start everything is there that was answered',
  stores: ['SQLite'],
  rounds: 10,
  run: failRounds
}

async function failRounds({ cleanup, openDatabase, rounds, say }: FaultParts): Promise<Result> {
  const site = await openSite(cleanup, openDatabase)
  const failure = join(site.folder, 'the-disk-has-failed')
  const preloaded = { LD_PRELOAD: compileDisk(site.folder), FAILING_DISK: failure }
  const result = emptyResult()
  const ledger = openLedger()
  let settled = 0
  let server = await site.start(preloaded)
  const store = await site.openStore()
  for (let round = 1; round <= rounds; round++) {
    const load = startLoad([server.origin], ledger)
    await until('the answers', () => load.answered() > 100)
    writeFileSync(failure, '')
    const before = countOf(ledger).refused
    await until('the refusals', () => countOf(ledger).refused > before + REFUSED)
    await load.stop()
    const taken = ledger.entries.slice(settled).filter(({ transfer }) => transfer === 'answered')
    const { lost } = await audit(taken, server.client, store)
    result.lost.push(...lost.map(line => `on the failed disk: ${line}`))

    server.child.kill('SIGKILL')
    await server.exited
    rmSync(failure)
    server = await site.start(preloaded)
    result.back.push(await untilTaken(server.client, ledger, server.startedAt))
    await settle(result, ledger, ledger.entries.slice(settled), server.client, store)
    settled = ledger.entries.length
    result.rounds++
    say(`${round} of ${rounds}: ${result.taken} bags, ${result.refused} refused`)
  }
  await check(result, ledger, ledger.entries, server.client, store)
  result.wrong.push(...(await undelivered(site, server, ledger.entries)))
  return result
}

/** @returns the library that plays the disk */
function compileDisk(folder: string): string {
  const library = join(folder, 'failing-disk.so')
  const source = join(import.meta.dirname, 'failing-disk.c')
  execFileSync('cc', ['-shared', '-fPIC', '-O2', '-o', library, source, '-ldl'])
  return library
}
