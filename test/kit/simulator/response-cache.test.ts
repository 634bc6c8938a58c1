// The cache of responses for the phone's frame: ids that cannot be guessed, and limits on number, size and age.
import t from 'tap'
import type { WebResponse } from '../../../src/kit/client/send-request.ts'
import { responseCache } from '../../../src/kit/simulator/response-cache.ts'

const response = (bytes = 1): WebResponse => ({
  url: 'http://shop/',
  status: 200,
  statusText: 'OK',
  headers: [],
  body: new Uint8Array(bytes),
  milliseconds: 1
})

function open() {
  let now = Date.parse('2026-11-20T10:00:00Z')
  const cache = responseCache(() => new Date(now))
  const tick = (milliseconds: number) => {
    now += milliseconds
  }
  return { ...cache, tick }
}

t.test('a response is found by its id', async t => {
  const { add, get } = open()
  const [first, second] = [response(), response()]
  const ids = [add(first), add(second)]
  t.match(ids, [/^[\w-]{22}$/, /^[\w-]{22}$/])
  t.equal(get(String(ids[0])), first)
  t.equal(get(String(ids[1])), second)
  t.equal(get('another'), undefined)
})

t.test('it expires after ten minutes', async t => {
  const { add, get, tick } = open()
  const id = add(response())
  tick(10 * 60_000)
  t.ok(get(id))
  tick(1)
  t.equal(get(id), undefined)
})

t.test('beyond fifty, the oldest are evicted', async t => {
  const { add, get } = open()
  const ids = Array.from({ length: 52 }, () => add(response()))
  t.strictSame(
    ids.map(id => get(id) !== undefined),
    ids.map((_, i) => i >= 2)
  )
})

t.test('beyond 64 MiB in total, the oldest are evicted, never the newest', async t => {
  const { add, get } = open()
  const ids = Array.from({ length: 4 }, () => add(response(20 * 1024 * 1024)))
  t.strictSame(
    ids.map(id => get(id) !== undefined),
    [false, true, true, true]
  )
})
