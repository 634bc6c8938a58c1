// What became of one reference: the platform's entry against all that the merchants know of it. Pure.
import { toDecimal } from '../money.ts'
import { type ListItem, type PlatformEntry, plainDecimal } from './platform-entry.ts'

/** What one merchant knows of a reference. Amounts are in minor units; times are UTC, ISO 8601. */
export type Known = {
  merchant: string
  order?: { number: string; currency: string; total: number; items: ListItem[] }
  /** The newest checkout, then those that were superseded, the last one first. */
  checkouts: { items: ListItem[]; createdAt: string; expiresAt: string; supersededAt?: string }[]
  /** The last transfer that is on record. */
  last?: { at: string; outcome: string; problem?: string; mistakes: string[] }
}

/** A difference. Of an item, how many units each side has: 0 when it does not have it. */
export type Difference =
  | { in: 'item' | 'quantity'; sku: string; platform: number; merchant: number }
  | { in: 'order' | 'currency' | 'total'; platform: string; merchant: string }

/**
 * What our side knows of a reference without an order; `at` is since when. Of an expired checkout that is deleted only
 * its arrival is known.
 */
export type Fate =
  | { state: 'never-arrived' }
  | { state: 'not-ordered' | 'superseded'; at: string }
  | { state: 'expired'; at?: string; arrivedAt: string }
  | { state: 'refused'; at: string; problem?: string; mistakes: string[] }

/** `merchant` is null where nobody knows the reference and more than one was asked. Totals are decimal. */
export type Answer =
  | { answer: 'matched'; merchant: string; reference: string; line: number; order: string }
  | {
      answer: 'different'
      merchant: string
      reference: string
      line: number
      order: string
      differences: Difference[]
    }
  | ({ answer: 'only-platform'; merchant: string | null; reference: string; line: number } & Fate)
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
 * Answers for one entry. When several merchants know the reference, the answer is that of the one whose knowledge goes
 * furthest: an order that agrees, an order that differs, then checkouts, then refusals.
 */
export function answerTo(entry: PlatformEntry, known: Known[], now: string): Answer {
  const answers = known.map(one => answerOf(entry, one, now))
  const [best] = answers.sort((a, b) => rank(a) - rank(b) || (String(a.merchant) < String(b.merchant) ? -1 : 1))
  const { reference, line } = entry
  return best ?? { answer: 'only-platform', merchant: null, reference, line, state: 'never-arrived' }
}

const RANKS = ['matched', 'different', 'not-ordered', 'superseded', 'expired', 'refused', 'never-arrived']

function rank(answer: Answer): number {
  return RANKS.indexOf(answer.answer === 'only-platform' ? answer.state : answer.answer)
}

function answerOf(entry: PlatformEntry, known: Known, now: string): Answer {
  const { reference, line } = entry
  const { merchant, order } = known
  if (!order) return { answer: 'only-platform', merchant, reference, line, ...fateOf(entry, known, now) }
  const differences = [
    ...differentText('order', entry.order, order.number),
    ...differentText('currency', entry.currency, order.currency),
    ...differentText('total', entry.total && plainDecimal(entry.total), toDecimal(order.total, order.currency)),
    ...(entry.items ? differentItems(entry.items, order.items) : [])
  ]
  const common = { merchant, reference, line, order: order.number }
  return differences.length > 0 ? { answer: 'different', ...common, differences } : { answer: 'matched', ...common }
}

function differentText(what: 'order' | 'currency' | 'total', platform: string | undefined, merchant: string) {
  const ours = what === 'total' ? plainDecimal(merchant) : merchant
  // Order numbers are upper case; people may not write them so.
  const theirs = what === 'order' ? platform?.toUpperCase() : platform
  return platform === undefined || theirs === ours ? [] : [{ in: what, platform, merchant }]
}

/** Compares units per SKU: a SKU on two lines counts once, with the units of both. */
function differentItems(platform: ListItem[], merchant: ListItem[]): Difference[] {
  const [theirs, ours] = [unitsOf(platform), unitsOf(merchant)]
  return [...new Set([...theirs.keys(), ...ours.keys()])].flatMap(sku => {
    const units = { sku, platform: theirs.get(sku) ?? 0, merchant: ours.get(sku) ?? 0 }
    if (units.platform === units.merchant) return []
    return [{ in: units.platform && units.merchant ? ('quantity' as const) : ('item' as const), ...units }]
  })
}

function unitsOf(items: ListItem[]): Map<string, number> {
  const units = new Map<string, number>()
  for (const { sku, quantity } of items) units.set(sku, (units.get(sku) ?? 0) + quantity)
  return units
}

/** The checkout with the entry's items tells most; without one, the last that happened does. */
function fateOf({ items }: PlatformEntry, { checkouts, last }: Known, now: string): Fate {
  const isRefused = last?.outcome === 'refused' && checkouts.every(({ createdAt }) => createdAt <= last.at)
  const held = items && checkouts.find(checkout => differentItems(items, checkout.items).length === 0)
  const checkout = held ?? (isRefused ? undefined : checkouts[0])
  if (checkout?.supersededAt !== undefined) return { state: 'superseded', at: checkout.supersededAt }
  if (checkout) {
    const { createdAt, expiresAt } = checkout
    return expiresAt > now
      ? { state: 'not-ordered', at: createdAt }
      : { state: 'expired', at: expiresAt, arrivedAt: createdAt }
  }
  if (!last) return { state: 'never-arrived' }
  const { at, problem, mistakes } = last
  // An accepted cart whose checkout is gone: the server deletes those that expired long ago.
  if (!isRefused) return { state: 'expired', arrivedAt: at }
  return { state: 'refused', at, ...(problem !== undefined && { problem }), mistakes }
}
