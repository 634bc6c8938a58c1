// Messages that were put off by a clock that was ahead, such as one that showed another year: by the right time, their turn
// would come when that year does.
import type { Logger } from 'pino'
import type { OutboxStore } from './outbox.ts'
import { LONGEST_DELAY } from './retry-delay.ts'

export async function hastenMessages(
  store: Pick<OutboxStore, 'hastenMessages'>,
  now: Date,
  logger: Pick<Logger, 'warn'>
): Promise<void> {
  const latest = new Date(now.getTime() + LONGEST_DELAY)
  const messages = await store.hastenMessages(latest.toISOString(), now.toISOString())
  if (messages > 0) logger.warn({ messages }, 'webhooks put off by a clock that was ahead; they are due now')
}
