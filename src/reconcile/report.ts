// What reconciling prints: a summary and a table for people, lines of JSON for programs. Pure. The platform's words
// never reach a terminal as they are: control characters are escaped.

import { visible, visibleJson } from '../terminal-text.ts'
import type { Answer, Difference } from './answer-to.ts'
import type { Counts } from './reconcile.ts'

/** How many rows were read, and from where. */
export type Source = { name: string; rows: number }

export function summaryText({ name, rows }: Source, counts: Counts): string {
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
    ['again in the list', counts.repeated]
  ]
  const width = Math.max(...lines.map(([, count]) => number(count).length))
  return [
    `${visible(name)}: ${number(rows)} rows, ${number(counts.references)} references`,
    ...lines.map(([label, count]) => `  ${label.padEnd(26)}${number(count).padStart(width)}`),
    ...(counts.unreadableTransfers > 0
      ? [`In this period ${number(counts.unreadableTransfers)} transfers came without a readable reference.`]
      : []),
    ''
  ].join('\n')
}

function number(count: number): string {
  return count.toLocaleString('en-GB')
}

/** The summary, then the table. */
export function* textLines(
  source: Source,
  counts: Counts,
  answers: Iterable<Answer>,
  merchants: string[]
): Generator<string> {
  yield summaryText(source, counts)
  yield* tableLines(answers, merchants)
}

const REFERENCE_WIDTH = 36

/** The answers as a table; nothing where there are none. */
export function* tableLines(answers: Iterable<Answer>, merchants: string[]): Generator<string> {
  const merchantWidth = Math.max('MERCHANT'.length, ...merchants.map(({ length }) => length))
  const row = (answer: string, merchant: string, reference: string, line: string, order: string, what: string) =>
    [
      answer.padEnd('only-platform'.length),
      merchant.padEnd(merchantWidth),
      reference.padEnd(REFERENCE_WIDTH),
      line.padStart(7),
      order.padEnd(9),
      what
    ]
      .join('  ')
      .trimEnd()
  let isFirst = true
  for (const answer of answers) {
    if (isFirst) yield `\n${row('ANSWER', 'MERCHANT', 'REFERENCE', 'LINE', 'ORDER', 'WHAT')}\n`
    isFirst = false
    const line = 'line' in answer ? String(answer.line) : ''
    const order = 'order' in answer ? answer.order : ''
    const cells = [answer.answer, answer.merchant ?? '-', visible(answer.reference), line, order] as const
    yield `${row(...cells, visible(whatOf(answer)))}\n`
  }
}

function whatOf(answer: Answer): string {
  switch (answer.answer) {
    case 'matched':
      return ''
    case 'different':
      return answer.differences.map(differenceText).join('; ')
    case 'repeated':
      return `stands on line ${answer.firstLine} already; not compared`
    case 'only-merchant':
      return `placed ${answer.placedAt}, ${answer.total} ${answer.currency}`
    default:
      return fateText(answer)
  }
}

function fateText(fate: Extract<Answer, { answer: 'only-platform' }>): string {
  switch (fate.state) {
    case 'never-arrived':
      return 'never arrived'
    case 'refused': {
      const codes = fate.mistakes.length > 0 ? ` (${fate.mistakes.join(', ')})` : ''
      return `refused ${fate.at}: ${fate.problem}${codes}`
    }
    case 'not-ordered':
      return `arrived ${fate.at}, not ordered`
    case 'expired':
      return `arrived ${fate.arrivedAt}, expired${fate.at === undefined ? '' : ` ${fate.at}`}, not ordered`
    case 'superseded':
      return `superseded ${fate.at} by another cart, not ordered`
  }
}

function differenceText(difference: Difference): string {
  const units = (count: number) => (count === 0 ? 'none' : String(count))
  if ('sku' in difference) {
    const { sku, platform, merchant } = difference
    const what = difference.in === 'item' ? `item ${sku}` : `quantity of ${sku}`
    return `${what}: ${units(platform)} at the platform, ${units(merchant)} here`
  }
  return `${difference.in}: ${difference.platform} at the platform, ${difference.merchant} here`
}

/** One object a line: the summary, then every answer. */
export function* jsonLines({ rows }: Source, counts: Counts, answers: Iterable<Answer>): Generator<string> {
  yield `${JSON.stringify({ summary: { rows, ...counts } })}\n`
  for (const answer of answers) yield `${visibleJson(answer)}\n`
}
