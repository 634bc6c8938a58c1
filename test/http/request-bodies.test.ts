// The bodies of requests: what those that arrive may take together, and large ones that wait for an answer; whatever becomes of
// one, its memory is free again.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import t, { type Test } from 'tap'
import { noopObserver } from '../../src/observer.ts'
import { type Built, build, buildListening, collectRecords, holdCheckouts, merchantFile, uuid } from '../build.ts'
import { openSocket, sendRaw, sendRawText } from '../raw-http.ts'
import { until } from '../until.ts'

const HEAD = [
  'POST /shop/cart HTTP/1.1',
  'Host: shop.example',
  'Content-Type: application/x-www-form-urlencoded',
  'Transfer-Encoding: chunked',
  'Connection: close\r\n\r\n'
].join('\r\n')

/** The body in chunks of this many bytes. */
function chunked(body: string, size: number): string {
  let sent = ''
  for (let i = 0; i < body.length; i += size) {
    const chunk = body.slice(i, i + size)
    sent += `${chunk.length.toString(16)}\r\n${chunk}\r\n`
  }
  return `${sent}0\r\n\r\n`
}

t.test('a bag in chunks is read; one in thousands of tiny ones is cut off', async t => {
  const { logs, port } = await buildListening(t, { merchants: [merchantFile('2A', { publicUrl: '/shop' })] })
  const bag = 'items[0][sku]=MUG&items[0][quantity]=1&currency=GBP&reference=r'
  const padded = `${bag}&beyond=${'x'.repeat(40_000)}`
  t.match(await sendRaw(port, HEAD + chunked(bag, 1)), { status: 200 }, 'a small one in single bytes')
  t.match(await sendRaw(port, HEAD + chunked(padded, 20)), { status: 200 }, '2,000 chunks of 20 bytes')
  t.equal(await sendRawText(port, HEAD + chunked(padded, 1)).catch(({ code }) => code), 'ECONNRESET')
  const cuts = logs.filter(({ msg }) => msg === 'connection closed: body chunks too small')
  t.match(cuts, [{ level: 40, requests: 1 }])
})

t.test('a body in tiny chunks is also cut off if it is not wanted', async t => {
  const authentication = { type: 'bearer', secretVariables: ['TOKEN'] }
  const { port } = await buildListening(t, {
    merchants: [
      merchantFile('2A', { publicUrl: '/shop' }),
      merchantFile('1', { id: 'json', publicUrl: '/json', transfer: { authentication } })
    ],
    variables: { TOKEN: 'a'.repeat(32) }
  })
  const last = 'GET /healthz HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n\r\n'
  const unwanted = {
    405: ['PUT /shop/cart', 'application/x-www-form-urlencoded'],
    415: ['POST /shop/cart', 'text/plain'],
    401: ['POST /json/cart', 'application/json'],
    404: ['POST /nothing', 'text/plain'],
    400: ['POST /%zz', 'application/json'],
    200: ['GET /healthz', 'application/json']
  }
  for (const [status, [request, type]] of Object.entries(unwanted)) {
    const head = [`${request} HTTP/1.1`, 'Host: shop.example', `Content-Type: ${type}`, 'Transfer-Encoding: chunked']
    const send = async (size: number) => {
      const sent = `${head.join('\r\n')}\r\n\r\n${chunked('x'.repeat(40_000), size)}${last}`
      const answers = await sendRawText(port, sent).catch(() => '')
      return Array.from(answers.matchAll(/HTTP\/1\.1 (\d+)/g), ([, each]) => each)
    }
    t.strictSame(await send(20), [status, '200'], `${request}: 2,000 chunks, and the next request`)
    t.ok((await send(1)).length < 2, `${request}: 40,000 chunks, and no next request`)
  }
})

const FORM = 'application/x-www-form-urlencoded'

