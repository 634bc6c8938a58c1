// Run as a process with a file size limit: stores carts in the given file until one is refused, large ones and then small
// ones, and prints the result.
// A write that the system refuses half-way is the closest a test can get to a failing disk.
import { openSqlite } from '../../../src/store/sqlite/sqlite-store.ts'
import { newCheckout } from '../store-suite.ts'

const store = openSqlite(String(process.argv[2]))

type Failure = { name: string; code?: number }

function failureOf(error: unknown): Failure {
  const { errcode } = ((error as Error).cause ?? {}) as { errcode?: number }
  return { name: (error as Error).constructor.name, ...(errcode !== undefined && { code: errcode }) }
}

/** Adds carts with a claimed price of this length until one is refused. */
async function fill(length: number): Promise<Failure | undefined> {
  const items = [{ sku: 'MUG', quantity: 1, price: 'x'.repeat(length) }]
  for (let i = 0; i < 100; i++) {
    const token = `t${stored.length}`
    try {
      await store.addCheckout(newCheckout(token, { reference: token, items }))
      stored.push(token)
    } catch (error) {
      return failureOf(error)
    }
  }
}

const stored: string[] = []
const refused = await fill(50_000)
await fill(10)
const notReady = await store.checkReady().catch(failureOf)
const found = await Promise.all(stored.map(token => store.findCheckout('shop', token)))
console.log(JSON.stringify({ stored: stored.length, found: found.filter(Boolean).length, refused, notReady }))
