// The result for one reference: what a merchant has on it, every answer there is, and which one it is. Pure.
import { type CartExtras, type CartOrigin, cartOrigin, extrasOf, unitsBySku } from '../cart/cart.ts'
import type { Payment } from '../checkout/orders/payment.ts'
import { toDecimal } from '../money.ts'
import { type EntryPair, FACTS, type ListItem, type ListRow, plainDecimal, type ReferenceEntry } from './list-entry.ts'

/** When an order was placed here, or reported; and then when its cart had arrived, if it had, and its status unless it stands. */
export type OrderTime = { placedAt: string } | { reportedAt: string; arrivedAt?: string; status?: string }

/** Of an order, or an attempt to pay for one. `id` is what the provider's own pages call it, once it has a name there. */
export type KnownPayment = Pick<Payment, 'state' | 'reason' | 'provider'> & { id?: string }

/** What there is beside an order or a cart. */
export type Known = CartOrigin & CartExtras & { payment?: KnownPayment }

/**
 * What one merchant has on a reference. Amounts are in minor units; times are UTC, ISO 8601. The payment is that of the order that
 * was placed here; without one, an attempt whose money came for no order, or else the latest. What came along is that of the same
 * order; without one, of the newest checkout. How the cart came in is that of the latest record, if there is no checkout.
 */
export type ReferenceHistory = Known & {
  merchant: string
  order?: { number: string; currency: string; total: number; items: ListItem[] } & OrderTime
  /** The numbers of further orders in the shop that stand. */
  further?: string[]
  /** The newest checkout, then the superseded ones, latest first; left out for an order that was placed here. */
  checkouts: { items: ListItem[]; createdAt: string; expiresAt: string; supersededAt?: string }[]
  /** The latest recorded transfer, likewise; an accepted one is recorded only once its checkout is deleted. */
  lastTransfer?: { at: string; outcome: string; problem?: string; mistakes: string[] }
}

/** What happened to a reference without an order, since `at`. Of an expired checkout that is deleted, only the arrival is known. */
export type Outcome =
  | { state: 'never-arrived' }
  | { state: 'not-ordered'; at: string }
  | { state: 'superseded'; at: string }
  | { state: 'cancelled'; at: string }
  | { state: 'expired'; at?: string; arrivedAt: string }
  | { state: 'refused'; at: string; problem?: string; mistakes: string[] }

/**
 * That its platform has cancelled a cart decides; else the checkout with the items of the list; failing that, whatever happened
 * last.
 */
