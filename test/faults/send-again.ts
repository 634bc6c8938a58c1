// Sends everything again, as platforms and shoppers do who got no answer: what is kept is found again, what is not is taken
// now, and an order that was pressed twice is one order.
import type { Store } from '../../src/store/store.ts'
import { atOnce, keyOf, ordersByReference } from './audit.ts'
import type { Client } from './client.ts'
import type { Entry, Ledger } from './ledger.ts'
import { checkoutPath, noteOrder, placeOrder, sendBag } from './shopper.ts'

/** @returns what went wrong: bags with two checkouts, orders with two numbers, and what is still not taken */
export async function sendAgain(ledger: Ledger, entries: Entry[], client: Client, store: Store): Promise<string[]> {
  const wrong: string[] = []
  const before = await ordersByReference(store)
  await atOnce(entries, async entry => {
    const { n, shop, cart, token, order } = entry
    const kept = token ?? (await store.newestCheckout(shop.id, cart.reference))?.token
    const placed = before.get(keyOf(entry))?.[0]?.number
    if (placed === undefined) {
      if (!(await sendBag(client, ledger, entry))) wrong.push(`bag ${n}, sent again, was not taken`)
      else if (kept !== undefined && entry.token !== kept) wrong.push(`bag ${n}, sent again, has another checkout`)
    } else entry.token = String(kept)
    if (order === undefined || order === 'answered') return
    await orderAgain(client, ledger, entry, placed)
    if (entry.order !== 'answered') wrong.push(`bag ${n}, ordered again, has no order`)
    else if (placed !== undefined && entry.number !== placed) wrong.push(`bag ${n} was ordered twice`)
  })
  return wrong
}

/** An order that is kept without an answer has a page that leads to it. */
async function orderAgain(client: Client, ledger: Ledger, entry: Entry, placed: string | undefined): Promise<void> {
  if (placed === undefined) return placeOrder(client, ledger, entry)
  const path = checkoutPath(entry, String(entry.token))
  noteOrder(entry, await client.ask({ method: 'POST', path }))
}
