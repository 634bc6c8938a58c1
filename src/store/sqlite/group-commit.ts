// Writes that arrive together share one commit, and so one sync to disk. None resolves before that commit, and one that
// fails does not affect the others.
//
// While turns of the event loop keep bringing writes, the commit waits, but no longer than the last one took. Node accepts
// one new connection a turn: without the wait, every request of a proxy that opens a connection for each would have a
// sync of its own (`npm run bench -- --only connections`).
import type { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** Turns without another write, after which the commit waits no longer. */
const MAX_IDLE_TURNS = 8
/** However long the last commit took, which may have met a lock: in milliseconds. */
const MAX_WAIT = 20

type Write = { run: () => void; resolve: () => void; reject: (error: unknown) => void }

export type GroupCommit = {
  /**
   * Runs `work` inside the next transaction; resolves with its result after the commit. If another write of the
   * transaction fails, `work` is undone and runs again.
   */
  write: <T>(work: () => T) => Promise<T>
  /** Resolves once nothing is waiting to be written. */
  flush: () => Promise<void>
}

export function groupCommit(db: DatabaseSync): GroupCommit {
  let waiting: Write[] = []
  let turn: Promise<void> | undefined
  /** How long the last commit took, in milliseconds. */
  let duration = 0

  async function commitNext(): Promise<void> {
    const deadline = performance.now() + Math.min(duration, MAX_WAIT)
    let idle = 0
    do {
      const gathered = waiting.length
      await nextTurn()
      idle = waiting.length > gathered ? 0 : idle + 1
    } while (idle < MAX_IDLE_TURNS && performance.now() < deadline)
    const writes = waiting
    waiting = []
    turn = undefined
    const started = performance.now()
    commit(writes)
    duration = performance.now() - started
  }

  function commit(writes: Write[]): void {
    try {
      db.exec('BEGIN IMMEDIATE')
      if (!runAll(writes)) runEach(writes)
      db.exec('COMMIT')
    } catch (error) {
      if (db.isOpen && db.isTransaction) db.exec('ROLLBACK')
      for (const write of writes) write.reject(error)
      return
    }
    // Those rejected before stay rejected.
    for (const write of writes) write.resolve()
  }

  /** Runs the writes, of which hardly ever one fails. If one does, all are undone. @returns whether none failed */
  function runAll(writes: Write[]): boolean {
    db.exec('SAVEPOINT all_writes')
    try {
      for (const write of writes) write.run()
    } catch (error) {
      // A full disk ends the whole transaction: nothing of this batch can be kept.
      if (!db.isTransaction) throw error
      db.exec('ROLLBACK TO all_writes')
      return false
    }
    return true
  }

  /** Runs the writes, and undoes and rejects those that fail. */
  function runEach(writes: Write[]): void {
    for (const write of writes) {
      db.exec('SAVEPOINT one_write')
      try {
        write.run()
      } catch (error) {
        if (!db.isTransaction) throw error
        db.exec('ROLLBACK TO one_write')
        write.reject(error)
      }
      db.exec('RELEASE one_write')
    }
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
        turn ??= commitNext()
      }),
    flush: async () => {
      while (turn) await turn
    }
  }
}
