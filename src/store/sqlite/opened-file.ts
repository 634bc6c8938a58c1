// Whether paths lead to the files that they should. SQLite goes on writing to a file that was deleted or replaced, and
// everything in it is gone after a restart; and it writes the WAL of one database into another.
import { closeSync, openSync, readSync, realpathSync, statSync } from 'node:fs'
import { OperatorError, StoreUnavailable } from '../../errors.ts'

/**
 * Remembers which files are at these paths. While one is open, no other file has its inode.
 * @returns a check that throws StoreUnavailable if one of them was deleted or replaced; it costs 3 µs per file
 */
export function rememberFiles(paths: string[]): () => void {
  const opened = paths.map(path => ({ path, ...statSync(path, { bigint: true }) }))
  return () => {
    for (const { path, dev, ino } of opened) {
      let cause: unknown
      try {
        const found = statSync(path, { bigint: true })
        if (found.dev === dev && found.ino === ino) continue
      } catch (error) {
        cause = error
      }
      throw new StoreUnavailable(
        `the database file ${path} was deleted or replaced: put it back, and do not restart before: ` +
          'a restart begins with whatever is at that path, and what was deleted is then gone',
        { cause }
      )
    }
  }
}

/** Where a database says whether it is used with a WAL. */
const WRITE_VERSION = 18
const WITHOUT_WAL = 1

/**
 * Refuses a backup that was put beside the WAL of the database it replaces. A backup says that it has no WAL (so does
 * what VACUUM INTO writes), and a database says so no longer before it gets one.
 * @throws OperatorError
 */
export function refuseForeignWal(file: string): void {
  const real = realpathSync(file)
  const wal = `${real}-wal`
  if (!statSync(wal, { throwIfNoEntry: false })?.size) return
  const head = Buffer.alloc(WRITE_VERSION + 1)
  const handle = openSync(real, 'r')
  readSync(handle, head, { position: 0 })
  closeSync(handle)
  if (head[WRITE_VERSION] !== WITHOUT_WAL) return
  throw new OperatorError(
    `${wal} belongs to another database and would damage this one, which looks like a restored backup; ` +
      `move ${wal} and ${real}-shm away`
  )
}
