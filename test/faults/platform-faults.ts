// `kill -9` between a platform's request and its answer. A platform sends again, with the same Idempotency-Key, and nobody but the
// kept answer can tell it what became of the first.
import { randomInt, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import pg from 'pg'
import type { Cart } from '../../src/cart/cart.ts'
import { ucp } from '../../src/transfer/ucp/ucp.ts'
import { FEED, merchantFile } from '../build.ts'
import { type RunningServer, startServer } from '../server-process.ts'
import { linesIn } from '../transfer/answers.ts'
import { until } from '../until.ts'
import { atOnce } from './audit.ts'
import { bagOf } from './bags.ts'
import { emptyResult, type Fault, type FaultParts, type Result } from './fault.ts'
import { type Answer, type Client, NotAnswered, openClient, type Sent } from './shopper.ts'

/** What a platform has sent under a key, and what it was answered; nothing yet, if the connection broke or it got 503. */
type Call = { what: string; sent: (id: string) => Sent; answer?: Pick<Answer, 'status' | 'body'> }

/** What a platform did with a cart, one after another. */
type Kept = { n: number; id: string; link: string; calls: Call[]; items: Cart['items'] }

type Replica = RunningServer & { client: Client }

const PATH = '/shop/ucp'
const PLATFORMS = 12
/** Answers before the kill, at least. */
const FEWEST = 100
const PATIENCE = 30_000
/** After something that was not answered, in milliseconds. */
const PAUSE = 10

export const platformKill: Fault = {
  name: 'platform-kill',
  what: '`kill -9` of one of two replicas, or both, between the requests of platforms that keep carts by UCP and their answers',
  rule: 'each Idempotency-Key has one answer, from either replica, and what it says is there once; another body gets 409',
  stores: ['SQLite', 'PostgreSQL'],
  rounds: 20,
  run: async ({ cleanup, openDatabase, rounds, say }: FaultParts) => {
    const folder = mkdtempSync(join(tmpdir(), 'cart-transfer-faults-'))
    cleanup.teardown(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }))
    writeFileSync(join(folder, 'feed.tsv'), FEED)
    writeFileSync(join(folder, 'shop.json'), JSON.stringify(merchantFile('ucp', { transfer: { path: '/ucp' } })))
    const { url } = await openDatabase(folder, cleanup)
    const start = async (): Promise<Replica> => {
      const server = await startServer(cleanup, { folder, args: ['shop.json'], env: { DATABASE_URL: url } })
      const client = openClient(server.origin)
      cleanup.teardown(client.close)
      return { ...server, client }
    }
    const replicas = await Promise.all([start(), start()])
    const result = emptyResult()
    const all: Kept[] = []
    for (let round = 1; round <= rounds; round++) {
      const known = all.length
      const load = startPlatforms(replicas, all, result)
      await until('the answers', () => load.answered() >= FEWEST + randomInt(50), PATIENCE)
      await pause(Math.random() * 8)
      const killed = round % 3 === 0 ? [0, 1] : [round % 2]
      for (const i of killed) replicas[i]?.child.kill('SIGKILL')
      await Promise.all(killed.map(i => replicas[i]?.exited))
      await load.stop()
      const since = performance.now()
      for (const i of killed) replicas[i] = await start()
      await replicas[0]?.client.ask({ method: 'GET', path: '/healthz' })
      result.back.push(performance.now() - since)
      result.kept += (await countIn(url, 'idempotency_keys')) - answeredIn(all)
      await atOnce(all.slice(known), kept => settle(replicas, kept, result))
      result.rounds++
      say(`${round} of ${rounds}: ${result.taken} answers, ${result.unanswered} without one`)
    }
    const checkouts = all.flatMap(({ calls }) => calls).filter(({ answer }) => answer?.body.includes('"id"'))
    const expected = checkouts.filter(({ what }) => what !== 'cancel').length
    const stored = await countIn(url, 'checkouts')
    if (stored !== expected) result.doubled.push(`there are ${stored} checkouts, where platforms know of ${expected}`)
    return result
  }
}

const answeredIn = (all: Kept[]) => all.flatMap(({ calls }) => calls).filter(({ answer }) => answer).length

async function countIn(url: string, table: string): Promise<number> {
  const sql = `SELECT count(*) AS count FROM ${table}`
  if (url.startsWith('sqlite:')) {
    const db = new DatabaseSync(url.slice('sqlite:'.length))
    const row = db.prepare(sql).get()
    db.close()
    return Number(row?.count)
  }
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query(sql)
  await client.end()
  return Number(rows[0].count)
}

