// npm run faults: does to a real server what happens to one that runs for years, and counts what that costs.
import { readFlags } from '../script-flags.ts'
import { type FaultParts, isBroken } from './fault.ts'
import { faults } from './faults.ts'
import { type Row, rowOf, tableText, writeReport } from './report.ts'
import { databases, type StoreName } from './site.ts'

const STORES: Record<string, StoreName> = { sqlite: 'SQLite', postgres: 'PostgreSQL' }
const USAGE = `npm run faults -- [--fault NAME] [--store NAME] [--rounds N] [--write]

Breaks servers, databases, disks, feeds and clocks under load, on this machine, and compares what was answered with what is
kept. Fails if anything that was answered is lost or doubled, or if any answer was wrong. A full disk needs root, one that
fails a C compiler.

--fault NAME   ${faults.map(({ name }) => name).join(', ')}; may be repeated
--store NAME   sqlite or postgres
--rounds N     how often each is done
--write        writes the tables of test/faults/README.md`

const {
  fault: names,
  store,
  rounds = '',
  write
} = await readFlags(USAGE, {
  fault: { type: 'string', multiple: true },
  store: { type: 'string' },
  rounds: { type: 'string' },
  write: { type: 'boolean', default: false }
})
const chosen = faults.filter(({ name }) => !names || names.includes(name))
const isUnknown = chosen.length < (names?.length ?? 1) || (store !== undefined && !STORES[store])
if (isUnknown || !/^\d*$/.test(rounds)) {
  console.log(USAGE)
  process.exit(2)
}

/** What has been opened, the last of it first. */
const opened: (() => unknown)[] = []
const cleanup: FaultParts['cleanup'] = { teardown: close => void opened.unshift(close) }

async function cleanUp(): Promise<void> {
  for (const close of opened.splice(0)) await close()
}
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void cleanUp().then(() => process.exit(130)))

const rows: Row[] = []
let isWrong = false
for (const fault of chosen) {
  for (const name of fault.stores) {
    if (store !== undefined && STORES[store] !== name) continue
    console.log(`\n${fault.name}, ${name}: ${fault.what}\n  must hold: ${fault.rule}`)
    try {
      const parts = { cleanup, openDatabase: databases[name], rounds: Number(rounds) || fault.rounds }
      const result = await fault.run({ ...parts, say: line => console.log(`  ${line}`) })
      for (const line of [...result.lost, ...result.doubled, ...result.wrong].slice(0, 20))
        console.log(`  WRONG: ${line}`)
      isWrong ||= isBroken(result)
      rows.push(rowOf(fault, name, result))
    } catch (error) {
      // The others are still worth their time.
      console.log(`  not done: ${(error as Error).stack}`)
      isWrong = true
    } finally {
      await cleanUp()
    }
  }
}
console.log(`\n${tableText(rows)}`)
if (write) writeReport(rows)
process.exit(isWrong ? 1 : 0)
