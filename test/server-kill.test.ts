// `kill -9` during a run of transfers: after a restart, every transfer that was answered is stored with exactly its
// items.
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { FEED, merchantFile, uuid } from './build.ts'
import { elements } from './pages/read-page.ts'
import { startServer } from './server-process.ts'

const ROUNDS = 5
const PLATFORMS = 16
/** The minimum of transfers answered per round before the process is killed. */
const MIN_ANSWERED = 60
const SKUS = ['MUG', 'THROW', 'CLOCK', 'BASKET', 'ROPE', ' a+b c ', 'ソ-☕']

type Item = { sku: string; quantity: number }

/** The items of a cart, different for each number. */
function itemsOf(n: number): Item[] {
  return Array.from({ length: 1 + (n % 3) }, (_, i) => ({
    sku: SKUS[(n + i) % SKUS.length] ?? '',
    quantity: n + i + 1
  }))
}

t.test('no transfer that was answered is lost by kill -9', async t => {
  const folder = t.testdir({})
  writeFileSync(join(folder, 'feed.tsv'), FEED)
  writeFileSync(join(folder, 'shop.json'), JSON.stringify(merchantFile('1', { publicUrl: '/shop' })))
  const answered = new Map<string, Item[]>()
  const compiled = join(folder, 'compiled')
  const env = { NODE_COMPILE_CACHE: compiled }
  let sent = 0

  /** Sends carts one after another until the server is gone. */
  async function sendCarts(origin: string, onAnswer: () => void): Promise<void> {
    for (;;) {
      const n = sent++
      const items = itemsOf(n)
      const body = JSON.stringify({ items, currency: 'GBP', reference: uuid(n) })
      const headers = { 'content-type': 'application/json' }
      let answer: { body?: string }
      try {
        answer = (await (await fetch(`${origin}/shop/cart`, { method: 'POST', headers, body })).json()) as typeof answer
      } catch {
        return
      }
      answered.set(String(answer.body).slice('token='.length), items)
      onAnswer()
    }
  }

  /** The answered transfers whose page does not show exactly their items. */
  async function findLost(origin: string): Promise<object[]> {
    const lost: object[] = []
    for (const [token, items] of answered) {
      const response = await fetch(`${origin}/shop/checkout/${token}`)
      const shown = elements(await response.text()).flatMap(
        ({ attributes: { 'data-sku': sku, 'data-quantity': n } }) =>
          sku === undefined ? [] : { sku, quantity: Number(n) }
      )
      if (JSON.stringify(shown) !== JSON.stringify(items)) lost.push({ status: response.status, items, shown })
    }
    return lost
  }

  for (let round = 1; round <= ROUNDS; round++) {
    const { child, exited, origin } = await startServer(t, { folder, args: ['shop.json'], env })
    t.strictSame(await findLost(origin), [], `start ${round}: ${answered.size} answered so far`)
    const before = answered.size
    const kill = () => {
      if (answered.size - before === MIN_ANSWERED + round) child.kill('SIGKILL')
    }
    await Promise.all(Array.from({ length: PLATFORMS }, () => sendCarts(origin, kill)))
    t.match(await exited, { signal: 'SIGKILL' })
  }
  const kept = readdirSync(compiled, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
  t.ok(kept.length > 0, 'compiled code is kept for the next start, too')
  const { origin, stop } = await startServer(t, { folder, args: ['shop.json'], env })
  t.strictSame(await findLost(origin), [], `at the end: ${answered.size} answered of ${sent} sent`)
  t.ok(answered.size >= ROUNDS * MIN_ANSWERED, 'a few hundred transfers were answered')
  t.ok(answered.size < sent, 'the kills interrupted transfers')
  t.match(await stop(), { code: 0 })
})
