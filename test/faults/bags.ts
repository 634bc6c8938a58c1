// The bags of a run: each number has a shop, an option, a reference and lines of its own, so that nothing can be taken for
// something else.
import type { Cart } from '../../src/cart/cart.ts'
import { transferOptions } from '../../src/transfer/index.ts'
import type { TransferOption } from '../../src/transfer/option.ts'
import { uuid } from '../build.ts'

export type BagShop = { id: string; option: TransferOption }

export type Bag = { n: number; shop: BagShop; cart: Cart }

/** A merchant for each option whose reference the platform chooses. */
export const SHOPS: BagShop[] = transferOptions
  .filter(({ answer }) => answer !== 'protocol')
  .map(option => ({ id: `shop-${option.name.toLowerCase()}`, option }))

/** In pence, as in the feed. */
const PRICES: Record<string, number> = {
  MUG: 1250,
  THROW: 6495,
  CLOCK: 12_000,
  BASKET: 3800,
  ROPE: 2000,
  'a+b c': 200,
  'ソ-☕': 300
}
const SKUS = Object.keys(PRICES)

/** In pence. */
export const DELIVERY = 450

export function bagOf(n: number): Bag {
  const items = Array.from({ length: 1 + (n % 3) }, (_, i) => ({
    sku: SKUS[(n + i) % SKUS.length] ?? '',
    quantity: 1 + ((n * 7 + i) % 900)
  }))
  return {
    n,
    shop: SHOPS[n % SHOPS.length] as BagShop,
    cart: { reference: uuid(n), currency: 'GBP', items }
  }
}

/** What an order of these lines costs, in pence. */
export function totalOf({ items }: Cart): number {
  return items.reduce((sum, { sku, quantity }) => sum + quantity * (PRICES[sku] ?? 0), DELIVERY)
}

export function emailOf(n: number): string {
  return `ada-${n}@analytical.example`
}

/** Lines as text, to compare them exactly. */
export function linesText(items: { sku: string; quantity: number }[]): string {
  return items.map(({ sku, quantity }) => `${quantity} × ${sku}`).join(', ')
}

/**
 * `answered`: taken, or placed. `refused`: with a 503 that says that nothing was taken. `uncertain`: with one that says that
 * nobody knows. `unanswered`: the connection broke. `unsent`: nothing has taken the connection.
 */
export type Outcome = 'answered' | 'refused' | 'uncertain' | 'unanswered' | 'unsent'

export type Entry = Bag & {
  transfer?: Outcome
  /** Of its checkout, if the transfer was answered. */
  token?: string
  /** `unanswered` as well while nobody knows whether it is paid. */
  order?: Outcome
  /** Where it can be paid. */
  payAt?: string
  /** The path of the confirmation, and the number in it, if the order was answered. */
  confirmation?: string
  number?: string
}

export type Ledger = {
  entries: Entry[]
  /** Answers that are neither right nor a proper refusal. */
  wrong: string[]
  /** How long the slowest answer took, in milliseconds. */
  longest: number
  /** A bag that has never been sent. */
  next: () => Entry
}

export function openLedger(): Ledger {
  const entries: Entry[] = []
  const next = () => {
    const entry: Entry = bagOf(1 + entries.length)
    entries.push(entry)
    return entry
  }
  return { entries, wrong: [], longest: 0, next }
}

export type Counts = {
  taken: number
  placed: number
  /** Requests that got no answer after their connection was taken. */
  unanswered: number
  refused: number
  uncertain: number
}

export function countOf({ entries }: Pick<Ledger, 'entries'>): Counts {
  const count = (outcome: Outcome) =>
    entries.reduce((sum, { transfer, order }) => sum + Number(transfer === outcome) + Number(order === outcome), 0)
  return {
    taken: entries.filter(({ transfer }) => transfer === 'answered').length,
    placed: entries.filter(({ order }) => order === 'answered').length,
    unanswered: count('unanswered'),
    refused: count('refused'),
    uncertain: count('uncertain')
  }
}