/** A connection that sends bytes. `left` resolves once the server has closed it. */
function send(t: Test, port: number, bytes: string) {
  const socket = openSocket(t, port)
  let answer = ''
  socket.on('data', data => {
    answer += data
  })
  socket.write(bytes)
  return {
    socket,
    answer: () => answer,
    isAnswered: () => /\r\n\r\n/.test(answer),
    closed: new Promise(resolve => socket.once('close', resolve))
  }
}

const LARGE = 400_000

/** Room for six that have arrived for the most part, and for one that is worked on. */
const bodyMemory = 2_100_000

/** A head, and as much of a body of LARGE bytes. */
const begin = (bytes: number, path = '/shop/cart', type = FORM) =>
  `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: ${type}\r\nContent-Length: ${LARGE}\r\n\r\n${bagOf(LARGE).slice(0, bytes)}`

function bagOf(bytes: number, reference = 'r'): string {
  return `items[0][sku]=MUG&items[0][quantity]=1&currency=GBP&reference=${reference}&beyond=`.padEnd(bytes, 'x')
}

/** Tells how many bytes of a connection have arrived. */
function watchArrival(app: Built['app']) {
  const arrivals = new Map<number | undefined, { bytesRead: number }>()
  app.server.on('connection', socket => arrivals.set(socket.remotePort, socket))
  return ({ localPort }: Socket) => arrivals.get(localPort)?.bytesRead
}

const small = bagOf(100, 'small')
const ORDINARY = `POST /shop/cart HTTP/1.1\r\nHost: a\r\nContent-Type: ${FORM}\r\nConnection: close\r\nContent-Length: ${small.length}\r\n\r\n${small}`

t.test('bodies whose rest does not come are refused, the one first that has taken most for longest', async t => {
  const refused: string[] = []
  const { collect, records } = collectRecords()
  const { app, port, logs } = await buildListening(t, {
    merchants: [merchantFile('2A', { publicUrl: '/shop' }), merchantFile('1', { id: 'json', publicUrl: '/json' })],
    bodyMemory,
    store: collect,
    observe: async () => ({ ...noopObserver, refused: problem => void refused.push(problem) })
  })
  const arrived = watchArrival(app)
  const beginOne = async (...head: Parameters<typeof begin>) => {
    const one = send(t, port, begin(...head))
    await until('all of it', () => arrived(one.socket) === begin(...head).length)
    return one
  }
  const most = 310_000
  const slow = send(t, port, ORDINARY.slice(0, -1).replace('small', 'slow!'))
  await until('most of it', () => arrived(slow.socket) === ORDINARY.length - 1)
  const first = await beginOne(most + 30_000)
  const second = await beginOne(most + 15_000, '/json/cart', 'application/json')
  const waiting = [slow]
  for (let i = 0; i < 4; i++) waiting.push(await beginOne(most))
  first.socket.write('x')
  await until('its next byte', () => arrived(first.socket) === begin(most + 30_000).length + 1)
  t.notOk(
    [...waiting, first, second].some(one => one.isAnswered()),
    'so much may wait'
  )

  waiting.push(await beginOne(most))
  await first.closed
  t.match(first.answer(), /^HTTP\/1\.1 503 .*retry-after: 5\r\n.*<\/html>/s, 'a shopper gets a page')
  waiting.push(await beginOne(most))
  await second.closed
  t.match(second.answer(), /^HTTP\/1\.1 503 .*connection: close\r\n.*retry-after: 5\r\n.*cart-transfer:overloaded/s)
  t.match(await sendRaw(port, ORDINARY), { status: 200 }, 'an ordinary bag finds room')
  t.notOk(waiting.some(one => one.isAnswered()))

  slow.socket.write(ORDINARY.slice(-1))
  await until('the answer', slow.isAnswered)
  t.match(slow.answer(), /^HTTP\/1\.1 200 /, 'a small one may be slow')
  t.strictSame(refused, ['overloaded', 'overloaded'], 'both are counted')
  t.match(
    logs.find(({ level }) => level === 50),
    { requests: 1, msg: /^The server has too many requests/ }
  )
  const lines = logs.filter(({ msg, outcome }) => msg === 'transfer' && outcome === 'refused')
  t.strictSame(
    lines.map(({ status, problem }) => [status, problem]),
    Array(2).fill([503, 'overloaded'])
  )
  t.strictSame(records, [], 'and none is kept')
})

