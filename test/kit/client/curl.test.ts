// Web requests as curl commands.
import t from 'tap'
import { curlLine } from '../../../src/kit/client/curl.ts'
import type { WebRequest } from '../../../src/transfer/option.ts'

const requests: [name: string, request: WebRequest, line: string][] = [
  [
    'quotes and dollars, and no header that curl sets itself',
    {
      method: 'POST',
      url: 'http://x/?a=1&b',
      headers: [
        { name: 'Host', value: 'x' },
        { name: 'X-A', value: '$(rm)' }
      ],
      body: `it's "$HOME"`
    },
    `curl -X POST -H 'X-A: $(rm)' --data-raw 'it'\\''s "$HOME"' 'http://x/?a=1&b'`
  ],
  [
    'a secret from a variable, which the shell demands, and a dollar that is not one',
    {
      method: 'GET',
      url: 'http://x/',
      headers: [
        { name: 'Authorization', value: 'Bearer $SHOP_TOKEN', variable: 'SHOP_TOKEN' },
        { name: 'Authorization', value: 'Bearer $HOME' }
      ]
    },
    `curl -H "Authorization: Bearer \${SHOP_TOKEN:?}" -H 'Authorization: Bearer $HOME' 'http://x/'`
  ],
  ['a GET', { method: 'GET', url: 'http://x/', headers: [] }, "curl 'http://x/'"],
  ['a HEAD', { method: 'HEAD', url: 'http://x/', headers: [] }, "curl -I 'http://x/'"],
  ['another method', { method: 'DELETE', url: 'http://x/', headers: [] }, "curl -X DELETE 'http://x/'"],
  [
    'a GET with a body',
    { method: 'GET', url: 'http://x/', headers: [], body: '' },
    "curl -X GET --data-raw '' 'http://x/'"
  ],
  [
    'a URL that curl would expand or normalise',
    { method: 'GET', url: 'http://x/a/../[1-3]?{b}', headers: [] },
    "curl -g --path-as-is 'http://x/a/../[1-3]?{b}'"
  ],
  [
    'a header without a value',
    { method: 'GET', url: 'http://x/', headers: [{ name: 'X-A', value: '' }] },
    "curl -H 'X-A;' 'http://x/'"
  ],
  [
    'invisible characters',
    { method: 'POST', url: 'http://x/', headers: [], body: `a'\\\n\u200d\u202e` },
    "curl -X POST --data-raw $'a\\'\\\\\\x0a\\xe2\\x80\\x8d\\xe2\\x80\\xae' 'http://x/'"
  ],
  [
    'a NUL',
    { method: 'POST', url: 'http://x/', headers: [], body: '\0' },
    '# this request contains a NUL, which no shell can pass on'
  ]
]
for (const [name, request, line] of requests) {
  t.test(`curl: ${name}`, t => {
    t.equal(curlLine(request), line)
    t.end()
  })
}
