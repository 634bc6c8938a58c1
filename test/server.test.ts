// The server as an operator runs it: a process that starts, prints its addresses, reports what prevents a start, and
// stops.
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import t from 'tap'
import { openSqlite } from '../src/store/sqlite/sqlite-store.ts'
import { merchantFile, uuid } from './build.ts'
import { listen } from './listen.ts'
import { elements } from './pages/read-page.ts'
import { bagOf, openCheckout, sendBag, shopFolder, startShop } from './running-shop.ts'
import { HELD_DRAIN, spawnServer, startServer } from './server-process.ts'
import { newOrder, place } from './store/new-order.ts'
import { until } from './until.ts'

const HAS_CURL = !spawnSync('curl', ['--version']).error

/** Shortens every interval, so that feeds are polled and the store is cleaned up within moments. */
const SHORT_INTERVALS = `
  const { setInterval } = globalThis
  globalThis.setInterval = (work, time, ...rest) => setInterval(work, Math.min(time, 20), ...rest)`

/** The words of a command line, as a shell splits them. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/(?:'[^']*'|\\'|[^\s'\\])+/g)].map(([word]) =>
    word.replace(/'([^']*)'|\\(')/g, (_, quoted, escaped) => quoted ?? escaped)
  )
}

/** Runs a curl line in a shell, or sends the same request if curl is not installed. */
async function runCurl(line: string): Promise<{ status: number; body: string }> {
  if (HAS_CURL) {
    const env = { ...process.env, no_proxy: '*' }
    const { stdout } = spawnSync('sh', ['-c', `${line} -s -w '\n%{http_code}'`], { encoding: 'utf8', env })
    const end = stdout.lastIndexOf('\n')
    return { status: Number(stdout.slice(end + 1)), body: stdout.slice(0, end) }
  }
  const words = wordsOf(line)
  const after = (flag: string) => words[words.indexOf(flag) + 1] ?? ''
  const headers = Object.fromEntries(words.flatMap((word, i) => (words[i - 1] === '-H' ? [word.split(': ')] : [])))
  const request = words.includes('-X') ? { method: 'POST', headers, body: after('--data-raw') } : {}
  const response = await fetch(words.at(-1) ?? '', request)
  return { status: response.status, body: await response.text() }
}

/** The lines of a checkout page as `SKU × quantity`. */
function linesOf(page: string): string[] {
  return elements(page).flatMap(({ attributes }) =>
    attributes['data-sku'] === undefined ? [] : `${attributes['data-sku']} × ${attributes['data-quantity']}`
  )
}

/** The lines of a page of Orchard Lane's own shop. */
function articlesOf(page: string): string[] {
  const found = page.matchAll(/data-article="([^"]+)".*?class="count">(\d+)</gs)
  return Array.from(found, ([, sku, quantity]) => `${sku} × ${quantity}`)
}

/** Runs a merchant's curl line, follows a description, and reads the lines of the page. */
async function linesAfter(line: string, origin: string, path: string): Promise<string[]> {
  const { status, body } = await runCurl(line)
  if (status > 201) return [`${status}: ${body.slice(0, 400)}`]
  if (!body.startsWith('{')) return linesOf(body)
  const { httpMethod, url, body: token = '', continue_url: next } = JSON.parse(body)
  if (next) return linesOf(await (await fetch(next)).text())
  // A page of the merchant's own shop.
  if (httpMethod === 'GET') return articlesOf(await (await fetch(url)).text())
  return linesOf(await (await fetch(`${origin}${path}/checkout/${token.slice('token='.length)}`)).text())
}