t.test('chunks count with what each of them takes', async t => {
  const { port } = await buildListening(t, {
    merchants: [merchantFile('2A', { publicUrl: '/shop' })],
    bodyMemory
  })
  const bag = bagOf(64_000)
  t.match(await sendRaw(port, HEAD + chunked(bag, 640)), { status: 200 })
  t.match(await sendRaw(port, HEAD + chunked(bag, 16)), { status: 503 })
})

t.test('whatever becomes of a body, its memory is free again', async t => {
  const authentication = { type: 'bearer', secretVariables: ['TOKEN'] }
  const { app, port } = await buildListening(t, {
    merchants: [
      merchantFile('2A', { publicUrl: '/shop' }),
      merchantFile('1', { id: 'json', publicUrl: '/json', transfer: { authentication } })
    ],
    variables: { TOKEN: 'a'.repeat(32) },
    bodyMemory
  })
  const arrived = watchArrival(app)
  const whole = (reference: string) => begin(0) + bagOf(LARGE, reference)
  const closing = (bytes: string) => bytes.replace('\r\n', '\r\nConnection: close\r\n')
  const status = async (bytes: string) =>
    (await sendRaw(port, closing(bytes)).catch(({ code }) => ({ status: code }))).status
  const chunks = (bytes: number) => HEAD + chunked(bagOf(bytes), 10_000)
  const token = 'Content-Type: application/json\r\nAuthorization: Bearer '
  const endings: [name: string, bytes: string, status: number][] = [
    ['a bag', whole('r-1'), 200],
    ['two on one connection', begin(LARGE) + whole('r-2'), 200],
    ['one in chunks', chunks(LARGE), 200],
    ['one that breaks the contract', begin(0) + 'x'.repeat(LARGE), 400],
    ['one with too long a body', chunks(1_200_000), 413],
    ['chunks that are none', chunks(LARGE).replace(/0\r\n\r\n$/, 'chunk!'), 400],
    ['no secret', begin(LARGE, '/json/cart', 'application/json'), 401],
    ['a secret, and a broken bag', begin(LARGE, '/json/cart').replace(/Content-Type: .*/, token + 'a'.repeat(32)), 400],
    ['another media type', begin(LARGE, '/shop/cart', 'text/plain'), 415],
    ['no such address', begin(LARGE, '/shop/nothing'), 404],
    ['another method', begin(LARGE).replace('POST', 'PUT'), 405],
    ['a page with a body', begin(LARGE, '/healthz').replace('POST', 'GET'), 200],
    ['a head with a body', begin(LARGE, '/shop/checkout/none').replace('POST', 'HEAD'), 404]
  ]
  for (let round = 0; round < 3; round++) {
    for (const [name, bytes, expected] of endings) t.equal(await status(bytes), expected, name)
    const left = send(t, port, begin(LARGE - 1))
    await until('its bytes', () => arrived(left.socket) === begin(LARGE - 1).length)
    left.socket.destroy()
    await left.closed
  }
  const storm = Array.from({ length: 12 }, () => send(t, port, begin(LARGE - 1)))
  await until('most of them refused', () => storm.filter(one => one.isAnswered()).length >= 7)
  for (const one of storm) one.socket.destroy()
  await Promise.all(storm.map(one => one.closed))

  // Were any of that still counted, one of these would be refused.
  const last = Array.from({ length: 5 }, () => send(t, port, begin(LARGE - 1)))
  await until('all', () => last.every(({ socket }) => arrived(socket) === begin(LARGE - 1).length))
  for (const one of last) {
    one.socket.write('x')
    await until('its answer', one.isAnswered)
    t.match(one.answer(), /^HTTP\/1\.1 200 /)
  }
})

