// What `npm run reconcile` prints: the summary, a table of the results, or JSON.
import { type CartOrigin, cartOrigin } from '../cart/cart.ts'
import type { ListSide } from '../reconcile/list-entry.ts'
import { type ListField, quoteCell } from '../reconcile/list-row.ts'
import type { ReconcileCounts } from '../reconcile/reconcile-counts.ts'
import type { Difference, KnownPayment, ReferenceResult, TransferState } from '../reconcile/reference-result.ts'
import { visible, visibleJson } from '../start/visible-text.ts'
import { extrasText } from './order-text.ts'
import { columns, counted, formatCount } from './run-command.ts'

/** A list: its rows with a reference, which columns were read though --map does not name them, and what was not compared. */
export type ListSource = {
  side: ListSide
  name: string
  rows: number
  unasked: ListField[]
  /** Its rows with a mistake, and what is wrong with the first of them. */
  unreadable: { rows: number; first: string[] }
  /** Its rows without a reference, if others have one. */
  leftOut: number
  /** Words for a status that nobody knows, and how many rows have each. */
  unknownWords: Map<string, number>
  uncompared?: { fields: ListField[]; columns: string[] }
  /** Of a list without references, the orders that are not known here: their number, and those that came from the app. */
  unknown?: { orders: number; fromApp: string[] }
}

/** What --map writes before a field of each list. */
export const MAP_PREFIX: Record<ListSide, string> = { platform: '', merchant: 'orders.' }

/** Whether everything in it was understood. */
export function isComplete({ unreadable, unknownWords, unknown }: ListSource): boolean {
  return unreadable.rows === 0 && unknownWords.size === 0 && !unknown?.fromApp.length
}

export function unreadableText({ unreadable: { rows, first } }: ListSource): string[] {
  const more = rows - first.length
  return [...first.map(visible), ...(more > 0 ? [`… and ${counted(more, 'more row')}`] : [])]
}

function leftOutText({ side, name, rows, leftOut }: ListSource): string[] {
  if (leftOut === 0) return []
  if (rows > 0) return [`Left out, as they have no reference: ${counted(leftOut, 'row')} of ${visible(name)}`]
  return [
    `No row of ${visible(name)} has a reference; if another column has them: --map "${MAP_PREFIX[side]}reference=COLUMN"`
  ]
}

function unknownWordsText({ name, unknownWords }: ListSource): string[] {
  const words = [...unknownWords].sort(([, a], [, b]) => b - a)
  if (words.length === 0) return []
  const some = words.slice(0, 30).map(([word, count]) => `${quoteCell(word)} ${formatCount(count)}`)
  return [
    visible(`Counted as placed, as these words for a status in ${name} are not known: ${some.join(', ')}`),
    visible(`Say what each means: --status ${quoteCell(`${words[0]?.[0]}=…`)}, with placed, cancelled or refunded`)
  ]
}

/** A line that lists the columns matched by name and how to ignore them; empty if there are none. */
export function unaskedText({ side, name, unasked }: ListSource): string[] {
  if (unasked.length === 0) return []
  const none = unasked.map(field => `${MAP_PREFIX[side]}${field}=`).join(',')
  return [`Columns of ${visible(name)} matched by name: ${unasked.join(', ')}. To ignore them: --map ${none}`]
}

/** Whoever reads "matched" has to know if only references were: a line, or none. */
function uncomparedText({ side, name, uncompared }: ListSource): string[] {
  if (!uncompared) return []
  const { fields, columns } = uncompared
  const map = fields.map(field => `${MAP_PREFIX[side]}${field}=COLUMN`).join(' or ')
  const unread = columns.map(quoteCell).join(', ')
  return [`Not compared: ${fields.join(', ')}. ${visible(name)} also has ${visible(unread)}; to compare: --map ${map}`]
}

function unknownText({ name, unknown }: ListSource): string[] {
  if (!unknown) return []
  const { orders, fromApp } = unknown
  const lost = `From the app, and not known here: ${fromApp.map(quoteCell).join(', ')}`
  return [
    `${visible(name)} has no references: orders are found by number; not known here: ${formatCount(orders)}`,
    ...(fromApp.length > 0 ? [visible(lost)] : [])
  ]
}

function summaryText(sources: ListSource[], counts: ReconcileCounts): string {
  const { neverArrived, refused, notOrdered, expired, superseded, cancelled, orderedHere, reported } = counts
  const onlyPlatform = neverArrived + refused + notOrdered + expired + superseded + cancelled + orderedHere + reported
  const isTwoLists = sources.length > 1
  const references = { platform: counts.references, merchant: counts.merchantReferences }
  const lines: [label: string, count: number, isShown?: boolean][] = [
    ['matched', counts.matched],
    ['different', counts.different],
    ['only at the platform', onlyPlatform],
    ['  never arrived', neverArrived],
    ['  arrived and refused', refused],
    ['  arrived and not ordered', notOrdered],
    ['  expired', expired],
    ['  superseded', superseded],
    ['  cancelled', cancelled, cancelled > 0],
    ['  ordered here', orderedHere, isTwoLists],
    ['  reported earlier', reported, isTwoLists],
    ['only at the merchant', counts.onlyMerchant],
    [isTwoLists ? "repeated, platform's list" : 'repeated in the list', counts.repeated],
    ["repeated, merchant's list", counts.repeatedByMerchant, isTwoLists]
  ]
  const width = Math.max(...lines.map(([, count]) => formatCount(count).length))
  const unreadable = counted(counts.unreadableTransfers, 'transfer')
  return [
    ...sources.flatMap(source => [
      `${visible(source.name)}: ${counted(source.rows, 'row')}, ${counted(references[source.side], 'reference')}`,
      ...unaskedText(source),
      ...uncomparedText(source),
      ...unknownText(source),
      ...leftOutText(source),
      ...unknownWordsText(source),
      ...unreadableText(source)
    ]),
    ...lines
      .filter(([, , isShown = true]) => isShown)
      .map(([label, count]) => `  ${label.padEnd(26)}${formatCount(count).padStart(width)}`),
    ...(counts.unreadableTransfers > 0
      ? [`On the days of this period ${unreadable} arrived without a readable reference: the log says why.`]
      : []),
    ''
  ].join('\n')
}

