// The result for one reference: the platform's entry compared with everything the merchants have on it. Pure.
import { toDecimal } from '../money.ts'
import { type ListItem, type PlatformEntry, plainDecimal } from './platform-entry.ts'

/** What one merchant has on a reference. Amounts are in minor units; times are UTC, ISO 8601. */
export type ReferenceHistory = {
  merchant: string
  order?: { number: string; currency: string; total: number; items: ListItem[] }
  /** The newest checkout, then the superseded ones, latest first. */
  checkouts: { items: ListItem[]; createdAt: string; expiresAt: string; supersededAt?: string }[]
  /** The latest recorded transfer; an accepted one is recorded only once its checkout is deleted. */
  lastTransfer?: { at: string; outcome: string; problem?: string; mistakes: string[] }
}

/** A difference. For items: how many units each side has, 0 if it does not have the item. */
export type Difference =
  | { in: 'item' | 'quantity'; sku: string; platform: number; merchant: number }
  | { in: 'order' | 'currency' | 'total'; platform: string; merchant: string }

/**
 * What happened to a reference without an order here; `at` is since when. Once an expired checkout is deleted, only its
 * arrival is known.
 */
export type Outcome =
  | { state: 'never-arrived' }
  | { state: 'not-ordered' | 'superseded'; at: string }
  | { state: 'expired'; at?: string; arrivedAt: string }
  | { state: 'refused'; at: string; problem?: string; mistakes: string[] }

/**
 * As `reconcile --json` prints it. `merchant` is null if several were searched and none knows the reference. Totals are
 * decimal strings in major units.
 */
export type ReferenceResult =
  | { answer: 'matched'; merchant: string; reference: string; line: number; order: string }
  | {
      answer: 'different'
      merchant: string
      reference: string
      line: number
      order: string
      differences: Difference[]
    }
  | ({ answer: 'only-platform'; merchant: string | null; reference: string; line: number } & Outcome)
  | { answer: 'repeated'; merchant: string | null; reference: string; line: number; firstLine: number }
  | {
      answer: 'only-merchant'
      merchant: string
      reference: string
      order: string
      placedAt: string
      currency: string
      total: string
    }

/**
 * The result for one entry. If several merchants know the reference, the one that got furthest with it counts: an order
 * that matches, an order that differs, then checkouts, then refusals.
 */
export function resultFor(entry: PlatformEntry, histories: ReferenceHistory[], now: string): ReferenceResult {
  const results = histories.map(history => compare(entry, history, now))
  const [best] = results.sort((a, b) => rank(a) - rank(b) || (String(a.merchant) < String(b.merchant) ? -1 : 1))
  const { reference, line } = entry
  return best ?? { answer: 'only-platform', merchant: null, reference, line, state: 'never-arrived' }
}

const RANKS = ['matched', 'different', 'not-ordered', 'superseded', 'expired', 'refused', 'never-arrived']

function rank(result: ReferenceResult): number {
  return RANKS.indexOf(result.answer === 'only-platform' ? result.state : result.answer)
}

function compare(entry: PlatformEntry, history: ReferenceHistory, now: string): ReferenceResult {
  const { reference, line } = entry
  const { merchant, order } = history
  if (!order) return { answer: 'only-platform', merchant, reference, line, ...outcomeOf(entry, history, now) }
  const differences = [
    ...compareText('order', entry.order, order.number),
    ...compareText('currency', entry.currency, order.currency),
    ...compareText('total', entry.total && plainDecimal(entry.total), toDecimal(order.total, order.currency)),
    ...(entry.items ? compareItems(entry.items, order.items) : [])
  ]
  const common = { merchant, reference, line, order: order.number }
  return differences.length > 0 ? { answer: 'different', ...common, differences } : { answer: 'matched', ...common }
}

function compareText(what: 'order' | 'currency' | 'total', platform: string | undefined, merchant: string) {
  const ours = what === 'total' ? plainDecimal(merchant) : merchant
  // Order numbers are upper case; people may write them otherwise.
  const theirs = what === 'order' ? platform?.toUpperCase() : platform
  return platform === undefined || theirs === ours ? [] : [{ in: what, platform, merchant }]
}

/** Compares units per SKU: a SKU on two lines counts once, with the units of both. */
function compareItems(platform: ListItem[], merchant: ListItem[]): Difference[] {
  const [theirs, ours] = [unitsBySku(platform), unitsBySku(merchant)]
  return [...new Set([...theirs.keys(), ...ours.keys()])].flatMap(sku => {
    const units = { sku, platform: theirs.get(sku) ?? 0, merchant: ours.get(sku) ?? 0 }
    if (units.platform === units.merchant) return []
    return [{ in: units.platform && units.merchant ? ('quantity' as const) : ('item' as const), ...units }]
  })
}

function unitsBySku(items: ListItem[]): Map<string, number> {
  const units = new Map<string, number>()
  for (const { sku, quantity } of items) units.set(sku, (units.get(sku) ?? 0) + quantity)
  return units
}

/** The checkout with the entry's items decides; failing that, whatever happened last. */
function outcomeOf({ items }: PlatformEntry, { checkouts, lastTransfer }: ReferenceHistory, now: string): Outcome {
  const isRefused =
    lastTransfer?.outcome === 'refused' && checkouts.every(({ createdAt }) => createdAt <= lastTransfer.at)
  const sameItems = items && checkouts.find(checkout => compareItems(items, checkout.items).length === 0)
  const checkout = sameItems ?? (isRefused ? undefined : checkouts[0])
  if (checkout?.supersededAt !== undefined) return { state: 'superseded', at: checkout.supersededAt }
  if (checkout) {
    const { createdAt, expiresAt } = checkout
    return expiresAt > now
      ? { state: 'not-ordered', at: createdAt }
      : { state: 'expired', at: expiresAt, arrivedAt: createdAt }
  }
  if (!lastTransfer) return { state: 'never-arrived' }
  const { at, problem, mistakes } = lastTransfer
  // An accepted cart without a checkout: the server deletes checkouts that expired long ago.
  if (!isRefused) return { state: 'expired', arrivedAt: at }
  return { state: 'refused', at, ...(problem !== undefined && { problem }), mistakes }
}