t.test(
  'without a merchant file, the demo shops are served, and each is printed with its option, URL and curl line',
  async t => {
    const { origin, printed, stop, output } = await startServer(t, { folder: t.testdir({}), coverage: true })
    t.match(origin, /^http:\/\/127\.0\.0\.1:\d+$/)
    t.strictSame(
      printed.map(({ name, option, address }) => [name, option, address]),
      [
        ['Harbour Goods', '1, API Endpoint Integration', `${origin}/harbour/cart`],
        ['Harbour Goods', 'meta, Meta Checkout URL', `${origin}/harbour/meta`],
        ['Harbour Goods', 'permalink, UCP Permalink', `${origin}/harbour/buy`],
        ['Harbour Goods', 'ucp, UCP Cart', `${origin}/harbour/ucp`],
        ['喫茶みなと', '2B, HTTP Get Request', `${origin}/kissa/cart`],
        ['Orchard Lane', '1, API Endpoint Integration', `${origin}/orchard/cart`],
        ['Werft & Faden', '2A, HTTP Post Request', `${origin}/werft/cart`]
      ]
    )
    const lines = await Promise.all(
      printed.map(({ curl, address }) => linesAfter(curl, origin, `/${address.split('/')[3]}`))
    )
    t.strictSame(lines, [
      ...Array(4).fill(['HG-MUG-SEAGLASS × 1', 'HG-MUG-CAPTAIN × 2']),
      ['KM-0001 × 1', 'KM-0002 × 2'],
      ['OL-JUICE × 1', 'OL-CHUTNEY × 2'],
      ['WF-1042 × 1', 'WF-1051 × 2']
    ])
    const orchard = printed.find(({ name }) => name === 'Orchard Lane')
    const { url } = JSON.parse((await runCurl(String(orchard?.curl))).body)
    t.match(await (await fetch(url, { method: 'POST' })).text(), /<title>Order complete/)
    t.match(await stop(), { code: 0 })
    const { out, err } = output()
    t.match(err, /^\nHarbour Goods: .+\nSimulator: .+\/simulator\?key=.+\n$/s, 'addresses are on standard error')
    t.match(err, `\nOrchard Lane's own shop, which its bags lead to\n  ${new URL(url).origin}\n`)
    const logged = out
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line).msg)
    for (const msg of logged) t.type(msg, 'string', 'the log is JSON only')
    t.ok(logged.includes('order reported'), 'the shop takes orders and reports them')
  }
)

t.test('a merchant with a public URL prints it, and a curl line that goes to this process', async t => {
  const folder = shopFolder(t, {
    'shop.json': merchantFile('1', { publicUrl: 'https://shop.example/app', checkout: { path: '/pay' } })
  })
  // The server listens on every address; its curl line has one that can be reached.
  const { origin, printed } = await startServer(t, { folder, args: ['shop.json'], env: { HOST: '0.0.0.0' } })
  const [{ address = '', curl = '' } = {}] = printed
  t.equal(address, 'https://shop.example/app/cart')
  t.match(origin, /^http:\/\/127\.0\.0\.1:\d+$/)
  t.match(curl, new RegExp(` '${origin}/app/cart'$`))
  const { status, body } = await runCurl(curl)
  t.match({ status, answer: JSON.parse(body) }, { status: 200, answer: { url: 'https://shop.example/app/pay' } })
})

t.test('a curl line can be pasted into a shell, whatever the SKUs are', async t => {
  const skus = ['it\'s $(touch x) `id` \\ "!" %41', 'ソ-☕ [a-b]{1,2} &=+?#;|<>*']
  const rows = skus.map(sku => `"${sku.replaceAll('"', '""')}"\tT\t1 GBP\tin_stock`)
  const feed = ['id\ttitle\tprice\tavailability', 'SOLD\tT\t1 GBP\tout_of_stock', 'USD\tT\t1 USD\tin_stock', ...rows]
  const files = Object.fromEntries(
    ['1', '2A', '2B'].map(option => {
      const id = option.toLowerCase()
      // Nothing in the feed can be bought in the first currency.
      return [`${id}.json`, merchantFile(option, { id, publicUrl: `/${id}`, currencies: ['EUR', 'GBP'] })]
    })
  )
  const folder = shopFolder(t, files, [...feed, 'MORE\tT\t1 GBP\tin_stock'].join('\n'))
  const { origin, printed } = await startServer(t, { folder, args: Object.keys(files) })
  for (const { option, curl, address } of printed) {
    const lines = await linesAfter(curl, origin, new URL(address).pathname.slice(0, -'/cart'.length))
    t.strictSame(lines, [`${skus[0]} × 1`, `${skus[1]} × 2`], option)
  }
})

t.test('without DATABASE_URL the database is in data/; without a log the merchants are still printed', async t => {
  const folder = shopFolder(t)
  const env = { DATABASE_URL: undefined, LOG_LEVEL: 'silent' }
  const { origin, logs, printed, stop } = await startShop(t, { folder, cwd: folder, env })
  t.equal((await sendBag(origin, bagOf(uuid(1)))).status, 200)
  t.match(await stop(), { code: 0 })
  t.ok(existsSync(join(folder, 'data/cart-transfer.sqlite')))
  t.strictSame({ logs: logs(), printed: printed.length }, { logs: [], printed: 1 })
})

