// Messages that a wrong clock has put off.
import t from 'tap'
import { hastenMessages } from '../../src/webhook/hasten-messages.ts'

const NOW = new Date('2026-11-20T10:00:00.000Z')

t.test('what is due later than any retry is due now, and the log says how many', async t => {
  const asked: unknown[] = []
  const logged: unknown[] = []
  const logger = { warn: (...line: unknown[]) => void logged.push(line) }
  for (const messages of [0, 3]) {
    const store = {
      hastenMessages: async (...given: unknown[]) => {
        asked.push(given)
        return messages
      }
    }
    await hastenMessages(store, NOW, logger)
  }
  t.strictSame(asked[0], ['2026-11-21T14:48:00.000Z', NOW.toISOString()], 'after a day and a fifth')
  t.strictSame(logged, [[{ messages: 3 }, 'webhooks put off by a clock that was ahead; they are due now']])
})
