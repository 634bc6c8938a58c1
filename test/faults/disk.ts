// A disk of its own for a database: a real ext4 in a file, that can be full. Only root can mount it.
import { execFileSync } from 'node:child_process'
import { closeSync, fsyncSync, mkdirSync, openSync, rmSync, truncateSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { Cleanup } from '../server-process.ts'

export type Disk = {
  /** Where it is mounted. */
  folder: string
  /** Leaves no free byte. */
  fill: () => void
  empty: () => void
}

const MEGABYTE = 1024 * 1024

/** @throws if this user may not mount it */
export function openDisk(cleanup: Cleanup, place: string, megabytes: number): Disk {
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
