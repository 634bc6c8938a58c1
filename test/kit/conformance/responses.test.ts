// How the checks read responses.
import t from 'tap'
import { isHtml } from '../../../src/kit/conformance/responses.ts'

t.test('what a browser may treat as HTML', t => {
  const response = (type?: string) => ({
    url: 'http://x/',
    status: 200,
    statusText: 'OK',
    headers: type === undefined ? [] : [{ name: 'Content-Type', value: type }],
    body: new Uint8Array(),
    milliseconds: 1
  })
  for (const type of ['text/html', 'TEXT/HTML; charset=utf-8', 'application/xhtml+xml', undefined]) {
    t.ok(isHtml(response(type)), String(type))
  }
  for (const type of ['application/problem+json', 'text/plain']) t.notOk(isHtml(response(type)), type)
  t.end()
})
