// Requests to servers of bare sockets: one that closes at once, however slowly its answer is read, one that is cut off, and
// what else other servers do.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { pipeline, Readable } from 'node:stream'
import { mock } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { brotliCompressSync, Gunzip, gzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { httpFetch } from '../../../src/integrations/outgoing/http-client.ts'
import { AUTHORITY, startTlsServer } from '../../kit/certificates/tls-server.ts'
import { listen } from '../../listen.ts'
import { until } from '../../until.ts'

/** A server that answers each request as soon as it has its head. */
async function serve(t: Test, answer: (socket: Socket) => void): Promise<string> {
  const server = createServer(socket => socket.on('error', () => {}).once('data', () => answer(socket)))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  return `http://127.0.0.1:${(server.address() as { port: number }).port}/`
}

const sends =
  (...parts: (string | Buffer)[]) =>
  (socket: Socket) => {
    for (const part of parts) socket.write(part)
    socket.end()
  }

/** Never aborted: how long a test may take is tap's business. */
const { signal } = new AbortController()

async function readSlowly(response: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk)
    for (let turns = 0; turns < 5; turns++) await setImmediate()
  }
  return Buffer.concat(chunks)
}

const framings: [name: string, answer: (body: Buffer) => (string | Buffer)[]][] = [
  ['HTTP/1.0, to the end of the connection', body => ['HTTP/1.0 200 OK\r\n\r\n', body]],
  [
    'HTTP/1.1 with its length',
    body => [`HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n`, body]
  ],
  [
    'HTTP/1.1 in chunks',
    body => [
      'HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n',
      ...[`${body.length.toString(16)}\r\n`, body, '\r\n0\r\n\r\n']
    ]
  ],
  [
    'HTTP/1.1, packed',
    body => ['HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Encoding: gzip\r\n\r\n', gzipSync(body, { level: 1 })]
  ]
]
for (const [name, answer] of framings) {
  t.test(`a server that closes at once after its answer hurts nobody: ${name}`, async t => {
    for (const size of [100, 70_000, 100_000, 300_000, 1_000_000]) {
      const body = randomBytes(size)
      const url = await serve(t, sends(...answer(body)))
      for (let times = 0; times < 10; times++) {
        const response = await httpFetch(url, { signal })
        // Now all of a small answer is there, and the connection is closed.
        for (let turns = 0; turns < 20; turns++) await setImmediate()
        if (!body.equals(await readSlowly(response))) t.fail(`${size} bytes`)
      }
      const unread = await httpFetch(url, { signal })
      for (let turns = 0; turns < 20; turns++) await setImmediate()
      await unread.body?.cancel()
    }
  })
}

const START = 'HTTP/1.1 200 OK\r\n'
const packed = gzipSync(randomBytes(100_000))

