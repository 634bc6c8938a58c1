// Run as a process with a file size limit: stores carts in the given file until one is refused, and prints the result.
// A write that the system refuses half-way is the closest a test can get to a failing disk.
import { openSqlite } from '../../../src/store/sqlite/sqlite-store.ts'
import { newCheckout } from '../store-suite.ts'

const store = openSqlite(String(process.argv[2]))
const items = [{ sku: 'MUG', quantity: 1, price: 'x'.repeat(50_000) }]
const stored: string[] = []
let refused: { name?: string; code?: number } = {}
while (refused.name === undefined && stored.length < 100) {
  const token = `t${stored.length}`
  try {
    await store.addCheckout(newCheckout(token, { reference: token, items }))
    stored.push(token)
  } catch (error) {
    const { errcode } = ((error as Error).cause ?? {}) as { errcode?: number }
    refused = { name: (error as Error).constructor.name, ...(errcode !== undefined && { code: errcode }) }
  }
}
const found = await Promise.all(stored.map(token => store.findCheckout('shop', token)))
console.log(JSON.stringify({ stored: stored.length, found: found.filter(Boolean).length, refused }))
