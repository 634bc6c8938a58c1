// Compares what the clients were answered with what is kept: through the server, as shoppers see it, and through the store,
// row by row. Nothing that was answered may be missing or there twice; what was not answered is there as a whole or not at
// all.
import { isDeepStrictEqual } from 'node:util'
import type { ListedOrder } from '../../src/checkout/orders/order.ts'
import type { Store } from '../../src/store/store.ts'
import { ADA, orderBlock } from '../pages/shopper.ts'
import { linesIn } from '../transfer/answers.ts'
import { type Entry, emailOf, type Ledger, linesText, totalOf } from './bags.ts'
import { type Client, checkoutPath, noteOrder, placeOrder, sendBag } from './shopper.ts'

export type Findings = {
  /** Answered, and not kept as answered. */
  lost: string[]
  /** Kept twice. */
  doubled: string[]
  /** Kept in part, or nobody's, or kept although it was answered that it is not. */
  partial: string[]
  /** Of the bags and orders without an answer, those that are kept. */
  kept: number
  /** Of those that were answered that nobody knows, those that are kept. */
  uncertainKept: number
}

/** Questions that are asked at a time. */
const AT_ONCE = 16
/** Orders read at a time. */
const PAGE = 1000

export async function audit(entries: Entry[], client: Client, store: Store): Promise<Findings> {
  const findings: Findings = { lost: [], doubled: [], partial: [], kept: 0, uncertainKept: 0 }
  const orders = await ordersByReference(store)
  await atOnce(entries, async entry => {
    const { n, transfer, order } = entry
    const all = orders.get(keyOf(entry)) ?? []
    const standing = all.filter(order => !isFailed(order))
    if (standing.length > 1)
      findings.doubled.push(`bag ${n}: orders ${standing.map(({ number }) => number).join(', ')}`)
    const placed = standing[0] ?? all.at(-1)
    if (transfer === 'answered') {
      const isShown = await isShownRight(client, entry, placed)
      if (!isShown) findings.lost.push(`bag ${n}: the page does not show it`)
    } else {
      const kept = await store.newestCheckout(entry.shop.id, entry.cart.reference)
      if (kept && !isDeepStrictEqual(itemsOf(kept.cart), itemsOf(entry.cart))) findings.partial.push(`bag ${n}`)
      if (kept) countKept(findings, transfer, `bag ${n}`)
    }
    if (placed && !(await isWhole(store, entry, placed))) findings.partial.push(`bag ${n}: order ${placed.number}`)
    if (order !== 'answered') {
      if (placed) countKept(findings, order, `bag ${n}: order ${placed.number}`)
    } else if (placed?.number !== entry.number) findings.lost.push(`bag ${n}: order ${entry.number}`)
    else if (!(await isConfirmed(client, entry))) findings.lost.push(`bag ${n}: the confirmation of ${entry.number}`)
  })
  return findings
}

function countKept(findings: Findings, outcome: Entry['order'], what: string): void {
  if (outcome === 'unanswered') findings.kept++
  else if (outcome === 'uncertain') findings.uncertainKept++
  else findings.partial.push(`${what}, which was ${outcome ?? 'never sent'}`)
}

export const keyOf = ({ shop, cart }: Entry) => `${shop.id} ${cart.reference}`

/** Every order in the store. */
export async function ordersByReference(store: Store): Promise<Map<string, ListedOrder[]>> {
  const found = new Map<string, ListedOrder[]>()
  let page: ListedOrder[] = []
  do {
    page = await store.listOrders({}, page.at(-1), PAGE)
    for (const order of page) {
      const key = `${order.merchantId} ${order.reference}`
      found.set(key, [...(found.get(key) ?? []), order])
    }
  } while (page.length === PAGE)
  return found
}

/** Calls `work` for each, a few at a time. */
export async function atOnce<T>(all: T[], work: (one: T) => Promise<void>): Promise<void> {
  const left = all.values()
  const worker = async () => {
    for (const one of left) await work(one)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}

/** Without the prices that option 2A claims. */
function itemsOf({ items }: Entry['cart']) {
  return items.map(({ sku, quantity }) => ({ sku, quantity }))
}

/** Whether its bag can be ordered again. */
function isFailed(order: ListedOrder): boolean {
  return 'payment' in order && order.payment?.status === 'failed'
}

/** Whether the page of a bag shows exactly its lines, or leads to its order, unless its payment has failed. */
async function isShownRight(client: Client, entry: Entry, placed: ListedOrder | undefined): Promise<boolean> {
  const { status, body } = await client.ask({ method: 'GET', path: checkoutPath(entry, String(entry.token)) })
  if (placed && !isFailed(placed)) return status === 409 && body.includes(`/complete?order=${placed.number}`)
  return status === 200 && linesText(linesIn(body)) === linesText(entry.cart.items)
}

/** Whether an order has all that it should, with its message in the outbox. */
async function isWhole(store: Store, { n, cart }: Entry, order: ListedOrder): Promise<boolean> {
  if (!('lines' in order)) return false
  const { lines, total, customer, number } = order
  const isSold = linesText(lines) === linesText(cart.items) && total === totalOf(cart)
  const isKnown = customer?.email === emailOf(n) && customer.address.postcode === ADA.postcode
  return isSold && isKnown && (await store.findMessage(number)) !== undefined
}

async function isConfirmed(client: Client, { confirmation = '', number, cart }: Entry): Promise<boolean> {
  const { status, body } = await client.ask({ method: 'GET', path: confirmation })
  if (status !== 200) return false
  const { orderNumber, reference, total } = orderBlock(body) as Record<string, unknown>
  const isRight = orderNumber === number && reference === cart.reference
  return isRight && Math.round(Number(total) * 100) === totalOf(cart)
}

/** @returns what went wrong: bags with two checkouts, orders with two numbers, and what is still not taken */
export async function sendAgain(ledger: Ledger, entries: Entry[], client: Client, store: Store): Promise<string[]> {
  const wrong: string[] = []
  const before = await ordersByReference(store)
  await atOnce(entries, async entry => {
    const { n, shop, cart, token, order } = entry
    const kept = token ?? (await store.newestCheckout(shop.id, cart.reference))?.token
    const all = before.get(keyOf(entry)) ?? []
    const known = all.find(order => !isFailed(order)) ?? all[0]
    const placed = known?.number
    if (placed === undefined) {
      if (!(await sendBag(client, ledger, entry))) wrong.push(`bag ${n}, sent again, was not taken`)
      else if (kept !== undefined && entry.token !== kept) wrong.push(`bag ${n}, sent again, has another checkout`)
    } else entry.token = String(kept)
    if (order === undefined || order === 'answered') return
    if (known && !isFailed(known)) await orderPlaced(client, entry)
    else await placeOrder(client, ledger, entry)
    if (entry.order !== 'answered') wrong.push(`bag ${n}, ordered again, has no order`)
    else if (known && !isFailed(known) && entry.number !== placed) wrong.push(`bag ${n} was ordered twice`)
  })
  return wrong
}

/** An order that is kept without an answer has a page that leads to it. */
async function orderPlaced(client: Client, entry: Entry): Promise<void> {
  const path = checkoutPath(entry, String(entry.token))
  noteOrder(entry, await client.ask({ method: 'POST', path }))
}
