// `npm run reconcile`: compares the platform's list with the store, or with the merchant's own list.
import { createReadStream, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { OperatorError } from '../errors.ts'
import { ATTRIBUTION } from '../integrations/destination/shop-message.ts'
import { type ListStore, type Period, reconcile } from '../reconcile/compare-lists.ts'
import type { ListRow, ListSide } from '../reconcile/list-entry.ts'
import type { ColumnNames } from '../reconcile/list-reading.ts'
import { FIELDS } from '../reconcile/list-row.ts'
import { readList } from '../reconcile/read-list.ts'
import { isAllMatched } from '../reconcile/reconcile-counts.ts'
import { LISTED_STATUSES, type ListedStatus, statusReader } from '../reconcile/status-words.ts'
import { merchantProblem, openExistingStore } from '../start/open-store.ts'
import { visible } from '../start/visible-text.ts'
import { openSqliteListStore } from '../store/sqlite/sqlite-list-store.ts'
import type { Store } from '../store/store.ts'
import { optionOfWay, transferOptions } from '../transfer/index.ts'
import { profileAddress } from '../ucp/platform-profile.ts'
import {
  isComplete,
  jsonLines,
  type ListSource,
  MAP_PREFIX,
  textLines,
  unaskedText,
  unreadableText
} from './reconcile-text.ts'
import {
  type Command,
  counted,
  onlyArgument,
  readPeriod,
  runCommand,
  type ShowProgress,
  SWITCH,
  TEXT_FLAG,
  UsageError
} from './run-command.ts'

const FLAGS = {
  orders: TEXT_FLAG,
  merchant: TEXT_FLAG,
  way: TEXT_FLAG,
  platform: TEXT_FLAG,
  from: TEXT_FLAG,
  to: TEXT_FLAG,
  all: SWITCH,
  json: SWITCH,
  map: { type: 'string', multiple: true },
  status: { type: 'string', multiple: true }
} as const

export const reconcileLists: Command<typeof FLAGS> = {
  usage: `npm run reconcile -- <list> [--orders LIST] [--merchant ID] [--way NAME] [--platform URL] [--from TIME] [--to TIME] [--map FIELD=COLUMN,…] [--status WORD=MEANING] [--all] [--json]

  <list>      the platform's list: CSV with the names of its columns, or JSON objects, one a line or in an array
  --orders    the orders of one merchant as its own system has them, instead of those in the store: a list of the same kind
  --merchant  search only this merchant, not every one in the store
  --way       of the orders in the store, only those whose bags came in by this way: "option" in the log's transfers, such as 2A
  --platform  of the orders in the store, only those of this platform, by the address of its profile: "platform" in npm run orders
  --from --to the period of the merchant's orders that the list covers: days (of UTC, both included), or times (the end not included)
  --map       names of columns: ${FIELDS.map(field => `${field}=…`).join(',')}
              a column named like a field is used by default; "items=" ignores it
              of the list of --orders: orders.reference=… and so on; without references, its orders are found by number
  --status    what a word of your shop means for an order: "Lost in post=refunded"; placed, cancelled or refunded
  --all       also show what matched in the table
  --json      one object a line: the summary, then every answer

exit code: 0 all match, 1 something differs or was not understood, 2 it could not be compared
`,
  flags: FLAGS,
  failed: 2,
  run: async ({ values, positionals }, { environment, print, showProgress }) => {
    const { merchant, orders, way, platform, from, to, map = [], status = [], all = false, json = false } = values
    const columns = readMap(map)
    const statuses = readStatuses(status)
    const files: ListFile[] = [
      { side: 'platform', name: onlyArgument(positionals, 'list'), columns: columns.platform },
      ...(orders === undefined ? [] : [{ side: 'merchant', name: orders, columns: columns.merchant } as const])
    ]
    if (orders === undefined && Object.keys(columns.merchant).length > 0) {
      throw new UsageError('--map names columns of the list of --orders, which is not given')
    }
    const part = way === undefined ? platform && '--platform' : '--way'
    if (orders !== undefined && part) {
      throw new UsageError(
        `${part} is about the orders in the store; leave it out, and give a list of --orders with those meant only`
      )
    }
    if (way !== undefined && !optionOfWay(way)) {
      const names = transferOptions.map(({ name }) => name).join(', ')
      throw new UsageError(
        `--way is ${JSON.stringify(way)}; give one of ${names}, or one and its path, such as "2A /app"`
      )
    }
    if (platform !== undefined && profileAddress(platform) !== platform) {
      const right = 'give the https address of its profile, as npm run orders has it'
      throw new UsageError(`--platform is ${JSON.stringify(platform)}; ${right}`)
    }
    const now = new Date()
    // Without an end the period ends now: the list cannot have what is ordered while it is compared.
    const period: Period = { from: '', before: now.toISOString(), ...readPeriod(from, to) }
    const { startedIn, database } = environment()
    const store = await openExistingStore({ database })
    const list = openSqliteListStore()
    try {
      const merchants = await searchedMerchants(store, merchant, orders !== undefined)
      const [ownMerchant = ''] = merchants
      const findOrder = async (number: string) =>
        (await store.listOrders({ merchantId: ownMerchant, number }, undefined, 1))[0]?.reference
      const sources = await fillLists(list, files, startedIn, statuses, showProgress, findOrder)
      const rows = sources.reduce((sum, source) => sum + source.rows, 0)
      let searched = 0
      const onProgress = (what: 'matching' | 'orders', done: number) => {
        if (what === 'matching') return showProgress('matching', done, rows)
        searched = done
        showProgress('orders searched', done, undefined)
      }
      const hasMerchantList = orders !== undefined
      const counts = await reconcile({
        store,
        list,
        merchants,
        hasMerchantList,
        way,
        platform,
        period,
        now,
        onProgress
      })
      const results = list.results(json || all ? 'all' : 'unmatched')
      const meant = part ? { ...(way && { way }), ...(platform && { platform }), orders: searched } : {}
      if (part && !json) {
        const origin = `${way ? ` by ${visible(way)}` : ''}${platform ? ` from ${visible(platform)}` : ''}`
        await print(`${counted(searched, 'order')} of bags that came in${origin}\n`)
      }
      await print(
        json ? jsonLines(sources, { ...counts, ...meant }, results) : textLines(sources, counts, results, merchants)
      )
      return isAllMatched(counts) && sources.every(isComplete) ? 0 : 1
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

/** Reads `Lost in post=refunded`. @throws UsageError */
function readStatuses(pairs: string[]): Map<string, ListedStatus> {
  const own = new Map<string, ListedStatus>()
  for (const pair of pairs) {
    const [, word, meaning] = /^(.+)=(.*)$/s.exec(pair) ?? []
    const status = LISTED_STATUSES.find(known => known === meaning)
    if (word === undefined || status === undefined) {
      throw new UsageError(
        `--status has ${JSON.stringify(pair)}; give a word and what it means, ${LISTED_STATUSES.join(', ')}, such as "Lost in post=refunded"`
      )
    }
    own.set(word, status)
  }
  return own
}

type ListFile = { side: ListSide; name: string; columns: ColumnNames }

const MAX_MISTAKES = 100

/** @throws OperatorError if a list cannot be read at all */
async function fillLists(
  list: ListStore,
  files: ListFile[],
  folder: string,
  statuses: Map<string, ListedStatus>,
  showProgress: ShowProgress,
  findOrder: (number: string) => Promise<string | undefined>
): Promise<ListSource[]> {
  const sources: ListSource[] = []
  const problems: string[] = []
  for (const { side, name, columns } of files) {
    const source: ListSource = {
      ...{ side, name, rows: 0, unasked: [], leftOut: 0 },
      ...{ unreadable: { rows: 0, first: [] }, unknownWords: new Map() }
    }
    let readable = 0
    const file = resolve(folder, name)
    const stats = statSync(file, { throwIfNoEntry: false })
    if (!stats || stats.isDirectory()) {
      throw new OperatorError(`${file}: ${stats ? 'it is a folder' : 'there is no such file'}; give the path of a list`)
    }
    const stream = createReadStream(file)
    // A refund is a row of its own, with the number of its order.
    const byNumber = new Map<string, ListRow[]>()
    const failed = await readList(stream, {
      columns,
      mapPrefix: MAP_PREFIX[side],
      mayLackReferences: side === 'merchant',
      readStatus: statusReader(statuses, word => {
        source.unknownWords.set(word, (source.unknownWords.get(word) ?? 0) + 1)
      }),
      // Without a reference nothing can be compared: its column cannot be ignored.
      onUnasked: field => {
        if (field !== 'reference') source.unasked.push(field)
      },
      onUncompared: (fields, columns) => {
        source.uncompared = { fields, columns }
      },
      onRow: row => {
        source.rows += 1
        if (!row.isUnreadable) readable += 1
        const rows = byNumber.get(String(row.order))
        if (row.reference !== '') list.addRow(side, row)
        else if (!rows) byNumber.set(String(row.order), [row])
        else if (row.item) rows.push(row)
        showProgress('read', stream.bytesRead, stats.size)
      },
      onLeftOut: () => {
        source.leftOut += 1
      },
      onMistake: (line, problem) => {
        source.unreadable.rows += 1
        if (source.unreadable.rows <= MAX_MISTAKES) source.unreadable.first.push(`${name}:${line}: ${problem}`)
      }
    })
    if (failed || (readable === 0 && source.unreadable.rows > 0)) {
      const reason = failed ? [visible(`${name}:${failed.line}: ${failed.message}`)] : []
      problems.push(...unreadableText(source), ...reason, ...unaskedText(source))
    }
    let unknown = 0
    const fromApp: string[] = []
    for (const [number, rows] of byNumber) {
      const reference = await findOrder(number)
      if (reference !== undefined) for (const row of rows) list.addRow(side, { ...row, reference })
      else {
        unknown += 1
        if (rows.some(({ attribution }) => attribution?.toLowerCase().includes(ATTRIBUTION))) fromApp.push(number)
      }
    }
    if (byNumber.size > 0) source.unknown = { orders: unknown, fromApp }
    sources.push(source)
  }
  if (problems.length > 0) throw new OperatorError([...problems, 'nothing was compared'].join('\n'))
  return sources
}

if (import.meta.main) await runCommand(reconcileLists)
