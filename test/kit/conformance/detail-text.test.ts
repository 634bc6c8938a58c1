// Quoting requests and responses in the detail of a failure.
import t from 'tap'
import { excerpt, quoteRequest, truncate } from '../../../src/kit/conformance/detail-text.ts'

t.test('a long text is truncated, with its length', async t => {
  t.equal(truncate('x'.repeat(500)), `${'x'.repeat(400)}… (500 characters)`)
  t.equal(truncate('short'), 'short')
})

t.test('a request is a curl command, and a response is on one line', async t => {
  const request = { method: 'GET', url: `http://x/?${'y'.repeat(500)}`, headers: [] }
  t.match(quoteRequest(request), /^Sent: curl 'http:\/\/x\/\?y+… \(\d+ characters\)$/)
  t.equal(excerpt(' a\n  b\t'), 'a b')
})