export function outcomeOf(
  items: ListItem[] | undefined,
  { checkouts, lastTransfer }: ReferenceHistory,
  now: string
): Outcome {
  const isLast = lastTransfer && checkouts.every(({ createdAt }) => createdAt <= lastTransfer.at)
  if (isLast && lastTransfer.outcome === 'cancelled') return { state: 'cancelled', at: lastTransfer.at }
  const isRefused = isLast && lastTransfer.outcome === 'refused'
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

/** An order that was placed on our own page, or reported, and is not in the merchant's list. */
export type KnownOrder = { state: 'ordered' | 'reported'; at: string; order: string }

/** What is on record about the transfer of an order. */
export type TransferState =
  | Exclude<Outcome, { state: 'not-ordered' | 'expired' }>
  | { state: 'accepted'; at: string }
  | { state: 'ordered'; at: string; order: string }

/** What both lists have; the line in the merchant's list and the order's number, if there are any. */
type Found = CartOrigin &
  CartExtras & { merchant: string; reference: string; line: number; merchantLine?: number; order?: string }

/**
 * As `reconcile --json` prints it. `merchant` is null if several were searched and none knows the reference. `line` is in
 * the platform's list, `merchantLine` in the merchant's, if there is one. Totals are decimal strings in major units.
 */
export type ReferenceResult =
  | ({ answer: 'matched' } & Found)
  | ({ answer: 'different'; differences: Difference[] } & Found)
  | ({ answer: 'only-platform'; merchant: string | null; reference: string; line: number } & (Outcome | KnownOrder) &
      Known)
  | { answer: 'repeated'; merchant: string | null; reference: string; line: number; firstLine: number }
  | { answer: 'repeated'; merchant: string; reference: string; merchantLine: number; firstMerchantLine: number }
  | ({
      answer: 'only-merchant'
      merchant: string
      reference: string
      merchantLine?: number
      order?: string
      placedAt?: string
      reportedAt?: string
      currency?: string
      total?: string
      status?: string
      transfer?: TransferState
    } & Known)

export function arrivalOf(order: { arrivedAt?: string } | undefined): TransferState {
  return order?.arrivedAt === undefined ? { state: 'never-arrived' } : { state: 'accepted', at: order.arrivedAt }
}

/**
 * Of an entry of the platform's list, compared with the orders in the store. If several merchants know the reference, the one
 * that got furthest with it counts.
 * @param onlyMerchant the only one that was searched, if it was only one: it gets what nobody knows
 */
export function resultFor(
  entry: ReferenceEntry,
  histories: ReferenceHistory[],
  now: string,
  onlyMerchant: string | null
): ReferenceResult {
  const results = histories.map(history => compareWithStore(entry, history, now))
  const [best] = results.sort((a, b) => rank(a) - rank(b) || (String(a.merchant) < String(b.merchant) ? -1 : 1))
  const { reference, line } = entry
  return best ?? { answer: 'only-platform', merchant: onlyMerchant, reference, line, state: 'never-arrived' }
}

const RANKS = ['matched', 'different', 'not-ordered', 'superseded', 'cancelled', 'expired', 'refused', 'never-arrived']

function rank(result: ReferenceResult): number {
  return RANKS.indexOf(result.answer === 'only-platform' ? result.state : result.answer)
}

function compareWithStore(entry: ReferenceEntry, history: ReferenceHistory, now: string): ReferenceResult {
  const { reference, line, items } = entry
  const { merchant, order } = history
  if (!order) {
    return {
      answer: 'only-platform',
      merchant,
      reference,
      line,
      ...outcomeOf(items, history, now),
      ...knownOf(history)
    }
  }
  const { number, currency, total } = order
  const { status = STATUS_OF[String(history.payment?.state)] } = order as Pick<ListRow, 'status'>
  const amount = { currency, total: toDecimal(total, currency) }
  const facts = { order: number, ...amount, items: order.items, ...(status && { status }) }
  const further = (history.further ?? []).map(found => ({
    in: 'further-order' as const,
    platform: 'none',
    merchant: found
  }))
  const differences = [...differencesBetween(entry, facts, history.checkouts[0]?.items), ...further]
  const found = { merchant, reference, line, order: number, ...cartOrigin(history), ...extrasOf(history) }
  return differences.length > 0 ? { answer: 'different', ...found, differences } : { answer: 'matched', ...found }
}

/** What an order is to the platform if its money is not there. */
const STATUS_OF: Record<string, ListRow['status']> = {
  pending: 'payment-pending',
  failed: 'payment-failed',
  refunded: 'refunded'
}

export function knownOf({ payment, ...extras }: Known): Known {
  return { ...(payment && { payment }), ...cartOrigin(extras), ...extrasOf(extras) }
}

/** Of a reference on which both lists agree; undefined for any other. */
export function matchOf({ platform, merchant: own }: EntryPair, merchant: string): ReferenceResult | undefined {
  if (!platform || !own || differencesBetween(platform, own).length > 0) return undefined
  return { answer: 'matched', ...foundIn(platform, own, merchant) }
}

/** Of a reference that only one list has, or on which they disagree. */
export function mismatchOf(
  { platform, merchant: own }: EntryPair,
  history: ReferenceHistory,
  now: string
): ReferenceResult {
  const { merchant } = history
  if (platform && own) {
    const differences = differencesBetween(platform, own, transferredItems(history))
    return {
      answer: 'different',
      ...foundIn(platform, own, merchant),
      differences,
      ...cartOrigin(history),
      ...extrasOf(history)
    }
  }
  if (platform) {
    const { reference, line, items } = platform
    const what = knownOrder(history) ?? outcomeOf(items, history, now)
    return { answer: 'only-platform', merchant, reference, line, ...what, ...knownOf(history) }
  }
  const { reference, line: merchantLine, order, currency, total, items } = own as ReferenceEntry
  return {
    answer: 'only-merchant',
    merchant,
    reference,
    merchantLine,
    ...(order !== undefined && { order }),
    ...(currency !== undefined && { currency }),
    ...(total !== undefined && { total }),
    transfer: transferState(items, history, now),
    ...knownOf(history)
  }
}

function foundIn(platform: ReferenceEntry, own: ReferenceEntry, merchant: string) {
  const { reference, line } = platform
  const order = own.order ?? platform.order
  return { merchant, reference, line, merchantLine: own.line, ...(order !== undefined && { order }) }
}

function knownOrder({ order }: ReferenceHistory): KnownOrder | undefined {
  if (!order) return undefined
  return 'placedAt' in order
    ? { state: 'ordered', at: order.placedAt, order: order.number }
    : { state: 'reported', at: order.reportedAt, order: order.number }
}

function transferredItems({ order, checkouts }: ReferenceHistory): ListItem[] | undefined {
  return order && 'placedAt' in order ? order.items : checkouts[0]?.items
}

/** Whether a checkout has expired says nothing about a cart that became an order. */
function transferState(items: ListItem[] | undefined, history: ReferenceHistory, now: string): TransferState {
  const { order } = history
  if (order && 'placedAt' in order) return { state: 'ordered', at: order.placedAt, order: order.number }
  const outcome = outcomeOf(items, history, now)
  if (outcome.state === 'not-ordered') return { state: 'accepted', at: outcome.at }
  if (outcome.state === 'expired') return { state: 'accepted', at: outcome.arrivedAt }
  return outcome.state === 'never-arrived' ? arrivalOf(order) : outcome
}

/** Of items in units, 0 if a side does not have one; `transferred` if that is on record beside the order. */
export type Difference =
  | { in: 'item' | 'quantity'; sku: string; platform: number; merchant: number; transferred?: number }
  | { in: 'order' | 'currency' | 'total' | 'status' | 'further-order' | 'row'; platform: string; merchant: string }

/** Of a row that cannot be read, nothing else is compared. What is absent is not compared. @param transferred the items of the cart that led to the order */
function differencesBetween(platform: ReferenceEntry, own: Partial<ListRow>, transferred?: ListItem[]): Difference[] {
  if (platform.isUnreadable || own.isUnreadable) {
    const stateOf = ({ isUnreadable }: Partial<ListRow>) => (isUnreadable ? 'unreadable' : 'readable')
    return [{ in: 'row', platform: stateOf(platform), merchant: stateOf(own) }]
  }
  const facts = [...FACTS.flatMap(what => compareText(what, platform, own)), ...compareStatus(platform, own)]
  const { items } = own
  return platform.items && items ? [...facts, ...compareItems(platform.items, items, transferred)] : facts
}

function compareText(what: (typeof FACTS)[number], ...sides: [Partial<ListRow>, Partial<ListRow>]): Difference[] {
  const [platform, merchant] = sides.map(({ [what]: text }) => text && (what === 'total' ? plainDecimal(text) : text))
  if (platform === undefined || merchant === undefined) return []
  // People write order numbers in either case.
  const isSame = platform.toUpperCase() === merchant.toUpperCase()
  return isSame ? [] : [{ in: what, platform, merchant }]
}

function compareStatus(...sides: [Partial<ListRow>, Partial<ListRow>]): Difference[] {
  const [platform, merchant] = sides.map(({ status = 'placed' }) => status) as [string, string]
  const isSame = platform === merchant || (platform === 'cancelled' && merchant === 'payment-failed')
  return isSame ? [] : [{ in: 'status', platform, merchant }]
}

/** A SKU on two lines counts once, with the units of both. */
function compareItems(platform: ListItem[], merchant: ListItem[], transferred?: ListItem[]): Difference[] {
  const [theirs, ours, sent] = [unitsBySku(platform), unitsBySku(merchant), transferred && unitsBySku(transferred)]
  return [...new Set([...theirs.keys(), ...ours.keys()])].flatMap(sku => {
    const units = { sku, platform: theirs.get(sku) ?? 0, merchant: ours.get(sku) ?? 0 }
    if (units.platform === units.merchant) return []
    const what = units.platform && units.merchant ? 'quantity' : 'item'
    return [{ in: what, ...units, ...(sent && { transferred: sent.get(sku) ?? 0 }) } as const]
  })
}
