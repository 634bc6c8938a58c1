// Disks under the database: one that is full while bags arrive, and has room again; and one that fails, so that nothing can
// be written or synced any more, before the machine starts again.
import { execFileSync } from 'node:child_process'
import { closeSync, fsyncSync, mkdirSync, openSync, rmSync, truncateSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Cleanup } from '../server-process.ts'
import { until } from '../until.ts'
import { countOf, type Ledger } from './bags.ts'
import type { Fault } from './fault.ts'
import { faultRounds, findLost, underLoad, untilTaken } from './rounds.ts'
import { sqliteIn } from './site.ts'

const MEGABYTES = 24
/** Until so many bags and orders have been refused. */
const REFUSED = 200

export const fullDisk: Fault = {
  name: 'full-disk',
  what: 'no byte free on the disk of the database (ext4), under load',
  rule: 'bags and orders are refused with 503, pages go on; as soon as there is room, bags are taken, without a restart',
  stores: ['SQLite'],
  rounds: 5,
  run: parts => {
    let disk!: Disk
    return faultRounds(
      parts,
      async run => {
        const { ledger } = run
        const first = ledger.entries.length
        const load = await underLoad(run, 100)
        disk.fill()
        const before = countOf(ledger).refused
        await until('the refusals', () => countOf(ledger).refused >= before + REFUSED)
        await load.stop()
        await pause(100)
        await findLost(run, ledger.entries.slice(first), 'on the full disk')
        disk.empty()
        await untilTaken(run)
      },
      {
        openDatabase: folder => {
          disk = openDisk(parts.cleanup, folder, MEGABYTES)
          return sqliteIn(disk.folder)
        }
      }
    )
  }
}

export const failingDisk: Fault = {
  name: 'failing-disk',
  what: 'the disk becomes read-only, or only its syncs fail, under load (a preloaded library); then `kill -9` and a start',
  rule: 'bags and orders are refused with 503, pages go on; after the start everything is there that was answered',
  stores: ['SQLite'],
  rounds: 10,
  run: parts => {
    let files!: { disk: string; sync: string }
    let preloaded!: Record<string, string>
    return faultRounds(
      parts,
      async (run, round) => {
        const { site, ledger, server } = run
        const first = ledger.entries.length
        const load = await underLoad(run, 100)
        const failure = round % 2 ? files.disk : files.sync
        writeFileSync(failure, '')
        const before = failures(ledger)
        await until('the refusals', () => failures(ledger) > before + REFUSED)
        await findLost(run, ledger.entries.slice(first), 'on the failed disk')
        server.child.kill('SIGKILL')
        await Promise.all([server.exited, load.stop()])
        rmSync(failure)
        run.server = await site.start(preloaded)
        await untilTaken(run, run.server.startedAt)
      },
      {
        start: site => {
          files = { disk: join(site.folder, 'the-disk-has-failed'), sync: join(site.folder, 'syncs-fail') }
          preloaded = {
            LD_PRELOAD: compileDisk(site.folder),
            FAILING_DISK: files.disk,
            FAILING_SYNC: files.sync
          }
          return site.start(preloaded)
        }
      }
    )
  }
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

/** A disk of its own for a database: a real ext4 in a file, that can be full. Only root can mount it. */
type Disk = {
  /** Where it is mounted. */
  folder: string
  /** Leaves no free byte. */
  fill: () => void
  empty: () => void
}

const MEGABYTE = 1024 * 1024

/** @throws if this user may not mount it */
function openDisk(cleanup: Cleanup, place: string, megabytes: number): Disk {
  const image = join(place, 'disk.ext4')
  const folder = join(place, 'disk')
  const ballast = join(folder, 'ballast')
  const run = (command: string, ...args: string[]) =>
    execFileSync(command, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  mkdirSync(folder)
  writeFileSync(image, '')
  truncateSync(image, megabytes * MEGABYTE)
  // Without room that is kept for root.
  run('mkfs.ext4', '-q', '-m', '0', image)
  run('mount', '-o', 'loop', image, folder)
  cleanup.teardown(() => run('umount', folder))
  return {
    folder,
    fill: () => {
      const file = openSync(ballast, 'a')
      for (let size = MEGABYTE; size >= 1; size = Math.floor(size / 2)) {
        try {
          while (writeSync(file, Buffer.alloc(size)) === size);
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
        }
      }
      closeSync(file)
    },
    empty: () => {
      rmSync(ballast, { force: true })
      const parent = openSync(folder, 'r')
      fsyncSync(parent)
      closeSync(parent)
    }
  }
}
