// Writes that arrive together share one commit, and so one sync to disk. None resolves before that commit, and one that
// fails does not affect the others.
import type { DatabaseSync } from 'node:sqlite'

type Write = { run: () => void; resolve: () => void; reject: (error: unknown) => void }

export type GroupCommit = {
  /** Runs `work` inside the next transaction; resolves with its result after the commit. */
  write: <T>(work: () => T) => Promise<T>
  /** Resolves once nothing is waiting to be written. */
  flush: () => Promise<void>
}

export function groupCommit(db: DatabaseSync): GroupCommit {
  let waiting: Write[] = []
  let turn: Promise<void> | undefined

  function commit(): void {
    const writes = waiting
    waiting = []
    turn = undefined
    try {
      db.exec('BEGIN IMMEDIATE')
      for (const write of writes) {
        db.exec('SAVEPOINT one_write')
        try {
          write.run()
        } catch (error) {
          // A full disk ends the whole transaction: nothing of this batch can be kept.
          if (!db.isTransaction) throw error
          db.exec('ROLLBACK TO one_write')
          write.reject(error)
        }
        db.exec('RELEASE one_write')
      }
      db.exec('COMMIT')
    } catch (error) {
      if (db.isOpen && db.isTransaction) db.exec('ROLLBACK')
      for (const write of writes) write.reject(error)
      return
    }
    // Those rejected above stay rejected.
    for (const write of writes) write.resolve()
  }

  return {
    write: work =>
      new Promise((resolve, reject) => {
        let result: ReturnType<typeof work>
        waiting.push({
          run: () => {
            result = work()
          },
          resolve: () => resolve(result),
          reject
        })
        turn ??= new Promise(next => setImmediate(next)).then(commit)
      }),
    flush: async () => {
      while (turn) await turn
    }
  }
}
