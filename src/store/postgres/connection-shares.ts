// Whose call gets the next connection. Each merchant has a queue of its own, and takes another connection only while more are free
// than it has: half of them at most, and a second merchant half of the rest. So one whose calls are many, or wait for locks, always
// leaves some to the others. Of the calls under one reference, one at a time has a connection: the others would only wait for
// its locks.
import { StoreUnavailable } from '../../errors.ts'

/** How many calls of a merchant may wait. A server works on a thousand requests at a time. */
const MAX_QUEUED = 500

type Waiting = { reference: string | undefined; start: () => void }
type Queue = { running: number; references: Set<string>; waiting: Waiting[] }

/**
 * Runs a call, which uses one connection, when it is its turn; those without a merchant have a share, too.
 * @throws StoreUnavailable at once if too many calls of the merchant wait, or if this one has waited for too long
 */
export type InTurn = <T>(call: () => Promise<T>, merchantId?: string, reference?: string) => Promise<T>

/**
 * @param size how many connections there are
 * @param patience how long a call may wait, in milliseconds
 */
export function shareConnections(size: number, patience: number): InTurn {
  /** By merchant; whoever was served last comes last. */
  const queues = new Map<string | undefined, Queue>()
  let free = size

  const mayStart = (queue: Queue, reference: string | undefined) =>
    queue.running < free && (reference === undefined || !queue.references.has(reference))

  function begin(merchantId: string | undefined, queue: Queue, reference: string | undefined): void {
    free--
    queue.running++
    if (reference !== undefined) queue.references.add(reference)
    queues.delete(merchantId)
    queues.set(merchantId, queue)
  }

  function end(merchantId: string | undefined, queue: Queue, reference: string | undefined): void {
    free++
    queue.running--
    if (reference !== undefined) queue.references.delete(reference)
    // One that is served comes last, and so has another turn.
    for (const [merchant, each] of queues) {
      const next = each.waiting.find(waiting => mayStart(each, waiting.reference))
      if (!next) continue
      begin(merchant, each, next.reference)
      next.start()
    }
    if (queue.running === 0 && queue.waiting.length === 0) queues.delete(merchantId)
  }

  /** Resolves once the call has been begun. */
  function wait(queue: Queue, reference: string | undefined): Promise<void> {
    if (queue.waiting.length === MAX_QUEUED) throw new StoreUnavailable('too many calls of a merchant wait')
    return new Promise((resolve, reject) => {
      const stopWaiting = () => {
        clearTimeout(timer)
        queue.waiting.splice(queue.waiting.indexOf(waiting), 1)
      }
      const timer = setTimeout(() => {
        stopWaiting()
        reject(new StoreUnavailable('PostgreSQL is too slow'))
      }, patience).unref()
      const waiting: Waiting = {
        reference,
        start: () => {
          stopWaiting()
          resolve()
        }
      }
      queue.waiting.push(waiting)
    })
  }

  return async (call, merchantId, reference) => {
    const queue = queues.get(merchantId) ?? { running: 0, references: new Set(), waiting: [] }
    if (mayStart(queue, reference)) begin(merchantId, queue, reference)
    else {
      queues.set(merchantId, queue)
      await wait(queue, reference)
    }
    try {
      return await call()
    } finally {
      end(merchantId, queue, reference)
    }
  }
}
