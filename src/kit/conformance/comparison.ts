// Compares statuses and lines with what was expected. Lines match exactly: a quantity is digits only, and nothing but
// the bag may be on the page.
import type { Cart } from '../../cart/cart.ts'
import type { PageLine } from '../browser/page-lines.ts'
import { truncate } from './detail-text.ts'

/** Whether every line has to match as sent, or only the total units of each SKU. */
export type CompareBy = 'lines' | 'units'

/** @param expected a status such as `422`, or a class such as `4xx` */
export function matchesStatus(status: number, expected: string): boolean {
  return expected.endsWith('xx') ? String(status)[0] === expected[0] : String(status) === expected
}

/** How lines differ: in a sentence, and the two side by side. */
export type Mismatch = { message: string; expected: string; got: string }

/** How the lines of a page differ from these items; undefined if they match. */
export function lineMismatch(lines: PageLine[], items: Cart['items'], compareBy: CompareBy): Mismatch | undefined {
  const wanted = items.map(({ sku, quantity }) => ({ sku, quantity: String(quantity) }))
  const [expected, got] = [listOf(wanted), listOf(lines)]
  const message = `The page shows ${got}; expected ${expected}.`
  const unreadable = lines.find(({ quantity }) => !/^\d+$/.test(quantity))
  if (unreadable) {
    const { sku, quantity } = unreadable
    const reason = `The quantity of ${sku} is ${JSON.stringify(quantity)}, which is not a number.`
    return { message: `${message} ${reason}`, expected, got: `${got}. ${reason}` }
  }
  const normalise = compareBy === 'lines' ? sortedLines : quantitiesBySku
  return normalise(lines) === normalise(wanted) ? undefined : { message, expected, got }
}

type ComparedLine = Pick<PageLine, 'sku' | 'quantity'>

function sortedLines(lines: ComparedLine[]): string {
  return JSON.stringify(lines.map(({ sku, quantity }) => [sku, Number(quantity)].join(' ')).sort())
}

function quantitiesBySku(lines: ComparedLine[]): string {
  const groups = Map.groupBy(lines, ({ sku }) => sku)
  const sum = (group: ComparedLine[]) => group.reduce((total, { quantity }) => total + Number(quantity), 0)
  return JSON.stringify([...groups].map(([sku, group]) => [sku, sum(group)].join(' ')).sort())
}

function listOf(lines: ComparedLine[]): string {
  if (lines.length === 0) return 'no lines'
  return truncate(lines.map(({ sku, quantity }) => `${quantity} × ${sku}`).join(', '))
}