export function* textLines(
  sources: ListSource[],
  counts: ReconcileCounts,
  results: Iterable<ReferenceResult>,
  merchants: string[]
): Generator<string> {
  yield summaryText(sources, counts)
  const table = columns()
  const head = ['ANSWER', 'MERCHANT', 'REFERENCE', '   LINE', 'ORDER', 'WHAT']
  // Printed one by one, rows do not know of each other: all are as wide as what most of them have.
  for (const merchant of ['-', ...merchants])
    table([head, ['only-platform', merchant, 'x'.repeat(36), '', 'XXXX-XXXX']])
  let isFirst = true
  for (const result of results) {
    if (isFirst) yield `\n${table([head])}`
    isFirst = false
    const { answer, merchant, reference } = result
    const line = 'line' in result ? String(result.line) : ''
    const order = ('order' in result && result.order) || ''
    yield table([[answer, merchant ?? '-', reference, line.padStart(7), order, describeAnswer(result)]])
  }
}

function describeAnswer(result: ReferenceResult): string {
  const extras = result.answer === 'repeated' ? {} : { ...platformText(result), ...extrasText(result) }
  const named = Object.entries(extras).map(([name, text]) => `${name} ${text}`)
  return [describeResult(result), ...named].filter(part => part !== '').join(', ')
}

/** How a cart came in, if a platform kept it. */
function platformText(origin: CartOrigin): CartOrigin {
  return origin.platform === undefined ? {} : cartOrigin(origin)
}

function describeResult(result: ReferenceResult): string {
  switch (result.answer) {
    case 'matched':
      return ''
    case 'different':
      return result.differences.map(describeDifference).join('; ')
    case 'repeated':
      return 'line' in result
        ? `already on line ${result.firstLine}; not compared`
        : `line ${result.merchantLine} of the merchant's list, already on line ${result.firstMerchantLine}; not compared`
    case 'only-platform':
      return [describeState(result, ', not ordered'), ...describePayment(result.payment)].join(', ')
    case 'only-merchant': {
      const { merchantLine, placedAt, reportedAt, total, currency, status, transfer } = result
      const parts = [
        merchantLine && `line ${merchantLine} of the merchant's list`,
        placedAt && `placed ${placedAt}`,
        reportedAt && `reported ${reportedAt}`,
        [total, currency].filter(Boolean).join(' '),
        status,
        transfer && describeState(transfer, ''),
        ...describePayment(result.payment)
      ]
      return parts.filter(Boolean).join(', ')
    }
  }
}

function describePayment(payment: KnownPayment | undefined): string[] {
  if (!payment) return []
  const { state, reason, provider, id } = payment
  return [`payment ${state}${reason ? ` (${reason})` : ''} at ${provider}${id === undefined ? '' : ` as ${id}`}`]
}

/** @param notOrdered the text for a cart that arrived but whose order is not known */
function describeState(is: Extract<ReferenceResult | TransferState, { state: string }>, notOrdered: string): string {
  switch (is.state) {
    case 'never-arrived':
      return 'never arrived'
    case 'refused':
      return `refused ${is.at}: ${is.problem}${is.mistakes.length > 0 ? ` (${is.mistakes.join(', ')})` : ''}`
    case 'accepted':
    case 'not-ordered':
      return `arrived ${is.at}${notOrdered}`
    case 'expired':
      return `arrived ${is.arrivedAt}, expired${is.at === undefined ? '' : ` ${is.at}`}${notOrdered}`
    case 'superseded':
      return `superseded ${is.at} by another cart${notOrdered}`
    case 'cancelled':
      return `cancelled ${is.at} by the platform${notOrdered}`
    case 'ordered':
    case 'reported':
      return `${is.state === 'ordered' ? 'ordered here' : 'reported'} ${is.at} as ${is.order}`
  }
}

function describeDifference(difference: Difference): string {
  const units = (count: number) => (count === 0 ? 'none' : String(count))
  if ('sku' in difference) {
    const { sku, platform, merchant, transferred } = difference
    const what = difference.in === 'item' ? `item ${sku}` : `quantity of ${sku}`
    const sent = transferred === undefined ? '' : `, ${units(transferred)} transferred`
    return `${what}: ${units(platform)} at the platform, ${units(merchant)} at the merchant${sent}`
  }
  return `${difference.in}: ${difference.platform} at the platform, ${difference.merchant} at the merchant`
}

export function* jsonLines(
  [list, merchantList]: ListSource[],
  counts: ReconcileCounts,
  results: Iterable<ReferenceResult>
): Generator<string> {
  const own = merchantList && { merchantList: { ...summaryOf(merchantList), unknown: merchantList.unknown } }
  yield `${visibleJson({ summary: { ...(list && summaryOf(list)), ...own, ...counts } })}\n`
  for (const result of results) yield `${visibleJson(result)}\n`
}

function summaryOf({ rows, unasked, unreadable, leftOut, unknownWords }: ListSource) {
  return { rows, unasked, unreadable, leftOut, unknownWords: Object.fromEntries(unknownWords) }
}
