// The report of reconciling: a summary and a table for people, lines of JSON for programs. Pure. Control characters are
// escaped: the list was written by others.
import type { ReconcileCounts } from '../reconcile/compare-lists.ts'
import type { ListField } from '../reconcile/list-row.ts'
import type { Difference, ReferenceResult } from '../reconcile/reference-result.ts'
import { visible, visibleJson } from '../visible-text.ts'
import { counted, formatCount, padTo } from './terminal-text.ts'

/** How many rows were read, from where, and which columns were read though --map does not name them. */
export type ListSource = { name: string; rows: number; unasked: ListField[] }

/** Names the columns that were read unasked, and how to leave them alone: a line, or none. */
export function unaskedText(unasked: ListField[]): string[] {
  if (unasked.length === 0) return []
  const none = unasked.map(field => `${field}=`).join(',')
  return [`Columns read unasked: ${unasked.join(', ')}. To leave them alone: --map ${none}`]
}

export function summaryText({ name, rows, unasked }: ListSource, counts: ReconcileCounts): string {
  const { neverArrived, refused, notOrdered, expired, superseded } = counts
  const onlyPlatform = neverArrived + refused + notOrdered + expired + superseded
  const lines: [string, number][] = [
    ['matched', counts.matched],
    ['different', counts.different],
    ['only at the platform', onlyPlatform],
    ['  never arrived', neverArrived],
    ['  arrived and refused', refused],
    ['  arrived and not ordered', notOrdered],
    ['  expired', expired],
    ['  superseded', superseded],
    ['only at the merchant', counts.onlyMerchant],
    ['repeated in the list', counts.repeated]
  ]
  const width = Math.max(...lines.map(([, count]) => formatCount(count).length))
  return [
    `${visible(name)}: ${counted(rows, 'row')}, ${counted(counts.references, 'reference')}`,
    ...unaskedText(unasked),
    ...lines.map(([label, count]) => `  ${label.padEnd(26)}${formatCount(count).padStart(width)}`),
    ...(counts.unreadableTransfers > 0
      ? [`In this period ${counted(counts.unreadableTransfers, 'transfer')} arrived without a readable reference.`]
      : []),
    ''
  ].join('\n')
}

/** The summary, then the table. */
export function* textLines(
  source: ListSource,
  counts: ReconcileCounts,
  results: Iterable<ReferenceResult>,
  merchants: string[]
): Generator<string> {
  yield summaryText(source, counts)
  yield* tableLines(results, merchants)
}

const REFERENCE_WIDTH = 36

/** The results as a table; nothing if there are none. */
export function* tableLines(results: Iterable<ReferenceResult>, merchants: string[]): Generator<string> {
  const merchantWidth = Math.max('MERCHANT'.length, ...merchants.map(({ length }) => length))
  const row = (answer: string, merchant: string, reference: string, line: string, order: string, what: string) =>
    [
      answer.padEnd('only-platform'.length),
      merchant.padEnd(merchantWidth),
      padTo(REFERENCE_WIDTH, reference),
      line.padStart(7),
      order.padEnd(9),
      what
    ]
      .join('  ')
      .trimEnd()
  let isFirst = true
  for (const result of results) {
    if (isFirst) yield `\n${row('ANSWER', 'MERCHANT', 'REFERENCE', 'LINE', 'ORDER', 'WHAT')}\n`
    isFirst = false
    const line = 'line' in result ? String(result.line) : ''
    const order = 'order' in result ? result.order : ''
    const cells = [result.answer, result.merchant ?? '-', visible(result.reference), line, order] as const
    yield `${row(...cells, visible(describeResult(result)))}\n`
  }
}

function describeResult(result: ReferenceResult): string {
  switch (result.answer) {
    case 'matched':
      return ''
    case 'different':
      return result.differences.map(describeDifference).join('; ')
    case 'repeated':
      return `already on line ${result.firstLine}; not compared`
    case 'only-merchant':
      return `placed ${result.placedAt}, ${result.total} ${result.currency}`
    default:
      return describeOutcome(result)
  }
}

function describeOutcome(outcome: Extract<ReferenceResult, { answer: 'only-platform' }>): string {
  switch (outcome.state) {
    case 'never-arrived':
      return 'never arrived'
    case 'refused': {
      const codes = outcome.mistakes.length > 0 ? ` (${outcome.mistakes.join(', ')})` : ''
      return `refused ${outcome.at}: ${outcome.problem}${codes}`
    }
    case 'not-ordered':
      return `arrived ${outcome.at}, not ordered`
    case 'expired':
      return `arrived ${outcome.arrivedAt}, expired${outcome.at === undefined ? '' : ` ${outcome.at}`}, not ordered`
    case 'superseded':
      return `superseded ${outcome.at} by another cart, not ordered`
  }
}

function describeDifference(difference: Difference): string {
  const units = (count: number) => (count === 0 ? 'none' : String(count))
  if ('sku' in difference) {
    const { sku, platform, merchant } = difference
    const what = difference.in === 'item' ? `item ${sku}` : `quantity of ${sku}`
    return `${what}: ${units(platform)} at the platform, ${units(merchant)} here`
  }
  return `${difference.in}: ${difference.platform} at the platform, ${difference.merchant} here`
}

/** One object a line: the summary, then every result. */
export function* jsonLines(
  { rows, unasked }: ListSource,
  counts: ReconcileCounts,
  results: Iterable<ReferenceResult>
): Generator<string> {
  yield `${JSON.stringify({ summary: { rows, unasked, ...counts } })}\n`
  for (const result of results) yield `${visibleJson(result)}\n`
}
