// The report of reconciling: a summary and a table for people, lines of JSON for programs. Pure. Control characters are
// escaped: the list was written by others.
import type {
  Difference,
  KnownOrder,
  Outcome,
  ReconcileCounts,
  ReferenceResult,
  TransferState
} from '../reconcile/reference-result.ts'
import { visible, visibleJson } from '../start/visible-text.ts'
import { type ListSource, unaskedText } from './fill-lists.ts'
import { counted, formatCount, padTo } from './terminal-text.ts'

export function summaryText(sources: ListSource[], counts: ReconcileCounts): string {
  const { neverArrived, refused, notOrdered, expired, superseded, orderedHere, reported } = counts
  const onlyPlatform = neverArrived + refused + notOrdered + expired + superseded + orderedHere + reported
  const isTwoLists = sources.length > 1
  const references = { platform: counts.references, merchant: counts.merchantReferences }
  const lines: [string, number][] = [
    ['matched', counts.matched],
    ['different', counts.different],
    ['only at the platform', onlyPlatform],
    ['  never arrived', neverArrived],
    ['  arrived and refused', refused],
    ['  arrived and not ordered', notOrdered],
    ['  expired', expired],
    ['  superseded', superseded],
    ...(isTwoLists
      ? ([
          ['  ordered here', orderedHere],
          ['  reported earlier', reported]
        ] satisfies [string, number][])
      : []),
    ['only at the merchant', counts.onlyMerchant],
    [isTwoLists ? "repeated, platform's list" : 'repeated in the list', counts.repeated],
    ...(isTwoLists ? ([["repeated, merchant's list", counts.repeatedByMerchant]] satisfies [string, number][]) : [])
  ]
  const width = Math.max(...lines.map(([, count]) => formatCount(count).length))
  return [
    ...sources.flatMap(source => [
      `${visible(source.name)}: ${counted(source.rows, 'row')}, ${counted(references[source.side], 'reference')}`,
      ...unaskedText(source)
    ]),
    ...lines.map(([label, count]) => `  ${label.padEnd(26)}${formatCount(count).padStart(width)}`),
    ...(counts.unreadableTransfers > 0
      ? [`In this period ${counted(counts.unreadableTransfers, 'transfer')} arrived without a readable reference.`]
      : []),
    ''
  ].join('\n')
}

/** The summary, then the table. */
export function* textLines(
  sources: ListSource[],
  counts: ReconcileCounts,
  results: Iterable<ReferenceResult>,
  merchants: string[]
): Generator<string> {
  yield summaryText(sources, counts)
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
    const order = visible(('order' in result && result.order) || '')
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
      return 'line' in result
        ? `already on line ${result.firstLine}; not compared`
        : `line ${result.merchantLine} of the merchant's list, already on line ${result.firstMerchantLine}; not compared`
    case 'only-merchant':
      return describeOrder(result)
    default:
      return describeOutcome(result)
  }
}

function describeOrder(result: Extract<ReferenceResult, { answer: 'only-merchant' }>): string {
  const { merchantLine, placedAt, reportedAt, total, currency, transfer } = result
  const amount = [total, currency].filter(part => part !== undefined)
  return [
    ...(merchantLine === undefined ? [] : [`line ${merchantLine} of the merchant's list`]),
    ...(placedAt === undefined ? [] : [`placed ${placedAt}`]),
    ...(reportedAt === undefined ? [] : [`reported ${reportedAt}`]),
    ...(amount.length > 0 ? [amount.join(' ')] : []),
    ...(transfer ? [describeTransfer(transfer)] : [])
  ].join(', ')
}

function describeTransfer(transfer: TransferState): string {
  if (transfer.state === 'accepted') return `arrived ${transfer.at}`
  if (transfer.state === 'superseded') return `superseded ${transfer.at} by another cart`
  return describeOutcome(transfer)
}

function describeOutcome(outcome: Outcome | KnownOrder | Extract<TransferState, { state: 'ordered' }>): string {
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
    case 'ordered':
      return `ordered here ${outcome.at} as ${outcome.order}`
    case 'reported':
      return `reported ${outcome.at} as ${outcome.order}`
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

/** One object a line: the summary, then every result. */
export function* jsonLines(
  [list, merchantList]: ListSource[],
  counts: ReconcileCounts,
  results: Iterable<ReferenceResult>
): Generator<string> {
  const own = merchantList && { merchantList: { rows: merchantList.rows, unasked: merchantList.unasked } }
  yield `${JSON.stringify({ summary: { rows: list?.rows, unasked: list?.unasked, ...own, ...counts } })}\n`
  for (const result of results) yield `${visibleJson(result)}\n`
}
