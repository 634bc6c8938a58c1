// Judges what a site answered and what its page shows, exactly: what is not digits is no quantity, and what is not in
// the bag has no place on the page.
import type { Cart } from '../../cart/cart.ts'
import type { WebRequest } from '../../transfer/option.ts'
import type { ShownLine } from '../browser/shown-lines.ts'
import { curlLine } from '../client/curl.ts'

type Items = Cart['items']

/** Whether every line has to be found as it was sent, or the units of each SKU have to add up. */
export type Counting = 'lines' | 'units'

/** How much of a request, or of a list of lines, stands in a message, in characters. */
const MOST = 400

/** Whether a status is 422, or of the class 4xx. */
export function isOfClass(status: number, expected: string): boolean {
  return expected.endsWith('xx') ? String(status)[0] === expected[0] : String(status) === expected
}

/** What is wrong with the lines of a page that should show these items and no others; undefined when nothing is. */
export function wrongWithLines(lines: ShownLine[], items: Items, counting: Counting): string | undefined {
  const unreadable = lines.find(({ quantity }) => !/^\d+$/.test(quantity))
  const right = items.map(({ sku, quantity }) => ({ sku, quantity: String(quantity) }))
  const problem = `The page shows ${listOf(lines)}; right would be ${listOf(right)}.`
  if (unreadable) {
    return `${problem} The quantity of ${unreadable.sku} is written ${JSON.stringify(unreadable.quantity)}, which is no number.`
  }
  const isSame = counting === 'lines' ? sorted(lines) === sorted(right) : unitsOf(lines) === unitsOf(right)
  return isSame ? undefined : problem
}

type Line = Pick<ShownLine, 'sku' | 'quantity'>

function sorted(lines: Line[]): string {
  return JSON.stringify(lines.map(({ sku, quantity }) => [sku, Number(quantity)].join(' ')).sort())
}

function unitsOf(lines: Line[]): string {
  const units = Map.groupBy(lines, ({ sku }) => sku)
  const add = (of: Line[]) => of.reduce((sum, { quantity }) => sum + Number(quantity), 0)
  return JSON.stringify([...units].map(([sku, of]) => [sku, add(of)].join(' ')).sort())
}

function listOf(lines: Line[]): string {
  if (lines.length === 0) return 'no line'
  return shortened(lines.map(({ sku, quantity }) => `${quantity} × ${sku}`).join(', '))
}

/** A request as a line that sends it, as far as there is room for it. */
export function sentAs(request: WebRequest): string {
  return `Sent: ${shortened(curlLine(request))}`
}

export function shortened(text: string): string {
  return text.length > MOST ? `${text.slice(0, MOST)}… (${text.length} characters)` : text
}
