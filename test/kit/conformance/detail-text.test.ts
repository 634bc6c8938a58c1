// Quoting requests and responses in the detail of a failure.
import t from 'tap'
import { curlOfPage, excerpt, truncate } from '../../../src/kit/conformance/detail-text.ts'

t.test('a long text is truncated, with its length', async t => {
  t.equal(truncate('x'.repeat(500)), `${'x'.repeat(400)}… (500 characters)`)
  t.equal(truncate('short'), 'short')
  t.equal(excerpt(' a\n  b\t'), 'a b')
})

t.test('a request is a whole curl command, with its cookies', async t => {
  const url = `http://x/?${'y'.repeat(5000)}`
  const cookie = { path: '/', secure: false, httpOnly: false, expires: 1 }
  const cookies = [
    { name: 'a', value: '1', ...cookie },
    { name: 'b', value: '2', ...cookie }
  ]
  t.equal(curlOfPage({ method: 'GET', url, headers: [], cookies }), `curl -H 'Cookie: a=1; b=2' '${url}'`)
  t.equal(curlOfPage({ method: 'GET', url, headers: [], cookies: [] }), `curl '${url}'`)
})
