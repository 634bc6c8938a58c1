// Web requests as curl commands.
import { text } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { curlLine, fetchCall } from '../../../src/kit/client/request-code.ts'
import type { WebRequest } from '../../../src/transfer/option.ts'
import { listen } from '../../listen.ts'

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

/** The body of an async function, as a console runs it. */
const AsyncFunction = (async () => {}).constructor as FunctionConstructor

/** A server that keeps what it receives. */
async function receive(t: Test) {
  const received: object[] = []
  const { origin } = await listen(t, async (request, response) => {
    const { method, url, headers } = request
    const { authorization, 'content-type': type, 'x-own': own } = headers
    const body = await text(request)
    received.push({ method, url, type, own, body, ...(authorization !== undefined && { authorization }) })
    response.end()
  })
  return { received, origin }
}

t.test('a call sends the same method, address, headers and body', async t => {
  const { received, origin } = await receive(t)
  const run = (request: Omit<WebRequest, 'url'> & { path: string }) =>
    AsyncFunction(`return ${fetchCall({ ...request, url: origin + request.path })}`)()

  const body = `{"sku":""' \\ \`\${1} \u2028 ソ"}`
  const headers = [
    { name: 'Content-Type', value: 'application/json' },
    { name: 'Content-Length', value: '1' },
    { name: 'X-Own', value: 'a' },
    { name: 'X-Own', value: 'b' }
  ]
  await run({ method: 'POST', path: '/cart', headers, body })
  await run({ method: 'GET', path: '/cart?a=%5B%22', headers: [] })
  t.strictSame(received, [
    { method: 'POST', url: '/cart', type: 'application/json', own: 'a, b', body },
    { method: 'GET', url: '/cart?a=%5B%22', type: undefined, own: undefined, body: '' }
  ])
})

t.test('a secret is named, and defined by whoever runs the call', async t => {
  const { received, origin } = await receive(t)
  const headers = [{ name: 'Authorization', value: 'Bearer $SHOP_TOKEN', variable: 'SHOP_TOKEN' }]
  const call = fetchCall({ method: 'POST', url: origin, headers })
  await t.rejects(AsyncFunction(call)(), { name: 'ReferenceError', message: /SHOP_TOKEN/ })
  await AsyncFunction('SHOP_TOKEN', call)('a`$secret')
  t.match(received, [{ method: 'POST', authorization: 'Bearer a`$secret' }])
  t.equal(received.length, 1)
})

t.test('a GET with a body is none that fetch can send', async t => {
  const call = fetchCall({ method: 'get', url: 'http://shop/', headers: [], body: '' })
  t.equal(call, '// fetch cannot send a get with a body')
})
