// One connection: how many requests it may send at a time, what happens to a client that does not read, and CONNECT.

import { once } from 'node:events'
import { Agent, get, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { mock } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import t, { type Test } from 'tap'
import {
  type ClientConnections,
  createNodeServer,
  LINGER_TIME,
  MAX_WAITING,
  STALL_TIMEOUT
} from '../../src/http/node-server.ts'
import { buildListening, holdCheckouts, merchantFile } from '../build.ts'
import { openSocket, sendRaw, sendRawText } from '../raw-http.ts'
import { until } from '../until.ts'

const GET = 'GET / HTTP/1.1\r\nHost: shop.example\r\n\r\n'
const LAST = 'GET / HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n\r\n'

async function listen(t: Test, route: (request: IncomingMessage, response: ServerResponse) => void) {
  let cuts = 0
  const connections: ClientConnections = new Map()
  const server = createNodeServer(route, connections, () => cuts++)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { server, connections, cuts: () => cuts, port: (server.address() as AddressInfo).port }
}

t.test('the requests of a connection are answered one after another, in their order', async t => {
  let inProgress = 0
  let most = 0
  const { port } = await listen(t, (request, response) => {
    most = Math.max(most, ++inProgress)
    response.once('finish', () => inProgress--)
    setImmediate(() => response.end(`[${request.url}]`))
  })
  const requests = [1, 2, 3, 4, 5].map(i => GET.replace('/', `/${i}`))
  const answers = await sendRawText(port, requests.join('') + LAST)
  t.strictSame(answers.match(/\[.*?\]/g), ['[/1]', '[/2]', '[/3]', '[/4]', '[/5]', '[/]'])
  t.equal(most, 1)
})

t.test('a connection with more requests waiting than that is cut, and nothing more is done for it', async t => {
  let routed = 0
  const { port, cuts } = await listen(t, (_request, response) => {
    routed++
    setImmediate(() => response.end())
  })
  const answers = await sendRawText(port, GET.repeat(MAX_WAITING) + LAST)
  t.equal(answers.match(/HTTP\/1\.1 200/g)?.length, MAX_WAITING + 1, 'so many are answered')
  t.equal(cuts(), 0)

  routed = 0
  await sendRawText(port, GET.repeat(900)).catch(({ code }) => t.equal(code, 'ECONNRESET'))
  t.equal(cuts(), 1)
  t.equal(routed, 1)
})

t.test('so is one whose waiting requests have larger heads than one may have', async t => {
  const { port, connections, cuts } = await listen(t, () => {})
  const large = GET.replace('Host', `X: ${'x'.repeat(30_000)}\r\nHost`)
  const socket = openSocket(t, port)
  socket.write(GET + large.repeat(2))
  await until('two to wait', () => [...connections.values()][0]?.waiting.length === 2)
  t.equal(cuts(), 0)
  socket.write(large)
  await until('the cut', () => cuts() === 1)
})

t.test('a shop whose client is cut says so in its log, and goes on', async t => {
  const { port, logs } = await buildListening(t)
  await sendRawText(port, GET.repeat(900)).catch(({ code }) => t.equal(code, 'ECONNRESET'))
  const line = { level: 40, requests: 1, msg: 'connection closed: too many pipelined requests' }
  await until('the line', () => logs.length > 1)
  t.match(logs.at(-1), line)
  t.match(await sendRaw(port, LAST.replace('/', '/healthz')), { status: 200 })
})

t.test('what follows an answer that closes the connection is not begun', async t => {
  let routed = 0
  const { port } = await listen(t, (_request, response) => {
    routed++
    setImmediate(() => response.setHeader('Connection', 'close').end())
  })
  const answers = await sendRawText(port, GET.repeat(3))
  t.equal(answers.match(/HTTP\/1\.1 200/g)?.length, 1)
  t.equal(routed, 1)
})

t.test('what waits is not begun after the client has gone', async t => {
  const responses: ServerResponse[] = []
  const { port, server } = await listen(t, (_request, response) => void responses.push(response))
  const closed = new Promise(resolve => server.once('connection', socket => socket.once('close', resolve)))
  const socket = openSocket(t, port)
  socket.write(GET.repeat(3))
  await until('the first request', () => responses.length === 1)
  socket.destroy()
  await closed
  t.equal(responses.length, 1)
})

t.test('a client that does not read is cut off, one that is only slow is not', async t => {
  const large = Buffer.alloc(16 * 1024 * 1024)
  const { port, server } = await listen(t, (_request, response) => void response.end(large))
  t.equal(server.timeout, STALL_TIMEOUT)
  // On a busy machine, half a second passes without a turn of the event loop.
  server.setTimeout(2000)
  const cut = new Promise(resolve => server.once('connection', socket => socket.once('close', resolve)))
  const stalled = openSocket(t, port)
  stalled.write(GET)
  await cut

  const slow = openSocket(t, port)
  slow.write(LAST)
  let received = 0
  slow.on('data', chunk => {
    received += chunk.length
    slow.pause()
    void setTimeout(10).then(() => slow.resume())
  })
  await new Promise(resolve => slow.once('close', resolve))
  t.ok(received > large.length, 'the slow one got everything')
})

t.test('a request whose time is over is noticed within seconds', async t => {
  const { port, server } = await listen(t, () => {})
  server.requestTimeout = server.headersTimeout = 1
  const overdue = new Promise(resolve => {
    server.once('clientError', ({ code }: NodeJS.ErrnoException, socket) => {
      socket.destroy()
      resolve(code)
    })
  })
  openSocket(t, port).write('GET / HTTP/1.1\r\n')
  const late = setTimeout(25_000, 'late', { ref: false })
  t.equal(await Promise.race([overdue, late]), 'ERR_HTTP_REQUEST_TIMEOUT')
})

t.test('a client that expects something is answered like any other', async t => {
  const { port } = await listen(t, (_request, response) => void response.end('ours'))
  const expecting = LAST.replace('Connection', 'Expect: miracles\r\nConnection')
  t.match(await sendRaw(port, expecting), { status: 200, body: 'ours' })
})

t.test('a CONNECT that nobody ends is cut off', async t => {
  const { app, port } = await buildListening(t)
  const connected = new Promise<Socket>(resolve => app.server.once('connection', resolve))
  const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).resume()
  t.teardown(() => client.destroy())
  client.write('CONNECT shop.example:443 HTTP/1.1\r\nHost: shop.example\r\n\r\n')
  await new Promise(resolve => client.once('end', resolve))
  const socket = await connected
  t.match(socket, { destroyed: false, timeout: STALL_TIMEOUT })
  const closed = new Promise(resolve => socket.once('close', resolve))
  socket.emit('timeout')
  await closed
})