t.test('compiled code is kept for the next start as soon as the server listens', async t => {
  const folder = shopFolder(t)
  const compiled = join(folder, 'compiled')
  const { stop } = await startShop(t, { folder, env: { NODE_COMPILE_CACHE: compiled } })
  const files = () => readdirSync(compiled, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
  await until('compiled code', () => existsSync(compiled) && files().length > 0)
  // Before its folder is deleted, into which it may still write.
  await stop()
})

t.test('a start that cannot succeed ends with 1 and says what to do, without a stack', async t => {
  const folder = shopFolder(t, {
    'shop.json': merchantFile('1', { publicUrl: '/shop' }),
    'colour.json': { colour: 'blue', ...merchantFile('1') },
    'comment.json': '// a shop\n{}',
    'no-feed.json': { ...merchantFile('1'), catalogue: { feed: 'nowhere.tsv' } }
  })
  mkdirSync(join(folder, 'a-folder'))
  const { port } = await listen(t, () => {})

  const cases: [cause: string, args: string[], env: Record<string, string>, message: RegExp, isCovered?: true][] = [
    ['a missing file', ['gone.json'], {}, /gone\.json: there is no such file; give the path of a merchant file/],
    [
      'a file that is not JSON',
      ['comment.json'],
      {},
      /comment\.json:1: column 1: unexpected "\/"; give a merchant file in plain JSON: /
    ],
    ['a file with a mistake', ['colour.json'], {}, /colour\.json:2: colour: unknown key; leave it out/],
    ['a bad environment', ['shop.json'], { PORT: 'x', LOG_LEVEL: 'y' }, /PORT is "x"; it must .*\nLOG_LEVEL is "y"/],
    ['no feed', ['no-feed.json'], {}, /catalogue\.feed: .*nowhere\.tsv: there is no such file; give/],
    [
      'an unknown flag',
      ['shop.json', '--verbose\u202e'],
      {},
      /^--verbose\\u\{202e\} is not a merchant file; give paths of merchant files here, and settings such as PORT in the environment$/m,
      true
    ],
    ['a port in use', ['shop.json'], { PORT: String(port) }, /EADDRINUSE.*PORT/, true],
    ['an address of another machine', ['shop.json'], { HOST: '192.0.2.1' }, /EADDRNOTAVAIL.*HOST/],
    [
      'a database that is a folder',
      ['shop.json'],
      { DATABASE_URL: `sqlite:${join(folder, 'a-folder')}` },
      /DATABASE_URL.*; give a file that/,
      true
    ]
  ]
  await Promise.all(
    cases.map(async ([cause, args, env, message, isCovered = false]) => {
      const { exited, output } = spawnServer(t, { folder, args, env, coverage: isCovered })
      const { code } = await exited
      const { err } = output()
      t.match(err, /^cart-transfer cannot start:\n/, `${cause}: the message`)
      t.match(err, message, `${cause}: what to do`)
      t.strictSame(
        { code, stack: /^\s+at /m.test(err), curl: /curl/.test(err) },
        { code: 1, stack: false, curl: false },
        cause
      )
    })
  )
})

t.test('a bug in the program is printed with its stack', async t => {
  const folder = shopFolder(t)
  const preload = 'process.stdout.on = () => { throw new Error("a mistake\\u009b") }'
  const { exited, output } = spawnServer(t, { folder, args: ['shop.json'], preload, coverage: true })
  t.match(await exited, { code: 1 })
  t.match(output().err, /Error: a mistake\\u\{9b\}\n\s+at /)
})

/** Opens a connection and sends half of a request, after the server has asked for the body. */
async function beginRequest(port: number, body: string) {
  const socket = connect(port, '127.0.0.1')
  let answer = ''
  socket.setEncoding('utf8').on('data', text => {
    answer += text
  })
  const closed = new Promise<void>(resolve => socket.on('close', () => resolve()))
  const head = `POST /shop/cart HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`
  socket.write(`${head}\r\nExpect: 100-continue\r\n\r\n`)
  await until('the server to accept the request', () => answer.includes('100 Continue'))
  socket.write(body.slice(0, 20))
  /** Sends the rest. @returns everything that is answered until the server closes the connection */
  const finish = async () => {
    socket.write(body.slice(20))
    await closed
    return answer
  }
  return { finish, socket }
}

function isListening(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })
}

