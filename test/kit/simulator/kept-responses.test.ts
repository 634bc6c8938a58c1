// Answers are kept for the phone's frame: found by an id that nobody can guess, few, small together, not for long.
import t from 'tap'
import type { WebResponse } from '../../../src/kit/client/send-request.ts'
import { keepResponses } from '../../../src/kit/simulator/kept-responses.ts'

const answer = (bytes = 1): WebResponse => ({
  url: 'http://shop/',
  status: 200,
  statusText: 'OK',
  headers: [],
  body: new Uint8Array(bytes),
  milliseconds: 1
})

function open() {
  let now = Date.parse('2026-11-20T10:00:00Z')
  const answers = keepResponses(() => new Date(now))
  const tick = (milliseconds: number) => {
    now += milliseconds
  }
  return { ...answers, tick }
}

t.test('an answer is found under its own id', async t => {
  const { keep, find } = open()
  const [first, second] = [answer(), answer()]
  const ids = [keep(first), keep(second)]
  t.match(ids, [/^[\w-]{22}$/, /^[\w-]{22}$/])
  t.equal(find(String(ids[0])), first)
  t.equal(find(String(ids[1])), second)
  t.equal(find('another'), undefined)
})

t.test('it is forgotten after ten minutes', async t => {
  const { keep, find, tick } = open()
  const id = keep(answer())
  tick(10 * 60_000)
  t.ok(find(id))
  tick(1)
  t.equal(find(id), undefined)
})

t.test('of more than fifty the oldest go', async t => {
  const { keep, find } = open()
  const ids = Array.from({ length: 52 }, () => keep(answer()))
  t.strictSame(
    ids.map(id => find(id) !== undefined),
    ids.map((_, i) => i >= 2)
  )
})

t.test('of more than 64 MiB together the oldest go, and never the newest', async t => {
  const { keep, find } = open()
  const ids = Array.from({ length: 4 }, () => keep(answer(20 * 1024 * 1024)))
  t.strictSame(
    ids.map(id => find(id) !== undefined),
    [false, true, true, true]
  )
})