const failures: [name: string, answer: (socket: Socket) => void, code: string | undefined][] = [
  ['less than its length', sends(`${START}Content-Length: 200000\r\n\r\n`, Buffer.alloc(100_000)), 'ECONNRESET'],
  ['chunks without the last', sends(`${START}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n`), 'ECONNRESET'],
  [
    'a connection that is reset',
    socket => socket.write(`${START}\r\nabc`, () => setTimeout(() => socket.resetAndDestroy(), 20)),
    'ECONNRESET'
  ],
  ['a part of what is packed', sends(`${START}Content-Encoding: gzip\r\n\r\n`, packed.subarray(0, 9e4)), 'Z_BUF_ERROR'],
  ['something not packed', sends(`${START}Content-Encoding: gzip\r\n\r\n`, 'id\ttitle'), 'Z_DATA_ERROR'],
  ['nothing', sends(), 'ECONNRESET'],
  ['no HTTP', sends('SSH-2.0-OpenSSH_9.6\r\n'), 'HPE_INVALID_CONSTANT'],
  ['another protocol', sends('HTTP/1.1 101 Over\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'), 'ECONNRESET'],
  [
    'a coding that was not asked for',
    sends(`${START}Content-Encoding: gzip, zstd\r\n\r\n`, 'packed'),
    'ERR_CONTENT_ENCODING'
  ],
  ['nothing of what is packed', sends(`${START}Content-Encoding: gzip\r\nContent-Length: 10\r\n\r\n`), 'ECONNRESET'],
  [
    'a coding that could take 16 MB to unpack',
    sends(`${START}Content-Encoding: br\r\n\r\n`, brotliCompressSync('{}')),
    'ERR_CONTENT_ENCODING'
  ],
  [
    'chunks of a byte, for each of which Node calls',
    sends(`${START}Transfer-Encoding: chunked\r\n\r\n`, '1\r\nx\r\n'.repeat(2000), '0\r\n\r\n'),
    'ERR_TINY_CHUNKS'
  ],
  ['interim answers without end', sends('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(50), `${START}\r\n`), 'ERR_INTERIM'],
  ['no status', sends('HTTP/1.1 099 No\r\n\r\n'), undefined]
]
for (const [name, answer, code] of failures) {
  t.test(`what is no complete answer is an error: ${name}`, async t => {
    const url = await serve(t, answer)
    for (const isSlow of [true, false]) {
      const failure = { name: 'TypeError', message: 'fetch failed', cause: code === undefined ? Error : { code } }
      const read = httpFetch(url, { signal }).then(response => (isSlow ? readSlowly(response) : response.bytes()))
      await t.rejects(read, failure)
    }
  })
}

t.test('a server that cannot be reached, one without TLS, and one whose certificate is not trusted', async t => {
  const plain = await serve(t, sends('no TLS'))
  for (const [url, code] of [
    ['http://127.0.0.1:1/', 'ECONNREFUSED'],
    ['http://localhost:1/', 'ECONNREFUSED'],
    [plain.replace('http:', 'https:'), 'EPROTO'],
    [await startTlsServer(t), 'UNABLE_TO_VERIFY_LEAF_SIGNATURE']
  ] as const) {
    await t.rejects(httpFetch(url, { signal }), { name: 'TypeError', cause: { code } }, url)
  }
})

t.test('the certificate of an authority that Node trusts will do', async t => {
  const known = getCACertificates('default')
  t.teardown(() => setDefaultCACertificates(known))
  setDefaultCACertificates([...known, AUTHORITY])
  const response = await httpFetch(await startTlsServer(t), { signal })
  t.strictSame([response.status, await response.text()], [404, '<p>Nothing here'])
})

t.test('a request is sent as it is given, and its answer is unpacked', async t => {
  const text = 'a shop'.repeat(1000)
  const codings: [coding: string, body: Buffer | string][] = [
    ['gzip', gzipSync(text)],
    ['X-GZIP', gzipSync(text)],
    ['identity', text],
    ['', text]
  ]
  const seen: object[] = []
  const { origin } = await listen(t, async (request, reply) => {
    const [coding = 'identity', body] = codings[seen.length] ?? []
    const { method, url, headers } = request
    seen.push({ method, url, headers, body: (await request.toArray()).join('') })
    reply.writeHead(404, { 'content-encoding': coding, 'set-cookie': ['a=1', 'b=2; Path=/'] }).end(body)
  })
  for (const [coding] of codings) {
    const sent = {
      method: 'POST',
      headers: { accept: 'text/x-bag', 'x-key': 'a key' },
      body: '{"title":"Tasse für Tee"}'
    }
    const response = await httpFetch(new URL(`${origin}/carts?a=%20b#c`), { ...sent, signal })
    t.equal(await response.text(), text, coding)
    t.match(response, { status: 404, ok: false })
    t.strictSame(response.headers.getSetCookie(), ['a=1', 'b=2; Path=/'])
    t.match(seen.at(-1), {
      ...{ method: 'POST', url: '/carts?a=%20b', body: sent.body },
      headers: { ...sent.headers, 'accept-encoding': 'gzip', 'content-length': '26' }
    })
  }
  await httpFetch(origin, { signal })
  t.match(seen.at(-1), { method: 'GET', url: '/', body: '', headers: { accept: '*/*', 'content-length': undefined } })
})

t.test('an empty answer is empty, whatever it is packed as', async t => {
  for (const rest of ['Content-Length: 0\r\n\r\n', 'Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n', '\r\n']) {
    const url = await serve(t, sends(`${START}Content-Encoding: gzip\r\n${rest}`))
    t.equal(await (await httpFetch(url, { signal })).text(), '', rest)
  }
})

/** A server with a status for each request in turn, and the ports that asked it. */
async function serveStatuses(t: Test, ...statuses: number[]) {
  const ports = new Set<number | undefined>()
  const { origin } = await listen(t, ({ socket }, reply) => {
    ports.add(socket.remotePort)
    reply.writeHead(Number(statuses.shift()), { location: '/elsewhere' }).end()
  })
  return { origin, ports }
}

t.test('an answer without a body has none, and its connection is used again', async t => {
  const { origin, ports } = await serveStatuses(t, 204, 304, 205)
  for (const status of [204, 304, 205]) {
    t.match(await httpFetch(origin, { signal }), { status, body: null })
    await setImmediate()
  }
  t.equal(ports.size, 1)
})

t.test('an answer that is cancelled once it is there leaves its connection to the next request', async t => {
  const bodies: [name: string, body: Buffer | string, coding: string][] = [
    ['short', 'thanks', 'identity'],
    ['long', Buffer.alloc(40_000), 'identity']
  ]
  for (const [name, body, coding] of bodies) {
    const ports = new Set<number | undefined>()
    const { origin } = await listen(t, (request, reply) => {
      ports.add(request.socket.remotePort)
      request.resume().on('end', () => reply.writeHead(200, { 'content-encoding': coding }).end(body))
    })
    for (let times = 0; times < 20; times++) {
      const response = await httpFetch(origin, { method: 'POST', body: 'an order', signal })
      // Of what is long, not all is there at once.
      for (let turns = 0; turns < 20 && body.length > 100; turns++) await setImmediate()
      const reader = response.body?.getReader()
      if (times % 2 > 0) await reader?.read().catch(() => {})
      await reader?.cancel().catch(() => {})
      await setImmediate()
    }
    t.equal(ports.size, 1, name)
  }
})

t.test('a packed answer that is cancelled is not unpacked to its end: its connection is closed', async t => {
  const unpacked = mock.method(Gunzip.prototype, 'push')
  t.teardown(() => unpacked.mock.restore())
  const bodies: [name: string, body: Buffer | string][] = [
    ['a bomb, all of which is there', gzipSync(Buffer.alloc(30_000_000))],
    ['not packed at all', 'thanks']
  ]
  for (const [name, body] of bodies) {
    const closed: Promise<unknown>[] = []
    const { origin, server } = await listen(t, (request, reply) => {
      closed.push(new Promise(resolve => request.socket.once('close', resolve)))
      reply.writeHead(500, { 'content-encoding': 'gzip' }).end(body)
    })
    // All of it has arrived, so its connection may be kept.
    if (typeof body === 'string') server.keepAliveTimeout = 1
    for (const isRead of [false, true]) {
      const reader = (await httpFetch(origin, { signal })).body?.getReader()
      if (isRead) await reader?.read().catch(() => {})
      await reader?.cancel().catch(() => {})
    }
    await Promise.all(closed)
    t.equal(closed.length, 2, name)
  }
  const bytes = unpacked.mock.calls.reduce((sum, { arguments: [chunk] }) => sum + (chunk?.length ?? 0), 0)
  t.ok(bytes < 1_000_000, `${bytes} bytes were unpacked`)
})

t.test('redirects are not followed, and a status beyond 599 is an error of the server', async t => {
  const { origin } = await serveStatuses(t, 302, 599, 999)
  for (const status of [302, 599, 599]) {
    const response = await httpFetch(origin, { signal })
    t.match([response.status, await response.text()], [status, ''])
  }
})

t.test('a server that sends faster than its answer is read has to wait', async t => {
  const size = 64 * 1024 * 1024
  let accepted = () => 0
  const url = await serve(t, socket => {
    accepted = () => socket.bytesWritten - socket.writableLength
    socket.write(`${START}\r\n`)
    pipeline(Readable.from(chunksOf(size)), socket, () => {})
  })
  let read = 0
  let ahead = 0
  for await (const { length } of (await httpFetch(url, { signal })).body ?? []) {
    read += length
    await setImmediate()
    ahead = Math.max(ahead, accepted() - read)
  }
  t.equal(read, size)
  // Of which the system itself keeps some megabytes.
  t.ok(ahead < size / 4, `${ahead} bytes`)
})

function* chunksOf(size: number): Generator<Buffer> {
  const chunk = Buffer.alloc(256 * 1024)
  for (let sent = 0; sent < size; sent += chunk.length) yield chunk
}

t.test('an answer may be cancelled as its time ends', async t => {
  const stop = new AbortController()
  const body = Buffer.alloc(3)
  const url = await serve(t, sends(`${START}Content-Length: ${body.length}\r\n\r\n`, body))
  const response = await httpFetch(url, { signal: stop.signal })
  const cancelled = response.body?.cancel()
  stop.abort()
  t.equal(await cancelled, undefined, 'nobody has to catch what nobody waits for')
})

t.test('a signal ends a request, and an answer of which some is still to be read', async t => {
  const whole = sends(`${START}Content-Length: 300000\r\n\r\n`, Buffer.alloc(300_000))
  const beforeIt = new Error('too late')
  await t.rejects(httpFetch(await serve(t, whole), { signal: AbortSignal.abort(beforeIt) }), beforeIt)

  const waiting = new AbortController()
  const silent = await serve(t, () => waiting.abort(beforeIt))
  await t.rejects(httpFetch(silent, { signal: waiting.signal }), beforeIt)

  // Of all sizes: Node may have all of an answer, or not. No part of one may look like all of it.
  for (const size of [3, 30_000, 100_000, 300_000]) {
    for (const sent of [size, size - 1]) {
      for (const chunks of [0, 1]) {
        const stop = new AbortController()
        const url = await serve(t, socket => {
          socket.write(`${START}Content-Length: ${size}\r\n\r\n`)
          socket.write(Buffer.alloc(sent))
        })
        const { body } = await httpFetch(url, { signal: stop.signal })
        const reader = body?.getReader()
        let length = 0
        for (let read = 0; read < chunks; read++) length += (await reader?.read())?.value?.length ?? 0
        for (let turns = 0; turns < 20; turns++) await setImmediate()
        stop.abort(new Error('enough'))
        const rest = async () => {
          for (;;) {
            const { done, value } = (await reader?.read()) ?? {}
            if (done) return length
            length += value?.length ?? 0
          }
        }
        const outcome = await rest().catch(({ message }) => message)
        if (outcome !== 'enough' && outcome !== size) t.fail(`${outcome} of ${size} bytes`)
      }
    }
  }
})

t.test('an answer that is of no use lets go of its connection', async t => {
  for (const head of ['099 No', '205 Reset Content', '200 OK\r\nContent-Encoding: zstd']) {
    let isClosed = false
    const url = await serve(t, socket => {
      socket.on('close', () => {
        isClosed = true
      })
      socket.write(`HTTP/1.1 ${head}\r\n\r\nwithout an end`)
    })
    await httpFetch(url, { signal }).catch(() => {})
    await until(`the end of the connection: ${head}`, () => isClosed, 10_000)
  }
})

t.test('an answer that is cancelled lets go of its connection, read or not, packed or not', async t => {
  const coding = 'Content-Encoding: gzip\r\n'
  for (const head of [START, START + coding]) {
    for (const chunks of [0, 1]) {
      let isClosed = false
      const url = await serve(t, socket => {
        socket.on('close', () => {
          isClosed = true
        })
        socket.write(`${head}\r\n`)
        socket.write(packed)
      })
      const { body } = await httpFetch(url, { signal })
      const reader = body?.getReader()
      if (chunks > 0) await reader?.read()
      await reader?.cancel()
      await until('the end of the connection', () => isClosed)
    }
  }
})