t.test('a UCP cart that replaces another takes room like any', async t => {
  const { port } = await buildListening(t, { merchants: [merchantFile('ucp', { publicUrl: '/shop' })], bodyMemory })
  const replacing = begin(LARGE - 1, `/shop/cart/carts/${uuid()}`, 'application/json').replace('POST', 'PUT')
  const storm = Array.from({ length: 12 }, () => send(t, port, replacing))
  await until('most of them refused', () => storm.filter(one => one.isAnswered()).length >= 7)
  t.match(storm.find(one => one.isAnswered())?.answer(), /^HTTP\/1\.1 503 .*retry-after: 5\r\n.*"code":"overloaded"/s)
})

t.test('a bag in progress takes no room from those that arrive', async t => {
  const { hold, release, held } = holdCheckouts()
  const { app, port } = await buildListening(t, {
    merchants: [merchantFile('2A', { publicUrl: '/shop' })],
    bodyMemory,
    store: hold
  })
  const arrived = watchArrival(app)
  const most = begin(310_000)
  const beginOne = async () => {
    const one = send(t, port, most)
    await until('all of it', () => arrived(one.socket) === most.length)
    return one
  }
  const first = await beginOne()
  for (let i = 0; i < 4; i++) await beginOne()
  const whole = send(t, port, begin(LARGE))
  await until('a whole one', () => held() === 1)
  await beginOne()
  release()
  await until('the answer', whole.isAnswered)
  first.socket.write(bagOf(LARGE).slice(310_000))
  await until('that of the first', first.isAnswered)
  for (const one of [whole, first]) t.match(one.answer(), /^HTTP\/1\.1 200 /)
})

t.test('what a refused client goes on sending takes no room', async t => {
  const { app, port } = await buildListening(t, {
    merchants: [merchantFile('2A', { publicUrl: '/shop' })],
    bodyMemory
  })
  const arrived = watchArrival(app)
  const waiting = send(t, port, begin(310_000))
  await until('all of it', () => arrived(waiting.socket) === begin(310_000).length)
  const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  t.teardown(() => client.destroy())
  const chunks = chunked(bagOf(1_200_000), 10_000).slice(0, -'0\r\n\r\n'.length)
  client.write(HEAD + chunks)
  const [answer] = await once(client, 'data')
  t.match(String(answer), /^HTTP\/1\.1 413 /)
  client.write(chunks)
  await until('that, too', () => arrived(client) === (HEAD + chunks + chunks).length)
  waiting.socket.write(bagOf(LARGE).slice(310_000))
  await until('its answer', waiting.isAnswered)
  t.match(waiting.answer(), /^HTTP\/1\.1 200 /)
})

t.test('large bags in progress have room for so many, small ones always', async t => {
  const { hold, release, held } = holdCheckouts()
  const { app } = await build(t, { store: hold, bodyMemory: 5_000_000 })
  const post = (i: number, bytes: number) => {
    const bag = { items: [{ sku: 'MUG', quantity: 1 }], currency: 'GBP', reference: uuid(i), beyond: 'x'.repeat(bytes) }
    return app.inject({
      method: 'POST',
      url: '/shop/cart',
      headers: { 'content-type': 'application/json' },
      payload: JSON.stringify(bag)
    })
  }
  const waiting = [post(1, 450_000), post(2, 450_000)]
  await until('both', () => held() === 2)
  const third = await post(3, 450_000)
  t.match(third, { statusCode: 503, headers: { 'retry-after': '5' } })
  t.match(third.json(), { type: /overloaded$/, detail: /too many large requests/ })
  const ordinary = Array.from({ length: 20 }, (_, i) => post(10 + i, 500))
  await until('them, too', () => held() === 22)
  release()
  for (const { statusCode } of await Promise.all([...waiting, ...ordinary])) t.equal(statusCode, 200)
  t.strictSame(
    (await Promise.all([post(4, 450_000), post(5, 450_000)])).map(({ statusCode }) => statusCode),
    [200, 200]
  )
})