t.test('SIGTERM: requests in progress are answered, then the store is closed', async t => {
  const { origin, child, exited, output, logs } = await startShop(t, { coverage: true })
  const file = join(t.testdirName, 'shop.sqlite')
  const port = Number(new URL(origin).port)
  const begun = await beginRequest(port, bagOf(uuid(2)))
  child.kill('SIGTERM')
  await until('the server to stop listening', async () => !(await isListening(port)))
  const answer = await begun.finish()
  t.match(answer, /\r\n\r\nHTTP\/1\.1 200 OK\r\n/)
  t.match(answer, /\r\nconnection: close\r\n/i, 'the client need not close its connection first')
  t.strictSame(await exited, { code: 0, signal: null })
  t.notMatch(output().err, /error|warning/i)
  t.match(
    logs().find(({ msg }) => msg === 'database created'),
    { level: 30, file }
  )

  const left = ['-wal', '-shm'].filter(suffix => existsSync(file + suffix))
  t.strictSame(left, [], 'no other file of the database is left')
  const store = openSqlite(file)
  t.teardown(() => store.close())
  const [, token = ''] = /"token=([^"]+)"/.exec(answer) ?? []
  t.match(await store.findCheckout('shop', token), { cart: { reference: uuid(2) } }, 'the answered transfer is stored')
})

t.test('stopping does not wait for idle connections', async t => {
  const { origin, stop } = await startShop(t)
  const used = await sendBag(origin, bagOf(uuid(1)))
  t.match(await used.json(), { httpMethod: 'POST' }, 'one connection is kept alive after a response')
  const silent = connect(Number(new URL(origin).port), '127.0.0.1')
  let answer = ''
  silent.setEncoding('utf8').on('data', text => {
    answer += text
  })
  const closed = once(silent, 'close')
  t.teardown(() => silent.destroy())
  await new Promise<void>(resolve => silent.on('connect', () => resolve()))
  // Connections are accepted in order: this response means that the silent one was accepted.
  t.equal((await fetch(`${origin}/healthz`, { headers: { connection: 'close' } })).status, 200)
  t.strictSame(await stop(), { code: 0, signal: null })
  await closed
  t.equal(answer, '', 'it was closed, and not answered 408 after a timeout')
})

t.test('after SIGTERM, new connections are still answered for a while; after Ctrl-C, they are not', async t => {
  const folder = shopFolder(t, {
    'shop.json': merchantFile('1', { publicUrl: '/shop', theme: { logo: 'logo.svg' } }),
    'logo.svg': '<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0h9v9z"/></svg>'
  })
  const terminated = await startShop(t, {
    folder,
    env: { DRAIN_SECONDS: '60', RATE_LIMIT: '1000', npm_lifecycle_event: undefined },
    preload: HELD_DRAIN,
    coverage: true
  })
  t.equal((await fetch(`${terminated.origin}/readyz`)).status, 200)
  terminated.child.kill('SIGTERM')
  await until('it to say so', async () => (await fetch(`${terminated.origin}/readyz`)).status === 503)
  const bag = await sendBag(terminated.origin, bagOf(uuid(1)))
  t.match(bag, { status: 200 })
  t.equal(bag.headers.get('connection'), 'close')
  terminated.child.kill('SIGWINCH')
  t.strictSame(await terminated.exited, { code: 0, signal: null })
  t.match(
    terminated.logs().filter(({ level }) => level === 40),
    [
      { msg: 'logo hardly visible on the page', merchant: 'shop', mode: 'dark' },
      { msg: /^RATE_LIMIT without TRUSTED_PROXIES/ }
    ]
  )

  const interrupted = await startShop(t, { env: { DRAIN_SECONDS: '60' } })
  interrupted.child.kill('SIGINT')
  t.strictSame(await interrupted.exited, { code: 0, signal: null })
})

t.test('a second signal ends the server at once', async t => {
  const { origin, child, exited, logs } = await startShop(t, { coverage: true })
  const port = Number(new URL(origin).port)
  const { socket } = await beginRequest(port, bagOf(uuid(1)))
  socket.on('error', () => {})
  child.kill('SIGTERM')
  await until('the server to stop listening', async () => !(await isListening(port)))
  // One that follows at once is the same, passed on by npm.
  await until('the second signal to count', () => {
    child.kill('SIGTERM')
    return child.exitCode !== null
  })
  t.strictSame(await exited, { code: 1, signal: null })
  t.match(logs().at(-1), { level: 50, msg: 'second signal, exiting' })
})

