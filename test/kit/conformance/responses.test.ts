// What came of a hand-over in the end, as the checks take it.
import t from 'tap'
import { isHtml } from '../../../src/kit/conformance/responses.ts'

t.test('what a browser may read as HTML', t => {
  const answer = (type?: string) => ({
    url: 'http://x/',
    status: 200,
    statusText: 'OK',
    headers: type === undefined ? [] : [{ name: 'Content-Type', value: type }],
    body: new Uint8Array(),
    milliseconds: 1
  })
  for (const type of ['text/html', 'TEXT/HTML; charset=utf-8', 'application/xhtml+xml', undefined]) {
    t.ok(isHtml(answer(type)), String(type))
  }
  for (const type of ['application/problem+json', 'text/plain']) t.notOk(isHtml(answer(type)), type)
  t.end()
})
