// A disk of its own for a database: a real ext4 in a file, that can be full, and can fail as the kernel lets it fail. Only
// root can mount it.
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
  /** What the kernel does when the journal cannot be written: from now on nothing can be written, also to open files. */
  fail: () => void
  /** What follows such a failure: the machine starts again and checks the disk. Nothing may be open on it. */
  repair: () => void
}

const MEGABYTE = 1024 * 1024

/** @throws if this user may not mount it */
export function openDisk(cleanup: Cleanup, place: string, megabytes: number): Disk {
  const image = join(place, 'disk.ext4')
  const folder = join(place, 'disk')
  const ballast = join(folder, 'ballast')
  const run = (command: string, ...args: string[]) =>
    execFileSync(command, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  const mount = () => run('mount', '-o', 'loop', image, folder)
  const unmount = () => run('umount', folder)
  mkdirSync(folder)
  writeFileSync(image, '')
  truncateSync(image, megabytes * MEGABYTE)
  // Without room that is kept for root.
  run('mkfs.ext4', '-q', '-m', '0', image)
  mount()
  cleanup.teardown(unmount)
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
    },
    fail: () => run('mount', '-o', 'remount,abort', folder),
    repair: () => {
      unmount()
      // It says with 1 that it has mended something.
      run('sh', '-c', 'e2fsck -fy "$0" || [ $? = 1 ]', image)
      mount()
    }
  }
}
