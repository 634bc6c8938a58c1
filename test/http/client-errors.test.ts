// Requests that Node's parser gives up on, answered on the raw socket. Most are tested in app.test.ts; here are
// timeouts and resets, which a client cannot cause at will.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import t, { type Test } from 'tap'
import { Problem } from '../../src/errors.ts'
import { unroutedResponse } from '../../src/http/client-errors.ts'
import { openStorefront } from '../../src/pages/storefront.ts'
import { build, buildListening, merchantFile } from '../build.ts'
import { openSocket, sendRaw, sendRawText } from '../raw-http.ts'

type Listening = Awaited<ReturnType<typeof buildListening>>

const unroutable = (logs: Record<string, unknown>[]) => logs.filter(({ msg }) => msg === 'unroutable request refused')

async function readAll(socket: Socket): Promise<string> {
  let text = ''
  for await (const chunk of socket) text += chunk
  return text
}

/** Sends this to a listening app, whose parser then reports a timeout. @returns the response */
async function timeOut(t: Test, { app, port }: Listening, sent: string, before?: Promise<unknown>): Promise<string> {
  const connected = once(app.server, 'connection')
  const began = once(app.server, 'request')
  const client = openSocket(t, port)
  client.write(sent)
  const [socket] = await connected
  if (sent.includes('\r\n\r\n')) await began
  await before
  const timeout = Object.assign(new Error('slow'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
  app.server.emit('clientError', timeout, socket)
  return readAll(client)
}

const FORM_HEAD = [
  'POST /shop/cart HTTP/1.1',
  'Host: shop.example',
  'Content-Type: application/x-www-form-urlencoded',
  'Content-Length: 500',
  'Accept-Language: de',
  '\r\nitems'
].join('\r\n')

t.test('a cart that arrives too slowly gets a page of its shop, with a link back to the app', async t => {
  const other = merchantFile('1', { id: 'other', publicUrl: '/other' })
  const site = await buildListening(t, { merchants: [other, merchantFile('2A', { locales: ['de'] })] })
  const answer = await timeOut(t, site, FORM_HEAD)
  t.match(answer, /^HTTP\/1\.1 408 Request Timeout\r\n[\s\S]*content-language: de\r\n/)
  const policy =
    /Content-Security-Policy: default-src 'none';style-src 'sha256-[^']+';img-src 'none';form-action 'self';frame-ancestors 'self';base-uri 'none'\r/
  t.match(answer, policy, 'the CSP is as strict as on every page')
  t.match(answer, /<title>[^<]* – The Shop<[\s\S]*<a href="shop:\/\/continue">Zurück zur App</)
})

t.test('if not even the headers arrived, the page is that of the only shop, or neutral', async t => {
  const begun = async (...merchants: object[]) => timeOut(t, await buildListening(t, { merchants }), 'POST /shop')
  t.match(await begun(merchantFile('2A')), /^HTTP\/1\.1 408 [\s\S]*<title>[^<]* – The Shop</)
  const answer = await begun(merchantFile('2A'), merchantFile('1', { id: 'other', publicUrl: '/other' }))
  t.match(answer, /^HTTP\/1\.1 408 [\s\S]*<h1>/)
  t.notMatch(answer, 'The Shop', 'neutral, as it could be for either shop')
  t.match(await begun(merchantFile('1')), /^HTTP\/1\.1 408 [\s\S]*"type":"urn:[^"]*:request-timeout"/)
})

t.test('a request refused before it arrived completely gets no second response', async t => {
  const site = await buildListening(t, { merchants: [merchantFile('2A')] })
  const answered = new Promise(finished => {
    site.app.server.once('request', (_, response) => response.once('finish', finished))
  })
  const head = FORM_HEAD.replace('application/x-www-form-urlencoded', 'text/plain')
  const answers = await timeOut(t, site, head, answered)
  t.match(answers, /^HTTP\/1\.1 415 /)
  t.notMatch(answers, 'HTTP/1.1 408')
  t.strictSame(unroutable(site.logs), [])
})

t.test('an earlier request on the connection does not decide the language of the 408', async t => {
  const site = await buildListening(t, { merchants: [merchantFile('2A', { locales: ['de'] })] })
  const answered = 'GET /healthz HTTP/1.1\r\nHost: shop.example\r\nAccept-Language: de\r\n\r\n'
  const answers = await timeOut(t, site, `${answered}POST /shop`)
  t.match(answers, /HTTP\/1\.1 408 [\s\S]*content-language: en-GB\r\n/)
})

t.test('a reset connection gets no response, and leaves no line in the log', async t => {
  const { app, port, logs } = await buildListening(t)
  const connected = once(app.server, 'connection')
  const client = openSocket(t, port)
  const [socket] = await connected
  app.server.emit('clientError', Object.assign(new Error('reset'), { code: 'ECONNRESET' }), socket)
  t.equal(await readAll(client), '')
  t.equal(socket.destroyed, true)
  t.strictSame(unroutable(logs), [])
})

t.test('headers over either limit are 431, which names both', async t => {
  const { port } = await buildListening(t)
  const send = (lines: string[]) => {
    const headers = ['Host: shop.example', 'Connection: close', ...lines]
    return sendRaw(port, `GET /healthz HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`)
  }
  t.match(await send(Array(998).fill('a: b')), { status: 200 })
  for (const over of [Array(999).fill('a: b'), ['a: '.padEnd(65_536, 'b')]]) {
    t.match(await send(over), { status: 431, body: /65536 bytes.*1000 headers/ })
  }
})

t.test('what follows a request that closes its connection leaves no line in the log', async t => {
  const { app, port, logs } = await buildListening(t, { merchants: [merchantFile('2A')] })
  const refused = once(app.server, 'clientError')
  const closing = 'GET /healthz HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n\r\n'
  const answers = await sendRawText(port, `${closing}more`)
  t.equal(answers.match(/HTTP\/1\.1 /g)?.length, 1)
  t.match(await refused, [{ code: 'HPE_CLOSED_CONNECTION' }])
  await app.close()
  t.strictSame(unroutable(logs), [])
})

t.test(
  'the merchant is found by path segments, ignoring the query; its option and the path decide the form',
  async t => {
    const { app, merchants } = await build(t, {
      merchants: [merchantFile('1'), merchantFile('2B', { id: 'other', publicUrl: 'http://localhost/other' })]
    })
    const storefronts = {
      merchants: merchants.map(merchant => ({ merchant, storefront: openStorefront({ merchant }) })),
      fallback: openStorefront()
    }
    const parts = { app, storefronts, connections: new Map() }
    const cases = [
      ['/shop/cart', 'text/html', 'problem+json'],
      ['/shop/cart?a=/other', 'text/html', 'problem+json'],
      ['/shop/cart/below', 'text/html', 'The Shop'],
      ['/shop', '', 'problem+json'],
      ['/shop/checkout', '', 'The Shop'],
      ['/shop/checkouts', '', 'problem+json'],
      ['/shopper', '', 'problem+json'],
      ['/', 'text/html', 'Page not found<'],
      ['/other/cart', '', 'The Shop'],
      ['/other#/shop', '', 'The Shop']
    ] as const
    for (const [url, accept, form] of cases) {
      const problem = new Problem('not-found', { detail: 'gone' })
      const { headers, body } = await unroutedResponse(parts, problem, { url, headers: { accept } })
      t.match(form === 'problem+json' ? headers['Content-Type'] : String(body), form, `${url} ${accept}`)
    }
  }
)

t.test(
  'an answer under way comes before that of what cannot be read after it, and each request has only one',
  async t => {
    const { port } = await buildListening(t, { merchants: [merchantFile('2B', { publicUrl: '/shop' })] })
    const statuses = async (sent: string) => (await sendRawText(port, sent)).match(/HTTP\/1\.1 \d+/g)
    const bag = '/shop/cart?item_0_sku=MUG&item_0_quantity=1&currency=GBP&reference=r'
    const head = 'HTTP/1.1\r\nHost: shop.example\r\n'
    const GET = `GET ${bag} ${head}\r\n`
    const broken = `POST /shop/cart ${head}Transfer-Encoding: chunked\r\n\r\n0x0\r\n\r\n`
    const expecting = broken.replace('Transfer-', 'Expect: miracles\r\nTransfer-')
    t.strictSame(await statuses(`${GET}NO HTTP\r\n\r\n`), ['HTTP/1.1 200', 'HTTP/1.1 400'])
    for (const request of [broken, expecting]) {
      t.equal((await statuses(request))?.length, 1)
      const [first, ...rest] = (await statuses(GET + request)) ?? []
      t.strictSame([first, rest.length], ['HTTP/1.1 200', 1])
    }
    const connect = `CONNECT shop.example:443 ${head}\r\n`
    t.strictSame(await statuses(GET + connect), ['HTTP/1.1 200', 'HTTP/1.1 405'])
  }
)

t.test('a client that leaves before its request is whole gets no answer, and costs none', async t => {
  const { port, logs } = await buildListening(t, { merchants: [merchantFile('2A')] })
  for (const sent of ['GET /shop', FORM_HEAD]) {
    const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    t.teardown(() => client.destroy())
    client.end(sent)
    t.equal(await readAll(client).catch(({ code }) => code), '', sent)
  }
  t.strictSame(unroutable(logs), [])
})
