// Following the feed of an address, of real servers: it is asked again, and whatever it answers, the last good feed stays.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync
} from 'node:fs'
import type { IncomingMessage, RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline, Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { type FollowUrlOptions, followFeedUrl, redirectTarget } from '../../../src/merchant/catalogue/feed-source.ts'
import { listen } from '../../listen.ts'
import { until } from '../../until.ts'
import { feedOf } from './read-products.ts'

/** An interval that ends hardly ever, in milliseconds. */
const NEVER = 1e9

/** A server whose answers a test can change; it stops with the test. */
async function serve(t: Test, answer: RequestListener) {
  const requests: IncomingMessage[] = []
  const state = { answer }
  const { origin, close } = await listen(t, (request, reply) => {
    requests.push(request)
    state.answer(request, reply)
  })
  return { url: `${origin}/feed.tsv`, requests, state, close }
}

/** Answers with a feed and validators, or 304 to who knows it. */
function feedWith(text: string | Buffer, etag?: string): RequestListener {
  return (request, reply) => {
    if (etag !== undefined && request.headers['if-none-match'] === etag) reply.writeHead(304).end()
    else
      reply
        .writeHead(200, etag === undefined ? {} : { etag, 'last-modified': 'Fri, 20 Nov 2026 10:00:00 GMT' })
        .end(text)
  }
}

function* endless(): Generator<string> {
  for (;;) yield `${feedOf('A')}\n`
}

const broken: RequestListener = (_request, reply) => void reply.writeHead(500).end()

/** Not tap's own folder, which is deleted while a feed is still followed. */
function newFolder(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'cart-transfer-feed-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  return folder
}

type Changes = Partial<FollowUrlOptions> & { folder?: string; onLoad?: () => void }

/** Follows an address, with the copy in a folder, by default a new one. */
async function follow(t: Test, url: string, { folder = newFolder(t), onLoad, ...changes }: Changes = {}) {
  const file = join(folder, 'feeds/shop.feed')
  const loads: { products: number; asOf?: Date }[] = []
  const failures: string[] = []
  const unreachable: { reason: string; asOf: Date }[] = []
  let now = Date.parse('2026-11-20T10:00:00Z')
  const catalogue = await followFeedUrl(
    {
      url,
      timeout: 60_000,
      maxBytes: 1e6,
      copy: file,
      interval: 10,
      clock: () => new Date(now),
      ...changes
    },
    {
      onLoad: ({ products, asOf }) => {
        loads.push({ products, ...(asOf && { asOf }) })
        onLoad?.()
      },
      onFailure: ({ message }) => failures.push(message),
      onUnreachable: ({ message }, asOf) => unreachable.push({ reason: message, asOf })
    }
  )
  t.teardown(() => catalogue.close())
  const skus = () => Array.from(catalogue.products(), ({ sku }) => sku).join()
  const tick = (milliseconds: number) => {
    now += milliseconds
  }
  return { catalogue, file, loads, failures, unreachable, skus, tick }
}

t.test('a feed is fetched once, asked for with its validators, and reloaded when it has changed', async t => {
  const { url, requests, state } = await serve(t, feedWith(feedOf('A', 'B'), '"1"'))
  const { skus, loads, catalogue, file, tick } = await follow(t, url)
  t.match(catalogue.product('A'), { sku: 'A' })
  t.match(requests[0]?.headers, { 'user-agent': 'cart-transfer', 'if-none-match': undefined, authorization: undefined })
  tick(60_000)
  await until('two more requests', () => requests.length > 3)
  const validators = { 'if-none-match': '"1"', 'if-modified-since': 'Fri, 20 Nov 2026 10:00:00 GMT' }
  for (const { headers } of requests.slice(1)) t.match(headers, validators)
  t.equal(loads.length, 1)
  t.equal(statSync(file).mtime.toISOString(), '2026-11-20T10:01:00.000Z', 'the copy is as old as the last answer')
  rmSync(file)
  state.answer = feedWith(feedOf('C'), '"2"')
  await until('the new feed', () => skus() === 'C')
  t.strictSame(readdirSync(join(file, '..')), ['shop.feed'])
  rmSync(file)
  await until('a copy again', () => readdirSync(join(file, '..')).includes('shop.feed'))
})

t.test('replicas ask at the same moments, whenever they started, and other merchants at other ones', async t => {
  const { url, requests } = await serve(t, feedWith(feedOf('A'), '"1"'))
  const minute = 60_000
  const interval = 15 * minute
  const timers = t.capture(globalThis, 'setTimeout', setTimeout)
  const startedAt = async (time: string, name = 'shop') => {
    timers()
    const started = Date.parse(`2026-11-20T${time}Z`)
    const copy = join(newFolder(t), `${name}.feed`)
    await follow(t, url, { interval, copy, clock: () => new Date(started) })
    const wait = timers().find(({ args: [, wait] }) => Number(wait) > 0 && Number(wait) <= interval)?.args[1]
    return (started + Number(wait)) / minute
  }
  const first = await startedAt('10:00')
  const second = await startedAt('10:07:30')
  t.equal((second - first) % 15, 0)
  t.ok(second - first <= 15)
  t.not(((await startedAt('10:00', 'other')) - first) % 15, 0)
  t.equal(requests.length, 3)
})

t.test('a restart needs no network: the copy is used, and the address asked', async t => {
  const folder = newFolder(t)
  // Several chunks of a file.
  const many = Array.from({ length: 5000 }, (_, i) => `SKU-${i}`)
  const { url, requests, state, close } = await serve(t, feedWith(feedOf(...many), '"1"'))
  const first = await follow(t, url, { folder })
  await first.catalogue.close()

  const count = requests.length
  const second = await follow(t, url, { folder })
  t.match(second.loads, [{ products: 5000, asOf: new Date('2026-11-20T10:00:00Z') }])
  await until('a request', () => requests.length > count)
  t.equal(requests.at(-1)?.headers['if-none-match'], '"1"')
  state.answer = feedWith(gzipSync(feedOf('C')), '"2"')
  await until('the new feed', () => second.skus() === 'C')
  await second.catalogue.close()

  close()
  const third = await follow(t, url, { folder })
  t.equal(third.skus(), 'C')
  await until('the report', () => third.unreachable.length > 1)
  t.match(third.unreachable[0], {
    reason: 'the connection failed: ECONNREFUSED',
    asOf: new Date('2026-11-20T10:00:00Z')
  })
})

t.test('without network and without a copy of this address there is no start', async t => {
  const folder = newFolder(t)
  const { url, close } = await serve(t, feedWith(feedOf('A')))
  const { catalogue, file } = await follow(t, url, { folder })
  await catalogue.close()
  close()
  const [head = ''] = readFileSync(file, 'utf8').split('\n')
  const refused = { message: 'the connection failed: ECONNREFUSED' }
  await t.rejects(follow(t, url.replace('feed', 'other'), { folder }), refused, 'a copy of another address')
  for (const content of [`${head}\nno feed`, '', 'no head\n', 'null\n', `{"address":"x"}\n${feedOf('A')}`]) {
    writeFileSync(file, content)
    await t.rejects(follow(t, url, { folder }), refused, content)
  }
})

t.test('whatever the address answers, the last good feed stays in use, and it is asked again', async t => {
  const { url, state } = await serve(t, feedWith(feedOf('A', 'B', 'C', 'D'), '"1"'))
  const { skus, unreachable, file } = await follow(t, url, { maxShrink: 50, maxBytes: 10_000 })
  const answers: [reason: string, answer: RequestListener][] = [
    ['answered 500', broken],
    ['answered 401: set catalogue.credentialsVariable', (_request, reply) => void reply.writeHead(401).end('no')],
    ['the connection failed: ECONNRESET', request => void request.socket.destroy()],
    [
      'the connection failed: ECONNRESET',
      (request, reply) => {
        reply.writeHead(200, { 'content-length': 1000 })
        reply.write(feedOf('X'), () => request.socket.destroy())
      }
    ],
    [
      'the connection failed: ECONNRESET',
      (request, reply) => void reply.writeHead(200).write(feedOf('X'), () => request.socket.end())
    ],
    [
      'the connection failed: Z_DATA_ERROR',
      (_request, reply) => void reply.writeHead(200, { 'content-encoding': 'gzip' }).end(feedOf('X'))
    ],
    ['the connection failed: unknown', request => void request.socket.end('HTTP/1.1 099 No\r\n\r\n')]
  ]
  for (const [reason, answer] of answers) {
    unreachable.length = 0
    state.answer = answer
    await until(reason, () => unreachable.at(-1)?.reason === reason && unreachable.length > 1)
    t.equal(skus(), 'A,B,C,D', reason)
  }
  t.strictSame(readdirSync(join(file, '..')), ['shop.feed'], 'no part is left')
  state.answer = feedWith(feedOf('A', 'B'))
  await until('the new feed', () => skus() === 'A,B')
})

t.test('a connection that fails is tried once more, within the same time; an answer is an answer', async t => {
  const { url, state, requests } = await serve(t, feedWith(feedOf('A')))
  const failing: [what: string, fail: RequestListener][] = [
    ['closed before the answer', request => void request.socket.destroy()],
    ['closed in the middle of it', (request, reply) => void reply.write('id\t', () => request.socket.destroy())]
  ]
  for (const [what, fail] of failing) {
    state.answer = (request, reply) => {
      fail(request, reply)
      state.answer = feedWith(feedOf('A', 'B'))
    }
    const before = requests.length
    const { skus, unreachable, catalogue, file } = await follow(t, url, { interval: NEVER })
    t.strictSame([skus(), requests.length - before, unreachable], ['A,B', 2, []], what)
    t.strictSame(readdirSync(join(file, '..')), ['shop.feed'], 'no part is left')
    await catalogue.close()
    state.answer = fail
    await t.rejects(follow(t, url), { message: 'the connection failed: ECONNRESET' }, `${what}, twice`)
    t.equal(requests.length - before, 4)
  }
  const before = requests.length
  state.answer = broken
  await t.rejects(follow(t, url), { message: 'answered 500' })
  state.answer = request => {
    state.answer = () => {}
    request.socket.destroy()
  }
  await t.rejects(follow(t, url, { timeout: 200 }), { message: 'not fetched within 0.2 s' })
  t.equal(requests.length - before, 3)
})

t.test('a server that closes at once after its answer is read like any other, every time', async t => {
  const many = Array.from({ length: 5000 }, (_, i) => `SKU-${i}`)
  const feed = feedOf(...many)
  const { url } = await serve(t, ({ socket }) => void socket.end(`HTTP/1.0 200 OK\r\n\r\n${feed}`))
  for (let times = 0; times < 20; times++) {
    const { loads, catalogue } = await follow(t, url, { interval: NEVER })
    t.match(loads, [{ products: 5000 }])
    await catalogue.close()
  }
})

t.test('an answer that is no feed, too large or too short is refused and reported once', async t => {
  const folder = newFolder(t)
  const { url, state, requests } = await serve(t, feedWith(feedOf('A', 'B', 'C', 'D'), '"1"'))
  const { skus, failures, unreachable, file, catalogue, tick } = await follow(t, url, {
    folder,
    maxShrink: 50,
    maxBytes: 10_000
  })
  const zeros = gzipSync(Buffer.alloc(1e6))
  const large = 'it is larger than 10000 bytes; raise catalogue.maxMegabytes'
  const answers: [message: RegExp | string, answer: RequestListener][] = [
    ['it is a web page, not a feed', feedWith('<!doctype html>', '"html"')],
    [/^of the 4 products that can be bought in GBP, 1 would keep a price/, feedWith(feedOf('A'), '"short"')],
    [large, (_request, reply) => void pipeline(Readable.from(endless()), reply, () => {})],
    ['the file is empty', feedWith('')],
    [large, feedWith(zeros)],
    [/^the first line names no id/, feedWith('no feed')],
    [large, (_request, reply) => void reply.writeHead(200, { 'content-encoding': 'gzip' }).end(zeros)]
  ]
  for (const [message, answer] of answers) {
    const before = failures.length
    state.answer = answer
    await until(String(message), () => failures.length > before)
    tick(60_000)
    const count = requests.length
    await until('two more requests', () => requests.length > count + 2)
    t.match(failures.slice(before), [message])
    t.equal(failures.length, before + 1, 'it is reported once')
  }
  t.equal(skus(), 'A,B,C,D')
  t.strictSame(unreachable, [])
  await catalogue.close()
  state.answer = feedWith(feedOf('A'))
  const again = await follow(t, url, { folder, maxShrink: 50 })
  await until('the report', () => again.failures.length > 0)
  t.match(
    again.failures,
    [/^of the 4 products .*; if that is right, raise catalogue\.maxShrink and restart$/],
    'the copy is in use'
  )
  t.equal(again.skus(), 'A,B,C,D', 'the copy is that of the last good one')
  t.equal(statSync(file).mtime.toISOString(), '2026-11-20T10:00:00.000Z')
})

t.test('a server that does not answer in time is given up', async t => {
  const { url, state, requests } = await serve(t, () => {})
  await t.rejects(follow(t, url, { timeout: 100 }), { message: 'not fetched within 0.1 s' })
  state.answer = (_request, reply) => void reply.writeHead(200).write('id\t')
  await t.rejects(follow(t, url, { timeout: 200 }), { message: 'not fetched within 0.2 s' }, 'in the middle of a feed')
  state.answer = (_request, reply) => void reply.writeHead(304).end()
  await t.rejects(follow(t, url), { message: 'answered 304' }, 'unasked')
  t.equal(requests.length, 3)
})

t.test('redirects are followed, and the login goes to the address itself only', async t => {
  const other = await serve(t, feedWith(feedOf('A')))
  const own = await serve(t, (request, reply) => {
    const location = request.url === '/feed.tsv' ? '/moved' : other.url
    reply.writeHead(request.url === '/feed.tsv' ? 301 : 307, { location }).end('moved')
  })
  const { skus } = await follow(t, own.url, { credentials: 'ada:pässword', interval: NEVER })
  t.equal(skus(), 'A')
  const authorization = `Basic ${Buffer.from('ada:pässword').toString('base64')}`
  t.strictSame(
    [...own.requests, ...other.requests].map(({ url, headers }) => [url, headers.authorization]),
    [
      ['/feed.tsv', authorization],
      ['/moved', authorization],
      ['/feed.tsv', undefined]
    ]
  )
  own.state.answer = (_request, reply) => void reply.writeHead(302, { location: '/feed.tsv' }).end()
  await t.rejects(follow(t, `${own.url}?2`), { message: 'redirected more than 5 times' })
  own.state.answer = (_request, reply) => void reply.writeHead(302).end()
  await t.rejects(follow(t, `${own.url}?3`), { message: 'redirected more than 5 times' }, 'without a location')
})

t.test('a redirect never leads from https to http, to an address with a login, or to anything else', t => {
  const target = (from: string, location: string) => redirectTarget(new URL(from), location).href
  for (const login of ['ada:s3cret', 'ada', ':s3cret']) {
    const message = 'redirected to an address with a login'
    t.throws(() => target('https://a.example/x', `https://${login}@a.example/y`), { message }, login)
  }
  t.equal(target('https://a.example/x', '/y'), 'https://a.example/y')
  t.equal(target('https://a.example/x', 'https://b.example/y'), 'https://b.example/y')
  t.equal(target('http://127.0.0.1/x', 'http://127.0.0.2/y'), 'http://127.0.0.2/y')
  for (const [url, location] of [
    ['https://a.example/', 'http://a.example/'],
    ['http://a.example/', 'file:///etc/passwd'],
    ['http://a.example/', 'http://']
  ] as const) {
    t.throws(() => target(url, location), { message: 'redirected to an address without https' }, location)
  }
  t.end()
})

t.test('after close nothing is asked, and a download in progress leaves nothing behind', async t => {
  const { url, state, requests } = await serve(t, feedWith(feedOf('A')))
  const { catalogue, file, unreachable, failures, loads } = await follow(t, url)
  const count = requests.length
  state.answer = (_request, reply) => void reply.writeHead(200).write('id\t')
  const isPart = () => readdirSync(join(file, '..')).some(name => name.endsWith('.part'))
  await until('a download', () => requests.length > count && isPart())
  await catalogue.close()
  t.strictSame({ parts: isPart(), unreachable, failures }, { parts: false, unreachable: [], failures: [] })
  const after = requests.length
  const loaded = loads.length
  await catalogue.close()
  t.strictSame([requests.length, loads.length], [after, loaded])
})

t.test('parts that killed processes left are deleted, and those that may still be written are not', async t => {
  const folder = newFolder(t)
  const { url } = await serve(t, feedWith(feedOf('A')))
  const feeds = join(folder, 'feeds')
  mkdirSync(feeds)
  const minute = 60_000
  const parts: [name: string, age: number, isLeft: boolean][] = [
    ['shop.feed.older-than-a-download-and-ten-minutes.part', 12 * minute, true],
    ['shop.feed.a-host.7.of-an-earlier-version.part', 12 * minute, true],
    ['shop.feed.younger.part', 10 * minute, false],
    ['shop.feed.new.part', 0, false],
    ['other.feed.old.part', 12 * minute, false]
  ]
  for (const [name, age] of parts) {
    writeFileSync(join(feeds, name), '')
    const changed = new Date(Date.now() - age)
    utimesSync(join(feeds, name), changed, changed)
  }
  await follow(t, url, { folder, interval: NEVER })
  const kept = parts.flatMap(([name, , isLeft]) => (isLeft ? [] : [name]))
  t.strictSame(readdirSync(feeds).sort(), ['shop.feed', ...kept].sort())
})

t.test('a copy that cannot be written keeps the feed in use, and it is fetched again', async t => {
  const folder = newFolder(t)
  const feeds = join(folder, 'feeds')
  const { url, state } = await serve(t, feedWith(feedOf('A'), '"1"'))
  let onLoad = () => {}
  const { skus, unreachable } = await follow(t, url, { folder, onLoad: () => onLoad() })
  const reports = (reason: RegExp) => unreachable.filter(report => reason.test(report.reason)).length
  rmSync(feeds, { recursive: true })
  writeFileSync(feeds, 'a file in the place of the folder')
  await until('the report', () => reports(/EEXIST|ENOTDIR/) > 0)
  t.equal(skus(), 'A')
  rmSync(feeds)
  await until('a copy again', () => existsSync(join(feeds, 'shop.feed')))

  onLoad = () => {
    rmSync(feeds, { recursive: true })
    onLoad = () => {}
  }
  state.answer = feedWith(feedOf('B'), '"2"')
  await until('the new feed', () => skus() === 'B')
  t.equal(reports(/ENOENT/), 1)
})
