// Transfers whose reference could not be read. Anybody can send any number of them, so they are counted in memory, by merchant and
// day, and written once a second. A process that is killed loses what it has counted since.
import type { Database } from './database.ts'

/** In milliseconds. */
const INTERVAL = 1000

const ADD = `INSERT INTO unreadable_transfers (merchant_id, transferred_on, transfers) VALUES ($1, $2, $3)
  ON CONFLICT (merchant_id, transferred_on) DO UPDATE SET transfers = unreadable_transfers.transfers + excluded.transfers`

export type UnreadableCount = {
  /** @param day in UTC, as in `2026-11-20` */
  add: (merchantId: string, day: string, transfers?: number) => void
  /** Writes the rest, if that is possible. */
  close: () => Promise<void>
}

export function countUnreadable({ of, guard }: Pick<Database, 'of' | 'guard'>): UnreadableCount {
  const counts = new Map<string, { merchantId: string; day: string; transfers: number }>()
  let timer: NodeJS.Timeout | undefined
  let isClosed = false
  let writing = Promise.resolve()

  function add(merchantId: string, day: string, transfers = 1): void {
    const key = `${day} ${merchantId}`
    counts.set(key, { merchantId, day, transfers: transfers + (counts.get(key)?.transfers ?? 0) })
    if (isClosed) return
    timer ??= setTimeout(() => {
      writing = write()
    }, INTERVAL).unref()
  }

  async function write(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const counted = [...counts.values()]
    counts.clear()
    const written = counted.map(({ merchantId, day, transfers }) =>
      guard(() => of(merchantId).write(ADD, [merchantId, day, transfers])).catch(() => add(merchantId, day, transfers))
    )
    await Promise.all(written)
  }

  return {
    add,
    close: async () => {
      isClosed = true
      await writing
      await write()
    }
  }
}
