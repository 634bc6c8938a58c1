// The load generator, against small servers whose answers are known.
import type { RequestListener } from 'node:http'
import type { Test } from 'tap'
import t from 'tap'
import { listen } from '../listen.ts'
import { type Job, runLoad } from './load.ts'
import { percentile, spreadOf } from './meter.ts'
import { type Kind, REFERENCE, writeRequest } from './requests.ts'

const KIND: Kind = {
  name: 'bag',
  requests: [writeRequest({ method: 'GET', path: `/cart?reference=${REFERENCE}` })],
  holds: 'data-sku=',
  times: 2,
  echoes: true
}

const referenceOf = (url = '') => url.replace(/.*=/, '')
const page = (url?: string) => `<li data-sku="A"><li data-sku="B">${referenceOf(url)}`

/** Starts a server, and counts its connections. */
async function serve(t: Test, listener: RequestListener) {
  const { server, port } = await listen(t, listener)
  let connections = 0
  server.on('connection', () => {
    connections += 1
  })
  const job: Job = { port, mode: 'closed', kind: KIND, connections: 4, warmUpSeconds: 0, seconds: 60, count: 200 }
  return { job, connections: () => connections }
}

t.test('every answer is counted, and every request has a reference of its own', async t => {
  const references: string[] = []
  const { job, connections } = await serve(t, ({ url }, response) => {
    references.push(referenceOf(url))
    response.end(page(url))
  })
  const result = await runLoad(job)
  t.equal(result.requests, 200)
  t.equal(result.bytesPerAnswer, page().length + 32)
  t.ok(references.length >= 200)
  t.equal(new Set(references).size, references.length)
  t.ok(references.every(reference => /^[0-9a-f]{32}$/.test(reference)))
  t.equal(connections(), 4)
})

t.test('answers in pieces are read', async t => {
  const { job } = await serve(t, async ({ url, socket }) => {
    const text = page(url)
    const answer = `HTTP/1.1 200 OK\r\nContent-Length: ${text.length}\r\n\r\n${text}`
    for (const [from, to] of [[0, 20], [20, 60], [60]]) {
      socket.write(answer.slice(from, to))
      await new Promise(resolve => setImmediate(resolve))
    }
  })
  t.match(await runLoad({ ...job, count: 20 }), { bytesPerAnswer: page().length + 32 })
})

t.test('a new connection for each request is one', async t => {
  const { job, connections } = await serve(t, ({ url }, response) => response.end(page(url)))
  const requests = [writeRequest({ method: 'GET', path: `/cart?reference=${REFERENCE}` }, 'close')]
  const { requests: answered } = await runLoad({ ...job, mode: 'fresh', kind: { ...KIND, requests } })
  t.equal(answered, 200)
  t.ok(connections() >= 200)
})

t.test('it measures until there are enough answers, however little time was given', async t => {
  const { job } = await serve(t, ({ url }, response) => response.end(page(url)))
  const { count: _count, ...rest } = job
  const { requests } = await runLoad({ ...rest, seconds: 0, least: 500 })
  t.ok(requests >= 500)
})

t.test('a wrong answer fails the run', async t => {
  const wrong: [name: string, listener: RequestListener, message: string][] = [
    ['status', (_request, response) => void response.writeHead(422, { 'content-length': 0 }).end(), 'bag: status 422'],
    ['lines', ({ url }, response) => void response.end(`<li data-sku="A">${referenceOf(url)}`), '1 times instead of 2'],
    ['reference', (_request, response) => void response.end(page('=other')), 'lacks the reference'],
    ['nothing', ({ socket }) => void socket.destroy(), 'closed the connection']
  ]
  for (const [name, listener, message] of wrong) {
    const { job } = await serve(t, listener)
    await t.rejects(runLoad(job), { message: new RegExp(message) }, name)
  }
})

t.test('at a fixed rate nothing that was due is left out, and latency counts from when it was due', async t => {
  let requests = 0
  const { job } = await serve(t, ({ url }, response) => {
    requests += 1
    // The first answer is only to connect. The second is held until everything else has been due.
    if (requests === 2) setTimeout(() => response.end(page(url)), 200)
    else response.end(page(url))
  })
  const { count: _count, ...rest } = job
  const result = await runLoad({ ...rest, mode: 'open', connections: 1, rate: 1000, seconds: 0.1 })
  t.equal(requests, 101)
  t.equal(result.requests, 100)
  t.ok(Number(result.latencies.p50) > 100, 'those that waited for the held one waited as long')
})

t.test('percentiles and medians', async t => {
  const hundred = Array.from({ length: 100 }, (_, i) => i + 1)
  t.equal(percentile(hundred, 0.5), 50)
  t.equal(percentile(hundred, 0.99), 99)
  t.ok(Number.isNaN(percentile([], 0.5)))
  t.strictSame(spreadOf([3, 1, 2]), { median: 2, min: 1, max: 3 })
  t.strictSame(spreadOf([4, 1, 2, 3]), { median: 2.5, min: 1, max: 4 })
})
