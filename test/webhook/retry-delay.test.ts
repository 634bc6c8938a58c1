// When a failed message is sent again.
import t from 'tap'
import { MAX_ATTEMPTS, readRetryAfter, retryDelay } from '../../src/webhook/retry-delay.ts'

const SECOND = 1000
const HOUR = 3600 * SECOND

t.test('the delays are those that Standard Webhooks recommends, over three days', t => {
  const delays = Array.from({ length: 9 }, (_, i) => Number(retryDelay(i + 1, 0)) / SECOND)
  t.strictSame(delays, [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400])
  t.equal(retryDelay(10, 0), undefined)
  t.equal(MAX_ATTEMPTS, 10)
  t.end()
})

t.test('jitter lengthens a delay by up to a fifth and never shortens it', t => {
  t.strictSame([retryDelay(1, 0), retryDelay(1, 0.5), retryDelay(1, 1)], [5000, 5500, 6000])
  t.end()
})

t.test('a receiver may ask for a longer delay, up to a day, but never a shorter one', t => {
  t.strictSame(
    [retryDelay(1, 0, 60_000), retryDelay(2, 0, 1000), retryDelay(1, 0, 99 * HOUR)],
    [60_000, 300_000, 24 * HOUR]
  )
  t.equal(retryDelay(10, 0, 60_000), undefined, 'nor for more attempts')
  t.end()
})

const NOW = new Date('2026-11-20T10:00:00.000Z')
const headers: [string | null, number][] = [
  [null, 0],
  ['120', 120_000],
  ['0', 0],
  ['Fri, 20 Nov 2026 10:01:00 GMT', 60_000],
  ['Fri, 20 Nov 2026 09:00:00 GMT', 0],
  ['soon', 0],
  ['', 0]
]
for (const [header, milliseconds] of headers) {
  t.test(`Retry-After: ${header} is read as a delay`, t => {
    t.equal(readRetryAfter(header, NOW), milliseconds)
    t.end()
  })
}
