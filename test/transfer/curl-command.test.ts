// Web requests as curl commands.
import t from 'tap'
import { curlLine } from '../../src/transfer/curl-command.ts'
import type { WebRequest } from '../../src/transfer/option.ts'

const send = (more: Partial<WebRequest> = {}): WebRequest => ({ method: 'GET', url: 'http://x/', headers: [], ...more })

const CURL: [what: string, request: WebRequest, line: string][] = [
  [
    'quotes and dollars, and no header that curl sets itself',
    send({
      method: 'POST',
      url: 'http://x/?a=1&b',
      headers: [
        { name: 'Host', value: 'x' },
        { name: 'X-A', value: '$(rm)' }
      ],
      body: `it's "$HOME"`
    }),
    `curl -X POST -H 'X-A: $(rm)' --data-raw 'it'\\''s "$HOME"' 'http://x/?a=1&b'`
  ],
  [
    'a secret from a variable, which the shell demands, and a dollar that is not one',
    send({
      headers: [
        { name: 'Authorization', value: 'Bearer $SHOP_TOKEN', variable: 'SHOP_TOKEN' },
        { name: 'Authorization', value: 'Bearer $HOME' }
      ]
    }),
    `curl -H "Authorization: Bearer \${SHOP_TOKEN:?}" -H 'Authorization: Bearer $HOME' 'http://x/'`
  ],
  ['a GET', send(), "curl 'http://x/'"],
  ['a HEAD', send({ method: 'HEAD' }), "curl -I 'http://x/'"],
  ['another method', send({ method: 'DELETE' }), "curl -X DELETE 'http://x/'"],
  ['a GET with a body', send({ body: '' }), "curl -X GET --data-raw '' 'http://x/'"],
  [
    'a URL that curl would expand or normalise',
    send({ url: 'http://x/a/../[1-3]?{b}' }),
    "curl -g --path-as-is 'http://x/a/../[1-3]?{b}'"
  ],
  ['a header without a value', send({ headers: [{ name: 'X-A', value: '' }] }), "curl -H 'X-A;' 'http://x/'"],
  [
    'invisible characters',
    send({ method: 'POST', body: `a'\\\n\u200d\u202e` }),
    "curl -X POST --data-raw $'a\\'\\\\\\x0a\\xe2\\x80\\x8d\\xe2\\x80\\xae' 'http://x/'"
  ],
  ['a NUL', send({ body: '\0' }), '# this request contains a NUL, which no shell can pass on']
]

t.test('a request is a line to paste into a shell', async t => {
  for (const [what, request, line] of CURL) t.equal(curlLine(request), line, what)
})
