// What one merchant's shop, and whoever sends bags to it, can take from the other merchants of a process.
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { FEED, merchantFile } from '../build.ts'
import { SHOP_SECRET, shopFile } from '../integrations/destination/own-shop.ts'
import { spawnNode } from '../node-process.ts'
import { KEY, PAYMENT, SECRET } from '../pages/paying-shop.ts'
import { startServer } from '../server-process.ts'
import { emptyResult, type Fault, type FaultParts, type Result } from './fault.ts'
import { NotAnswered, openClient } from './shopper.ts'

/** How long a round is, in milliseconds, and how many bags a second the neighbour gets. */
const DURATION = 120_000
const BAGS = 20

/** Of the server's process, in bytes, and the heap that Node gives itself in a container of that size, in MiB. */
const MEMORY = 2 ** 30
const HEAP = 512

/** The slowest answer of a hundred that the neighbour's bags may have, in milliseconds. */
const MAX_P99 = 500

export const neighbours: Fault = {
  name: 'neighbours',
  what:
    'three thousand unfinished bodies, bags for shops that never answer, answer late or answer four megabytes of brackets, ' +
    'and Buy now at a payment provider that never answers',
  rule: `bags of another shop are all taken, 99 % of them within ${MAX_P99} ms; ordinary ones of the slowest shop, too; 1 GiB`,
  stores: ['SQLite', 'PostgreSQL'],
  rounds: 1,
  run: async parts => {
    const result = emptyResult()
    const notes: string[] = []
    for (let round = 0; round < parts.rounds; round++) notes.push(await runRound(parts, result))
    return { ...result, note: notes.join('; ') }
  }
}

async function runRound({ cleanup, openDatabase, say }: FaultParts, result: Result): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'cart-transfer-neighbours-'))
  cleanup.teardown(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }))
  const attackers = spawnNode([join(import.meta.dirname, 'attackers.ts')], { stdio: ['pipe', 'pipe', 'inherit'] })
  cleanup.teardown(() => attackers.kill('SIGKILL'))
  const printed = createInterface(attackers.stdout)
  const [urls] = (await once(printed, 'line')) as [string]

  writeFileSync(join(folder, 'feed.tsv'), FEED)
  const { paying, ...destinations } = JSON.parse(urls) as Record<string, string>
  const files = Object.entries(destinations).map(([id, url]) => {
    const { transfer, ...file } = shopFile('1', url, { hasFeed: false, id, publicUrl: `/${id}` })
    return { ...file, transfer: { ...transfer, maxItems: 900 } }
  })
  const payment = { ...PAYMENT, apiUrl: new URL(String(paying)).origin }
  const all = [
    merchantFile('1', { id: 'neighbour', publicUrl: '/neighbour' }),
    merchantFile('1', { id: 'paying', publicUrl: '/paying', checkout: { payment } }),
    ...files
  ]
  for (const file of all) writeFileSync(join(folder, `${file.id}.json`), JSON.stringify(file))
  const { url: DATABASE_URL } = await openDatabase(folder, cleanup)
  const server = await startServer(cleanup, {
    folder,
    args: all.map(({ id }) => `${id}.json`),
    env: { DATABASE_URL, SHOP_SECRET, STRIPE_KEY: KEY, STRIPE_SECRET: SECRET, LOG_LEVEL: 'warn' },
    heap: HEAP
  })
  const client = openClient(server.origin)
  cleanup.teardown(client.close)
  const durations: number[] = []
  const failures = new Map<string, number>()
  const note = (what: string) => failures.set(what, (failures.get(what) ?? 0) + 1)
  const send = async () => {
    const bag = { items: [{ sku: 'MUG', quantity: 1 }], currency: 'GBP', reference: randomUUID().replaceAll('-', '') }
    const sent = { method: 'POST', path: '/neighbour/cart', headers: { 'content-type': 'application/json' } }
    const begun = performance.now()
    try {
      const { status, body } = await client.ask({ ...sent, body: JSON.stringify(bag) })
      if (status === 200) result.taken++
      else {
        result.refused++
        note(`was answered ${status} ${/"type":"([^"]*)"/.exec(body)?.[1]}`)
      }
    } catch (error) {
      if (!(error instanceof NotAnswered)) throw error
      result.unanswered++
      note(`had no answer: ${error.message}`)
    }
    durations.push(performance.now() - begun)
  }

  const hasEnded = () => server.child.exitCode !== null || server.child.signalCode !== null
  attackers.stdin.write(`${server.origin}\n`)
  let most = 0
  const under: Promise<void>[] = []
  for (const end = performance.now() + DURATION; performance.now() < end && !hasEnded(); ) {
    under.push(send())
    most = Math.max(most, residentBytes(Number(server.child.pid)))
    await pause(1000 / BAGS)
  }
  attackers.kill('SIGTERM')
  const [ordinary] = (await once(printed, 'line')) as [string]
  await Promise.all(under)
  durations.sort((a, b) => a - b)
  const p99 = Math.round(durations[Math.floor(durations.length * 0.99)] ?? 0)
  const megabytes = Math.round(most / 2 ** 20)
  result.rounds++
  if (hasEnded()) result.wrong.push(`the server ended: ${server.output().err.slice(-300)}`)
  if (p99 > MAX_P99) result.wrong.push(`one in a hundred of the neighbour's bags took more than ${p99} ms`)
  if (most > MEMORY) result.wrong.push(`the server had ${megabytes} MiB of memory`)
  for (const [what, count] of failures) result.wrong.push(`${count} bags of the neighbour ${what}`)
  const others = Object.entries(JSON.parse(ordinary)).filter(([status]) => status !== '200')
  for (const [status, count] of others) result.wrong.push(`${count} ordinary bags of the slowest shop got ${status}`)
  const found = `99 % of the neighbour's bags within ${p99} ms, at most ${megabytes} MiB, ordinary bags by status: ${ordinary}`
  say(found)
  return found
}

/** What a process has in memory, in bytes. */
function residentBytes(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes ?? 0) * 1024
}