t.test('an uncaught error stops the server gracefully, with exit code 1', async t => {
  const preload = "process.on('SIGWINCH', () => { throw new Error('nobody caught this') })"
  const { origin, child, exited, logs } = await startShop(t, { preload, coverage: true })
  t.equal((await sendBag(origin, bagOf(uuid(1)))).status, 200)
  child.kill('SIGWINCH')
  t.strictSame(await exited, { code: 1, signal: null })
  t.match(logs().slice(-2), [
    { level: 60, msg: 'stopping after an error', err: { message: 'nobody caught this' } },
    { level: 30, msg: 'stopped' }
  ])
  t.notOk(existsSync(join(t.testdirName, 'shop.sqlite-wal')), 'the store was closed')
})

t.test('the log has no token or client address', async t => {
  const { origin, logs, stop } = await startShop(t)
  const headers = { 'X-Forwarded-For': '203.0.113.7', Forwarded: 'for=203.0.113.7' }
  const path = await openCheckout(origin, bagOf(uuid(1)))
  const token = path.split('/').at(-1) ?? ''
  const requests: [path: string, request?: RequestInit][] = [
    [path],
    ['/shop/checkout', { method: 'POST', body: new URLSearchParams({ token }) }],
    [path, { method: 'DELETE' }],
    [`${path}/%zz`],
    [`/nowhere?token=${token}`]
  ]
  for (const [path, request] of requests) await (await fetch(origin + path, { headers, ...request })).text()
  t.match(await stop(), { code: 0 })
  t.ok(logs().some(({ msg }) => msg === 'transfer'))
  const text = logs()
    .filter(({ msg }) => !String(msg).startsWith('Server listening at'))
    .map(entry => JSON.stringify(entry))
    .join('\n')
  for (const secret of [token, '203.0.113.7', '127.0.0.1', '::1', 'remoteAddress']) {
    t.notOk(text.includes(secret), `the log does not contain ${secret}`)
  }
})

t.test('a log reader that pauses does not stop the server, and gets every line in the end', async t => {
  const folder = shopFolder(t, { 'shop.json': merchantFile('2A', { publicUrl: '/shop' }) })
  const { origin, child, logs } = await startServer(t, { folder, args: ['shop.json'] })
  child.stdout?.pause()
  // A line in the log has the prices that could not be read, so that few lines fill the pipe.
  const line = (i: number) => `items[${i}][sku]=MUG&items[${i}][quantity]=1&items[${i}][price]=${'x'.repeat(40)}`
  const lines = Array.from({ length: 50 }, (_, i) => line(i)).join('&')
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  for (let i = 0; i < 150; i++) {
    const body = `${lines}&currency=GBP&reference=order-${i}`
    const response = await fetch(`${origin}/shop/cart`, { method: 'POST', headers, body })
    if ((await response.text()) === '' || response.status !== 200) t.fail(`transfer ${i}: ${response.status}`)
  }
  child.stdout?.resume()
  const references = () => logs().flatMap(({ msg, reference }) => (msg === 'transfer' ? [reference] : []))
  await until('every line', () => references().length === 150)
  t.strictSame(
    references(),
    Array.from({ length: 150 }, (_, i) => `order-${i}`)
  )
})

/** A price that clears a terminal's screen and reverses the rest of its line. */
const HOSTILE = 'free\u001b[2J\u009b2J\u202e\u2028\u200b'
const INVISIBLE = /[^\P{Cc}\n]|[\p{Cf}\p{Zl}\p{Zp}]/u

