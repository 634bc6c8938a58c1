// `npm run reconcile`: compares the platform's list with the store, or with the merchant's own list.
import { createReadStream, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { OperatorError } from '../errors.ts'
import { type ListStore, type Period, reconcile } from '../reconcile/compare-lists.ts'
import type { ListSide } from '../reconcile/list-entry.ts'
import { type ColumnNames, FIELDS, type ListField, readList } from '../reconcile/read-list.ts'
import {
  type Difference,
  isAllMatched,
  type ReconcileCounts,
  type ReferenceResult,
  type TransferState
} from '../reconcile/reference-result.ts'
import { merchantProblem, openExistingStore } from '../start/open-store.ts'
import { visible, visibleJson } from '../start/visible-text.ts'
import { openSqliteListStore } from '../store/sqlite/sqlite-list-store.ts'
import type { Store } from '../store/store.ts'
import {
  type Command,
  counted,
  formatCount,
  onlyArgument,
  padTo,
  readPeriod,
  runCommand,
  type ShowProgress,
  SWITCH,
  TEXT_FLAG,
  UsageError
} from './run-command.ts'

const FLAGS = {
  ...{ orders: TEXT_FLAG, merchant: TEXT_FLAG, from: TEXT_FLAG, to: TEXT_FLAG, all: SWITCH, json: SWITCH },
  map: { type: 'string', multiple: true }
} as const

export const reconcileLists: Command<typeof FLAGS> = {
  usage: `npm run reconcile -- <list> [--orders LIST] [--merchant ID] [--from TIME] [--to TIME] [--map FIELD=COLUMN,…] [--all] [--json]

  <list>      the platform's list: CSV with a header, or one JSON object a line
  --orders    the orders of one merchant as its own system has them, instead of those in the store: a list of the same kind
  --merchant  search only this merchant, not every one in the store
  --from --to the period of the merchant's orders that the list covers: days (of UTC, both included), or times (the end not included)
  --map       names of columns: ${FIELDS.map(field => `${field}=…`).join(',')}
              a column named like a field is used by default; "items=" ignores it
              of the list of --orders: orders.reference=… and so on
  --all       also show what matched in the table
  --json      one object a line: the summary, then every answer

exit code: 0 all match, 1 something differs, 2 it could not be compared
`,
  flags: FLAGS,
  failed: 2,
  run: async ({ values, positionals }, { environment, print, showProgress }) => {
    const { merchant, orders, from, to, map = [], all = false, json = false } = values
    const columns = readMap(map)
    const files: ListFile[] = [
      { side: 'platform', name: onlyArgument(positionals, 'list'), columns: columns.platform },
      ...(orders === undefined ? [] : [{ side: 'merchant', name: orders, columns: columns.merchant } as const])
    ]
    if (orders === undefined && Object.keys(columns.merchant).length > 0) {
      throw new UsageError('--map names columns of the list of --orders, which is not given')
    }
    const now = new Date()
    // Without an end the period ends now: the list cannot have what is ordered while it is compared.
    const period: Period = { from: '', before: now.toISOString(), ...readPeriod(from, to) }
    const { startedIn, database } = environment()
    const store = await openExistingStore({ database })
    const list = openSqliteListStore()
    try {
      const merchants = await searchedMerchants(store, merchant, orders !== undefined)
      const sources = await fillLists(list, files, startedIn, showProgress)
      const rows = sources.reduce((sum, source) => sum + source.rows, 0)
      const onProgress = (what: 'matching' | 'orders', done: number) =>
        what === 'matching' ? showProgress('matching', done, rows) : showProgress('orders searched', done, undefined)
      const hasMerchantList = orders !== undefined
      const counts = await reconcile({ store, list, merchants, hasMerchantList, period, now, onProgress })
      const results = list.results(json || all ? 'all' : 'unmatched')
      await print(json ? jsonLines(sources, counts, results) : textLines(sources, counts, results, merchants))
      return isAllMatched(counts) ? 0 : 1
    } finally {
      list.close()
      await store.close()
    }
  }
}

/** @throws OperatorError if the store has nothing of the merchant, or if it is not known whose list it is */
async function searchedMerchants(store: Store, merchant: string | undefined, isOnlyOne: boolean): Promise<string[]> {
  const problem = merchant === undefined ? undefined : await merchantProblem(store, merchant)
  if (problem) throw new OperatorError(problem)
  const merchants = merchant === undefined ? await store.merchantsInStore() : [merchant]
  if (!isOnlyOne || merchants.length === 1) return merchants
  const known = merchants.join(', ') || 'nothing at all'
  throw new OperatorError(`--orders is the list of one merchant: give --merchant; the store has ${known}`)
}

/** A comma that ends the name of a column: a field and `=` follow it. */
const SEPARATOR = new RegExp(`,(?=(?:orders\\.)?(?:${FIELDS.join('|')})=)`)

/** Reads `reference=Ref,total=Order total,orders.total=Sum`. @throws UsageError */
function readMap(maps: string[]): Record<ListSide, ColumnNames> {
  const names: Record<ListSide, ColumnNames> = { platform: {}, merchant: {} }
  for (const pair of maps.flatMap(map => map.split(SEPARATOR))) {
    const [, prefix, name, column] = /^(orders\.)?([^=]*)=(.*)$/s.exec(pair) ?? []
    const field = FIELDS.find(known => known === name)
    if (column === undefined || field === undefined || (field === 'reference' && column === '')) {
      throw new UsageError(
        `--map has ${JSON.stringify(pair)}; give a field and a column such as reference=Ref; fields are ${FIELDS.join(', ')}, of the list of --orders ${FIELDS.map(name => `orders.${name}`).join(', ')}`
      )
    }
    names[prefix === undefined ? 'platform' : 'merchant'][field] = column
  }
  return names
}

type ListFile = { side: ListSide; name: string; columns: ColumnNames }

const MAX_MISTAKES = 100

/** @throws OperatorError naming every bad row */
async function fillLists(
  list: ListStore,
  files: ListFile[],
  folder: string,
  showProgress: ShowProgress
): Promise<ListSource[]> {
  const sources: ListSource[] = []
  const problems: string[] = []
  for (const { side, name, columns } of files) {
    const source: ListSource = { side, name, rows: 0, unasked: [] }
    let mistakes = 0
    const file = resolve(folder, name)
    const { size } = statSync(file)
    const stream = createReadStream(file)
    await readList(stream, columns, {
      mapPrefix: MAP_PREFIX[side],
      // Without a reference nothing can be compared: its column cannot be ignored.
      onUnasked: field => {
        if (field !== 'reference') source.unasked.push(field)
      },
      onRow: row => {
        source.rows += 1
        list.addRow(side, row)
        showProgress('read', stream.bytesRead, size)
      },
      onMistake: (line, problem) => {
        mistakes += 1
        if (mistakes <= MAX_MISTAKES) problems.push(visible(`${name}:${line}: ${problem}`))
      }
    })
    if (mistakes > MAX_MISTAKES) problems.push(`… and ${counted(mistakes - MAX_MISTAKES, 'more row')}`)
    if (mistakes > 0) problems.push(...unaskedText(source))
    sources.push(source)
  }
  if (problems.length > 0) throw new OperatorError([...problems, 'nothing was compared'].join('\n'))
  return sources
}

/** A list, how many rows were read, and which columns were read though --map does not name them. */
export type ListSource = { side: ListSide; name: string; rows: number; unasked: ListField[] }

const MAP_PREFIX: Record<ListSide, string> = { platform: '', merchant: 'orders.' }

/** The columns that were read unasked, and how to ignore them: a line, or none. */
function unaskedText({ side, name, unasked }: ListSource): string[] {
  if (unasked.length === 0) return []
  const none = unasked.map(field => `${MAP_PREFIX[side]}${field}=`).join(',')
  return [`Columns of ${visible(name)} matched by name: ${unasked.join(', ')}. To ignore them: --map ${none}`]
}

function summaryText(sources: ListSource[], counts: ReconcileCounts): string {
  const { neverArrived, refused, notOrdered, expired, superseded, orderedHere, reported } = counts
  const onlyPlatform = neverArrived + refused + notOrdered + expired + superseded + orderedHere + reported
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
      ...unaskedText(source)
    ]),
    ...lines
      .filter(([, , isShown = true]) => isShown)
      .map(([label, count]) => `  ${label.padEnd(26)}${formatCount(count).padStart(width)}`),
    ...(counts.unreadableTransfers > 0 ? [`In this period ${unreadable} arrived without a readable reference.`] : []),
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
  const merchantWidth = Math.max('MERCHANT'.length, ...merchants.map(({ length }) => length))
  const widths = ['only-platform'.length, merchantWidth, 36, 7, 9, 0]
  const row = (...cells: string[]) => {
    const padded = cells.map((cell, i) => padTo(Number(widths[i]), visible(cell)))
    return `${padded.join('  ').trimEnd()}\n`
  }
  let isFirst = true
  for (const result of results) {
    if (isFirst) yield `\n${row('ANSWER', 'MERCHANT', 'REFERENCE', '   LINE', 'ORDER', 'WHAT')}`
    isFirst = false
    const line = 'line' in result ? String(result.line) : ''
    const order = ('order' in result && result.order) || ''
    yield row(result.answer, result.merchant ?? '-', result.reference, line.padStart(7), order, describeResult(result))
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
    case 'only-platform':
      return describeState(result, ', not ordered')
    case 'only-merchant': {
      const { merchantLine, placedAt, reportedAt, total, currency, transfer } = result
      const parts = [
        merchantLine && `line ${merchantLine} of the merchant's list`,
        placedAt && `placed ${placedAt}`,
        reportedAt && `reported ${reportedAt}`,
        [total, currency].filter(Boolean).join(' '),
        transfer && describeState(transfer, '')
      ]
      return parts.filter(Boolean).join(', ')
    }
  }
}

/** @param notOrdered said of a cart that arrived, unless its order is known */
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
  const own = merchantList && { merchantList: { rows: merchantList.rows, unasked: merchantList.unasked } }
  yield `${JSON.stringify({ summary: { rows: list?.rows, unasked: list?.unasked, ...own, ...counts } })}\n`
  for (const result of results) yield `${visibleJson(result)}\n`
}

if (import.meta.main) await runCommand(reconcileLists)
