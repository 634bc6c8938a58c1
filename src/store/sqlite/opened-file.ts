// Whether paths still lead to the files that were opened there. SQLite goes on writing to a file that was deleted or
// replaced, and everything in it is gone after a restart.
import { statSync } from 'node:fs'
import { StoreUnavailable } from '../../errors.ts'

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