t.test('CONNECT gets an answer', async t => {
  for (const [publicUrl, isSecure] of [
    ['https://shop.example/shop', true],
    ['http://127.0.0.1:3000/shop', false]
  ] as const) {
    const { port } = await buildListening(t, { merchants: [merchantFile('1', { publicUrl })] })
    const answer = await sendRaw(port, 'CONNECT shop.example:443 HTTP/1.1\r\nHost: shop.example\r\n\r\n')
    t.match(answer, {
      status: 405,
      headers: { allow: 'GET', connection: 'close', 'x-content-type-options': 'nosniff' }
    })
    t.equal('strict-transport-security' in answer.headers, isSecure)
    t.match(JSON.parse(answer.body), { type: /method-not-allowed$/ })
  }
})

/** Refused before it has all arrived: the head of a bag of 20 MB, and headers without an end. */
const LARGE_BAG = [
  'POST /shop/cart HTTP/1.1',
  'Host: a',
  'Content-Type: application/x-www-form-urlencoded',
  'Content-Length: 20000000',
  '\r\n'
].join('\r\n')
const ENDLESS_HEAD = `GET /shop/cart HTTP/1.1\r\nHost: a\r\nX-Much: ${'x'.repeat(200_000)}`

/** A shop, and a client that sends it the start of a request. */
async function sendStart(t: Test, start: string) {
  // How long a connection lingers is for the test to say.
  t.teardown(() => mock.timers.reset())
  mock.timers.enable({ apis: ['setTimeout'] })
  const { app, port } = await buildListening(t, { merchants: [merchantFile('2A', { publicUrl: '/shop' })] })
  // It is not to be cut off as one that makes no progress.
  app.server.setTimeout(0)
  const cut = new Promise(resolve => app.server.once('connection', socket => socket.once('close', resolve)))
  const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  t.teardown(() => client.destroy())
  let error: Error | undefined
  client.on('error', found => {
    error = found
  })
  let answer = ''
  client.on('data', data => {
    answer += data
  })
  const closed = new Promise(resolve => client.once('close', resolve))
  // Or reset, which `error` tells.
  const answered = new Promise(resolve => client.once('end', resolve).once('close', resolve))
  client.write(start)
  return { client, cut, answered, closed, answer: () => answer, error: () => error }
}

