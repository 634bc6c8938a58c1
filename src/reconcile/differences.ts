// Where the two sides of an order disagree. Pure.
import { unitsBySku } from '../cart/units-by-sku.ts'
import { type ListItem, plainDecimal } from './list-entry.ts'

/** What one side says about an order. What is absent is not compared; the total is a decimal in major units. */
export type OrderFacts = { order?: string; currency?: string; total?: string; items?: ListItem[] }

/**
 * A difference. For items: how many units each side has, 0 if it does not have the item, and how many were transferred, if
 * that is on record beside the order.
 */
export type Difference =
  | { in: 'item' | 'quantity'; sku: string; platform: number; merchant: number; transferred?: number }
  | { in: 'order' | 'currency' | 'total'; platform: string; merchant: string }

/** @param transferred the items of the cart that led to the order */
export function differencesBetween(platform: OrderFacts, merchant: OrderFacts, transferred?: ListItem[]): Difference[] {
  return [
    ...compareText('order', platform.order, merchant.order),
    ...compareText('currency', platform.currency, merchant.currency),
    ...compareText(
      'total',
      platform.total && plainDecimal(platform.total),
      merchant.total && plainDecimal(merchant.total)
    ),
    ...(platform.items && merchant.items ? compareItems(platform.items, merchant.items, transferred) : [])
  ]
}

/** Whether two lists have the same units of the same SKUs. */
export function isSameItems(items: ListItem[], others: ListItem[]): boolean {
  return compareItems(items, others).length === 0
}

function compareText(
  what: 'order' | 'currency' | 'total',
  platform: string | undefined,
  merchant: string | undefined
): Difference[] {
  if (platform === undefined || merchant === undefined) return []
  // People write order numbers in either case.
  const isSame = platform.toUpperCase() === merchant.toUpperCase()
  return isSame ? [] : [{ in: what, platform, merchant }]
}

/** Compares units per SKU: a SKU on two lines counts once, with the units of both. */
function compareItems(platform: ListItem[], merchant: ListItem[], transferred?: ListItem[]): Difference[] {
  const [theirs, ours, sent] = [unitsBySku(platform), unitsBySku(merchant), transferred && unitsBySku(transferred)]
  return [...new Set([...theirs.keys(), ...ours.keys()])].flatMap(sku => {
    const units = { sku, platform: theirs.get(sku) ?? 0, merchant: ours.get(sku) ?? 0 }
    if (units.platform === units.merchant) return []
    const what = units.platform && units.merchant ? 'quantity' : 'item'
    return [{ in: what, ...units, ...(sent && { transferred: sent.get(sku) ?? 0 }) } as const]
  })
}
