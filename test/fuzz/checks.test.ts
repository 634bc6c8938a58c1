// What the fuzzer would notice: without these, it could pass by being blind.
import t from 'tap'
import { entryOf } from './hunt.ts'
import { judgeMemory } from './report.ts'
import { checkAnswer, readAsSent } from './try-case.ts'
import { measureTurns } from './turn-meter.ts'
import { readAnswers } from './wire.ts'

const read = (text: string) => readAnswers(Buffer.from(text, 'latin1'), false)

t.test('answers are read strictly, one after another', async t => {
  const one = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab'
  t.match(read(`HTTP/1.1 100 Continue\r\n\r\n${one}${one}HTTP/1.1`), {
    answers: [{ body: 'ab' }, {}],
    end: 25 + 2 * one.length
  })
  t.strictSame(read(one.slice(0, -1)).answers, [], 'one that is not whole yet')
  const broken = [
    'HTTP/1.1 20 OK\r\n\r\n',
    'HTTP/1.1 200 OK\r\n\r\n',
    'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nab',
    'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\nab',
    'HTTP/1.1 200 OK\r\nA b: c\r\nContent-Length: 2\r\n\r\nab',
    'HTTP/1.1 200 OK\r\nA: b\nc\r\nContent-Length: 2\r\n\r\nab',
    `ab${one}`
  ]
  for (const text of broken) t.throws(() => read(text), { name: 'Error' }, JSON.stringify(text))
})

t.test('an answer that no client should get is noticed', async t => {
  const problem = { type: 'urn:problem-type:cart-transfer:x', title: 'x', status: 400, detail: 'x' }
  const type = 'application/problem+json'
  const headers = { 'content-type': type, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }
  const answer = { status: 400, headers, body: JSON.stringify(problem) }
  checkAnswer(answer, { status: 400, mistakes: ['x'] })
  const wrong = [
    { ...answer, status: 500 },
    { ...answer, status: 503 },
    { ...answer, status: 404 },
    { ...answer, headers: { ...headers, 'cache-control': 'public' } },
    { ...answer, headers: { ...headers, 'x-content-type-options': 'x' } },
    { ...answer, headers: { ...headers, 'content-type': 'text/plain' } },
    { ...answer, headers: { ...headers, 'content-type': 'text/html' } },
    { ...answer, body: JSON.stringify({ ...problem, detail: 'x at f (/src/app.ts:1:2)' }) },
    { ...answer, body: JSON.stringify({ ...problem, errors: [{}] }) }
  ]
  for (const one of wrong) t.throws(() => checkAnswer(one), { name: 'Error' }, JSON.stringify(one))
  t.throws(() => checkAnswer(answer, { mistakes: ['y'] }), { message: /^not the mistakes/ })
  t.throws(() => checkAnswer(answer, { status: 422 }), { message: /^not 422, but 400/ })
})

t.test('what was sent is read without the parser of the server', async t => {
  const mug = [{ sku: 'MUG', quantity: 2 }]
  t.strictSame(readAsSent('1', '\xef\xbb\xbf{"items":[{"sku":"\\u004dUG","quantity":2.0}]}'), mug)
  t.strictSame(readAsSent('1', '{"items":'), [])
  t.strictSame(readAsSent('2A', 'items[][sku]=M%55G&items%5b%5d[quantity]=2&a=%zz'), mug)
  t.strictSame(readAsSent('2A', 'items[1][sku]=\xc3\xa9&items[0][sku]=MUG&items[0][quantity]=2&items[1][quantity]=1'), [
    ...mug,
    { sku: 'é', quantity: 1 }
  ])
  t.strictSame(readAsSent('2B', '/cart?item_0_sku=MUG&item_0_quantity=2&item_1_name=x'), mug)
})

t.test('memory that grows is noticed, a heap that gets warm is not, and too few samples are none', async t => {
  const at = (progresses: number[], bytesAt: (progress: number) => number) =>
    judgeMemory(progresses.map(progress => ({ progress, requests: progress * 1e6, bytes: bytesAt(progress) })))
  const all = Array.from({ length: 101 }, (_, i) => i / 100)
  const growing = (progress: number) => 200e6 + 300e6 * progress
  const warming = (progress: number) => 200e6 + 100e6 * Math.min(progress, 0.3)
  t.strictSame(at(all, warming), { verdict: 'flat' })
  t.strictSame(at(all, growing), { verdict: 'grown', half: 350e6, end: 485e6 })
  const tooFew = { verdict: 'too few samples' }
  t.strictSame(at([0, 0.11, 0.39, 0.61, 0.7, 0.8, 0.9, 1], growing), tooFew, 'none at half time')
  t.strictSame(at([0.45, 1.2], growing), tooFew, 'a round or two')
})

t.test('a held event loop is noticed: the longest turn counts, and all of them together', async t => {
  let used = 0
  let turn = Promise.withResolvers<void>()
  const clock = () => {
    turn.resolve()
    return used
  }
  const turns = await measureTurns(async () => {
    for (const milliseconds of [5, 20, 1]) {
      used += milliseconds
      turn = Promise.withResolvers()
      await turn.promise
    }
  }, clock)
  t.strictSame(turns, { longest: 20, total: 26 })
})

t.test('a failure is printed as an entry to be kept', async t => {
  const fuzzCase = { option: '2B', kind: 'raw bytes', what: 'noise', send: ['a\0\xff', ['b', 9]] } as const
  const found = { why: 'status 500\nmore', fuzzCase: { ...fuzzCase, send: [...fuzzCase.send] as never } }
  t.strictSame(JSON.parse(entryOf(found)), { why: 'status 500', ...fuzzCase })
})