t.test('a client that is still sending when it is refused gets its answer, and no reset', async t => {
  const starts: [name: string, start: string, status: number][] = [
    ['keep-alive', LARGE_BAG, 413],
    ['close', LARGE_BAG.replace('Host: a', '$&\r\nConnection: close'), 413],
    ['headers', ENDLESS_HEAD, 431]
  ]
  for (const [name, start, status] of starts) {
    await t.test(name, async t => {
      const { client, answered, closed, answer, error } = await sendStart(t, start)
      await answered
      t.match(answer(), new RegExp(`^HTTP/1\\.1 ${status} .*</html>\\s*$`, 's'))
      await new Promise(resolve => client.write('x'.repeat(2_000_000), resolve))
      client.end()
      await closed
      t.equal(error(), undefined)
    })
  }
})

for (const [name, start] of Object.entries({ body: LARGE_BAG, headers: ENDLESS_HEAD })) {
  t.test(`one that goes on sending its ${name} is cut off after some megabytes`, async t => {
    const { client, answered, closed, error } = await sendStart(t, start)
    await answered
    client.write('x'.repeat(19_000_000))
    await closed
    t.match(error(), { code: /^(ECONNRESET|EPIPE)$/ })
  })

  t.test(`one that stops sending its ${name} is cut off after some seconds`, async t => {
    const { answered, cut } = await sendStart(t, start)
    await answered
    mock.timers.tick(LINGER_TIME)
    await cut
  })
}

const PAGE = '/shop/cart?item_0_sku=MUG&item_0_quantity=1&currency=GBP&reference='

t.test('while it drains, new connections are served, and every answer closes its own', async t => {
  const { app } = await buildListening(t, { merchants: [merchantFile('2B')] })
  const origin = app.listeningOrigin
  const agent = new Agent({ keepAlive: true })
  t.teardown(() => agent.destroy())
  const ask = async (path: string, onConnect: () => unknown = () => {}) => {
    const sent = get(origin + path, { agent }).on('socket', socket => socket.once('connect', onConnect))
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    await once(response.resume(), 'end')
    return { status: response.statusCode, connection: response.headers.connection }
  }
  t.match(await ask('/readyz'), { status: 200, connection: 'keep-alive' })
  app.isDraining = true
  t.match(await ask('/readyz'), { status: 503, connection: 'close' })
  t.match(await ask('/healthz'), { status: 200, connection: 'close' })
  t.match(await ask('/%zz'), { status: 400, connection: 'close' })
  const bags = await Promise.all(Array.from({ length: 50 }, (_, i) => ask(`${PAGE}r-${i}`)))
  for (const bag of bags) {
    if (bag.status !== 200 || bag.connection !== 'close') t.fail(`${bag.status} ${bag.connection}`)
  }

  let unconnected = 50
  const { promise: connected, resolve } = Promise.withResolvers<void>()
  const onConnect = () => --unconnected === 0 && resolve()
  const last = Promise.allSettled(Array.from({ length: 50 }, (_, i) => ask(`${PAGE}last-${i}`, onConnect)))
  await Promise.race([connected, last])
  await app.close()
  for (const answer of await last) t.match(answer, { value: { status: 200 } }, 'what had arrived was answered')
  await t.rejects(ask('/healthz'), { code: 'ECONNREFUSED' })
})

t.test(
  'a close waits for answers, but not for connections without a request or with one that does not arrive',
  async t => {
    const { hold, release, held } = holdCheckouts()
    const { app, port } = await buildListening(t, { merchants: [merchantFile('2A')], store: hold })
    let connections = 0
    app.server.on('connection', () => connections++)
    const [idle, begun, whole] = [openSocket(t, port), openSocket(t, port), openSocket(t, port)]
    const received = [idle, begun, whole].map(async socket => {
      let text = ''
      socket.on('data', data => {
        text += data
      })
      // It may be told by a reset, which once() would take for a failure.
      await new Promise(resolve => socket.on('close', resolve))
      return text
    })
    const head = 'POST /shop/cart HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\n'
    const bag = 'items[0][sku]=MUG&items[0][quantity]=1&currency=GBP&reference=r'
    whole.write(`${head}Content-Length: ${bag.length}\r\n\r\n${bag}`)
    const began = once(app.server, 'request')
    begun.write(`${head}Content-Length: 1000\r\n\r\ni`)
    const trickle = setInterval(() => begun.write('i'), 200)
    t.teardown(() => clearInterval(trickle))
    await began
    await until('all', () => connections === 3 && held() === 1)
    const closed = app.close()
    t.strictSame(await Promise.all(received.slice(0, 2)), ['', ''], 'cut, as nothing whole has arrived')
    release()
    await closed
    t.match(await received[2], /^HTTP\/1\.1 200 [\s\S]*<\/html>\s*$/)
  }
)