/** What a platform does with its nth cart; every fourth begins with one that cannot be sold. */
function callsOf(n: number): Kept {
  const [first, second] = [bagOf(n).cart, bagOf(n + 1).cart]
  const call = (what: string, method: string, path: (id: string) => string, cart?: Cart): Call => {
    const { headers, body } = ucp.request(cart ?? first, PATH)
    const sent = {
      method,
      headers: {
        ...Object.fromEntries(headers.map(({ name, value }) => [name, value])),
        'Idempotency-Key': randomUUID()
      },
      body: cart ? String(body) : '{}'
    }
    return { what, sent: id => ({ ...sent, path: PATH + path(id) }) }
  }
  const unsellable = { ...first, items: [...first.items, { sku: 'NO-SUCH', quantity: 1 }] }
  const isCancelled = n % 3 === 0
  return {
    n,
    id: '',
    link: '',
    items: isCancelled ? [] : second.items,
    calls: [
      ...(n % 4 === 0 ? [call('refused', 'POST', () => '/carts', unsellable)] : []),
      call('create', 'POST', () => '/carts', first),
      call('update', 'PUT', id => `/carts/${id}`, second),
      ...(isCancelled ? [call('cancel', 'POST', id => `/carts/${id}/cancel`)] : [])
    ]
  }
}

/** Sends a call once. @returns whether it was answered for good; if so, its cart has the id */
async function send({ client }: Replica, kept: Kept, call: Call, result: Result): Promise<boolean> {
  try {
    const { status, body, headers } = await client.ask(call.sent(kept.id))
    if (status === 503 && headers['retry-after']) result.refused++
    else {
      call.answer = { status, body }
      if (call.what === 'create') {
        const { id, continue_url: link } = JSON.parse(body)
        Object.assign(kept, { id, link })
      }
      const isRight = status === (call.what === 'create' ? 201 : 200) && (call.what === 'refused') !== /"id"/.test(body)
      if (!isRight) result.wrong.push(`${call.what} of cart ${kept.n} was answered ${status}: ${body.slice(0, 300)}`)
      return isRight
    }
  } catch (error) {
    if (!(error instanceof NotAnswered)) throw error
    if (!error.isUnsent) result.unanswered++
  }
  return false
}

/** Platforms that make one cart after another, at either replica; one that gets no answer leaves its cart as it is. */
function startPlatforms(replicas: Replica[], all: Kept[], result: Result) {
  let isStopped = false
  let answered = 0
  const goOn = async () => {
    while (!isStopped) {
      const kept = callsOf(all.length + 1)
      all.push(kept)
      for (const call of kept.calls) {
        if (!(await send(replicas[randomInt(2)] as Replica, kept, call, result))) break
        answered++
        result.taken++
      }
      if (kept.calls.some(({ answer }) => !answer)) await pause(PAUSE)
    }
  }
  const platforms = Promise.all(Array.from({ length: PLATFORMS }, goOn))
  return {
    answered: () => answered,
    stop: async () => {
      isStopped = true
      await platforms
    }
  }
}

/** Sends every call again to both replicas at once, and looks at what the shopper sees then. */
async function settle(replicas: Replica[], kept: Kept, result: Result): Promise<void> {
  const { n, calls, items } = kept
  for (const call of calls) {
    const before = call.answer
    const [one, two] = await Promise.all(
      replicas.map(async replica => {
        const again = { ...call }
        await send(replica, kept, again, result)
        return again.answer
      })
    )
    if (!isDeepStrictEqual(one, two)) result.doubled.push(`${call.what} of cart ${n} has two answers under one key`)
    if (before && !isDeepStrictEqual(one, before)) result.lost.push(`the answer to ${call.what} of cart ${n}`)
    if (one) call.answer = one
    const other = { ...call.sent(kept.id), body: '{"line_items":[]}' }
    const { status } = await (replicas[n % 2] as Replica).client.ask(other)
    if (status !== 409) result.wrong.push(`another body under the key of ${call.what} of cart ${n} got ${status}`)
  }
  const { client } = replicas[n % 2] as Replica
  const { pathname, search } = new URL(kept.link)
  const led = await client.ask({ method: 'GET', path: pathname + search })
  const page = led.status === 303 ? new URL(String(led.headers.location), 'http://shop').pathname : undefined
  const { body } = page === undefined ? led : await client.ask({ method: 'GET', path: page })
  if (!isDeepStrictEqual(linesIn(body), itemsOf(items))) result.wrong.push(`the page of cart ${n} shows other items`)
}

const itemsOf = (items: Cart['items']) => items.map(({ sku, quantity }) => ({ sku, quantity }))
