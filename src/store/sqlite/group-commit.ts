// Writes that arrive together share one commit, and so one sync to disk. None resolves before that commit, and one that
// fails does not affect the others.
//
// While turns of the event loop keep bringing writes, the commit waits, but no longer than the last one took. Node accepts
// one new connection a turn: without the wait, every request of a proxy that opens a connection for each would have a
// sync of its own (`npm run bench -- --only connections`).
//
// While another process is writing, the commit is attempted again and again, and the event loop is free in between: SQLite
// itself would wait for the lock in the calling thread. Readers in WAL mode wait for nobody.
import type { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { commitTransaction, errorCode, LOCK_TIMEOUT, SQLITE_BUSY } from './sqlite-file.ts'

/** Turns without another write, after which the commit waits no longer. */
const MAX_IDLE_TURNS = 8
/** However long the last commit took, on a slow disk: in milliseconds. */
const MAX_WAIT = 20
/** Between two attempts to get the lock, in milliseconds. */
const LOCK_PAUSE = 5

type Write = {
  run: () => void
  resolve: () => void
  reject: (error: unknown) => void
  /** @returns whether it was resolved without being written */
  resolveUnwritten: () => boolean
  deadline: number
}

export type GroupCommit = {
  /**
   * Runs `work` inside the next transaction; resolves with its result after the commit. If another write of the
   * transaction fails, `work` is undone and runs again.
   * @param find finds the result if there is nothing to write, for which neither a lock nor a failure matters
   */
  write: <T>(work: () => T, find?: () => T | undefined) => Promise<T>
  /** Resolves once nothing is waiting to be written. */
  flush: () => Promise<void>
}

export type CommitOptions = {
  /** How long a write waits while others hold the lock, in milliseconds; then it rejects with SQLite's error. */
  lockTimeout?: number
  /** Told of every transaction that was committed, and how long it took, in milliseconds. */
  onCommit?: (duration: number) => void
}

const nothing = () => undefined

/**
 * @param db a connection without a busy timeout
 * @param beforeCommit called before every COMMIT; if it throws, nothing of the transaction is kept
 */
export function groupCommit(
  db: DatabaseSync,
  beforeCommit: () => void,
  { lockTimeout = LOCK_TIMEOUT, onCommit }: CommitOptions = {}
): GroupCommit {
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
    while (!commitWaiting()) await pause(LOCK_PAUSE)
    turn = undefined
  }

  /** Commits what is waiting, unless another process holds the lock. @returns whether nothing waits any more */
  function commitWaiting(): boolean {
    while (waiting.length > 0) {
      try {
        db.exec('BEGIN IMMEDIATE')
      } catch (error) {
        rollBack()
        const now = errorCode(error) === SQLITE_BUSY ? performance.now() : Number.POSITIVE_INFINITY
        const unresolved = waiting.filter(({ resolveUnwritten }) => !resolveUnwritten())
        waiting = unresolved.filter(({ deadline }) => deadline > now)
        for (const write of unresolved) if (write.deadline <= now) write.reject(error)
        return waiting.length === 0
      }
      waiting = commit(waiting)
    }
    return true
  }

  /**
   * Runs the writes and commits them. Hardly ever one fails; then all are undone. They run without savepoints, as SQLite
   * keeps a copy of each page that changes after one, in a temporary file beyond 64 kB.
   * @returns those to run again, without the one that failed
   */
  function commit(writes: Write[]): Write[] {
    const started = performance.now()
    let running: Write | undefined
    try {
      for (running of writes) running.run()
      running = undefined
      beforeCommit()
      commitTransaction(db)
      duration = performance.now() - started
      onCommit?.(duration)
    } catch (error) {
      // A full disk ends the whole transaction: nothing of this batch can be kept.
      const failed = running && db.isTransaction ? [running] : writes
      rollBack()
      for (const write of failed) if (!write.resolveUnwritten()) write.reject(error)
      return writes.filter(write => !failed.includes(write))
    }
    for (const write of writes) write.resolve()
    return []
  }

  function rollBack(): void {
    if (db.isOpen && db.isTransaction) db.exec('ROLLBACK')
  }

  return {
    write: (work, find = nothing) =>
      new Promise((resolve, reject) => {
        let result: ReturnType<typeof work>
        waiting.push({
          run: () => {
            result = work()
          },
          resolve: () => resolve(result),
          reject,
          resolveUnwritten: () => {
            try {
              const found = find()
              if (found !== undefined) resolve(found)
              return found !== undefined
            } catch {
              // What cannot be read either is rejected with what was wrong with the write.
              return false
            }
          },
          deadline: performance.now() + lockTimeout
        })
        turn ??= commitNext()
      }),
    flush: async () => {
      while (turn) await turn
    }
  }
}