t.test('a changed feed is reloaded, a broken one is not, and both are logged', async t => {
  const catalogue = { feed: 'feed.tsv', maxShrink: 100 }
  const folder = shopFolder(t, { 'shop.json': { ...merchantFile('1', { publicUrl: '/shop' }), catalogue } })
  const { origin, logs, output } = await startShop(t, {
    folder,
    env: { npm_lifecycle_event: 'start' },
    preload: SHORT_INTERVALS,
    coverage: true
  })
  const feed = join(folder, 'feed.tsv')
  const write = (text: string) => {
    writeFileSync(`${feed}.new`, text)
    renameSync(`${feed}.new`, feed)
  }
  const linesWith = (msg: string) => logs().filter(entry => String(entry.msg).startsWith(msg))
  t.equal((await sendBag(origin, bagOf(uuid(1), 'NEW'))).status, 422)

  const rows = ['NEW\tT\t1 GBP\tin_stock', ...Array.from({ length: 150 }, (_, i) => `B${i}\tT\t${HOSTILE}\tin_stock`)]
  write(['id\ttitle\tprice\tavailability', ...rows].join('\n'))
  await until('the new feed', () => linesWith('feed loaded').length === 2)
  t.equal((await sendBag(origin, bagOf(uuid(2), 'NEW'))).status, 200)
  t.match(linesWith('feed loaded')[1], {
    level: 30,
    merchant: 'shop',
    feed,
    products: 1,
    problems: 150,
    durationMs: Number
  })
  t.match(linesWith('feed line not served')[0], {
    level: 40,
    merchant: 'shop',
    feed,
    line: 3,
    reason: 'price "free\\u001b[2J\u009b2J\\u202e\\u2028\\u200b": give'
  })
  t.notMatch(output().out, INVISIBLE, 'nothing in the log acts on a terminal')
  t.equal(linesWith('feed line not served').length, 100, 'only the first hundred broken lines are logged')

  write('no feed')
  await until('the report', () => linesWith('changed feed not loaded').length > 0)
  t.equal((await sendBag(origin, bagOf(uuid(3), 'NEW'))).status, 200, 'the last good feed stays in use')
  t.match(linesWith('changed feed not loaded'), [{ level: 50, merchant: 'shop', feed, reason: /names no id/ }])
})

const LONG_AGO = { createdAt: '2020-01-01T00:00:00.000Z', expiresAt: '2020-01-02T00:00:00.000Z' }

function oldCheckout(token: string) {
  const cart = { reference: token, currency: 'GBP', items: [{ sku: 'MUG', quantity: 1 }] }
  return { token, merchantId: 'shop', option: '1', cart, ...LONG_AGO }
}

t.test('what merchants no longer keep is deleted or erased at the start and regularly afterwards', async t => {
  const shop = { ...merchantFile('1', { publicUrl: '/shop' }), orders: { eraseAfterDays: 30 } }
  const folder = shopFolder(t, { 'shop.json': shop })
  const store = openSqlite(join(folder, 'shop.sqlite'))
  t.teardown(() => store.close())
  await store.addCheckout(oldCheckout('first'))
  await place(store, newOrder(1, { placedAt: LONG_AGO.createdAt }), false)
  const { logs } = await startShop(t, { folder, preload: SHORT_INTERVALS })
  const isGone = async (token: string) => (await store.findCheckout('shop', token)) === undefined
  await until('the first checkout to be deleted', () => isGone('first'))
  await store.addCheckout(oldCheckout('second'))
  await until('the second checkout to be deleted', () => isGone('second'))
  await until('the order to be erased', async () => (await store.findOrder('shop', 'token-1'))?.customer === undefined)
  await until('its log line', () => logs().some(({ msg }) => msg === 'personal data erased'))
  t.match(
    logs().find(({ msg }) => msg === 'personal data erased'),
    { merchant: 'shop', orders: 1 }
  )
})

t.test('a clean-up that fails is logged, and the server keeps running', async t => {
  const folder = shopFolder(t)
  const file = join(folder, 'shop.sqlite')
  const store = openSqlite(file)
  await store.addCheckout(oldCheckout('kept'))
  await store.close()
  const db = new DatabaseSync(file)
  db.exec("CREATE TRIGGER keep BEFORE DELETE ON checkouts BEGIN SELECT RAISE(ABORT, 'kept for good'); END")
  db.close()
  const { origin, logs, stop } = await startShop(t, { folder, coverage: true })
  await until('the log', () => logs().some(({ msg }) => msg === 'clean-up failed'))
  t.match(
    logs().find(({ msg }) => msg === 'clean-up failed'),
    { level: 50, err: { message: 'kept for good' } }
  )
  t.ok(logs().some(({ msg }) => msg === 'database opened'))
  t.equal((await sendBag(origin, bagOf(uuid(1)))).status, 200)
  t.match(await stop(), { code: 0 })
})
