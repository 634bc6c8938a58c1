// `npm run reconcile`: compares the platform's list with the store, or with a list of the merchant's, next to a running
// server or without one.
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { readEnvironment } from '../environment.ts'
import { OperatorError } from '../errors.ts'
import { type Period, reconcile } from '../reconcile/compare-lists.ts'
import { FIELDS } from '../reconcile/list-row.ts'
import { isAllMatched } from '../reconcile/reference-result.ts'
import { merchantProblem, openExistingStore } from '../start/open-store.ts'
import { openSqliteListStore } from '../store/sqlite/sqlite-list-store.ts'
import type { Store } from '../store/store.ts'
import { fillLists, type ListFile, readMap } from './fill-lists.ts'
import { jsonLines, textLines } from './reconcile-report.ts'
import { onlyArgument, readArguments, readPeriod, runCommand, UsageError } from './run-command.ts'
import { showProgressOn } from './terminal-text.ts'

const USAGE = `npm run reconcile -- <list> [--orders LIST] [--merchant ID] [--from TIME] [--to TIME] [--map FIELD=COLUMN,…] [--all] [--json]

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
`

const MATCHED = 0
const DIFFERENT = 1
const FAILED = 2

/** How much is written to the output at once, in characters. */
const CHUNK = 64 * 1024

const FLAGS = {
  orders: { type: 'string' },
  merchant: { type: 'string' },
  from: { type: 'string' },
  to: { type: 'string' },
  map: { type: 'string', multiple: true },
  all: { type: 'boolean' },
  json: { type: 'boolean' }
} as const

async function run(args: string[]): Promise<number> {
  const { values, positionals } = readArguments(args, FLAGS)
  const { merchant, orders, from, to, map = [], all = false, json = false } = values
  const name = onlyArgument(positionals, 'list')
  const columns = readMap(map)
  if (orders === undefined && Object.keys(columns.merchant).length > 0) {
    throw new UsageError('--map names columns of the list of --orders, which is not given')
  }
  const now = new Date()
  // Without an end the period ends now: the list cannot have what is ordered while it is compared.
  const period: Period = { from: '', before: now.toISOString(), ...readPeriod(from, to) }
  const environment = readEnvironment()
  const store = await openExistingStore(environment)
  const bar = showProgressOn(process.stderr, () => Date.now())
  const list = openSqliteListStore()
  try {
    const merchants = await searchedMerchants(store, merchant, orders !== undefined)
    const folder = environment.startedIn
    const files: ListFile[] = [
      { side: 'platform', name, folder, columns: columns.platform },
      ...(orders === undefined ? [] : [{ side: 'merchant', name: orders, folder, columns: columns.merchant } as const])
    ]
    const sources = await fillLists(list, files, bar)
    const rows = sources.reduce((sum, source) => sum + source.rows, 0)
    const onProgress = (what: 'matching' | 'orders', done: number) =>
      what === 'matching' ? bar.show('matching', done, rows) : bar.show('orders searched', done, undefined)
    const listedMerchant = orders === undefined ? undefined : merchants[0]
    const counts = await reconcile({ store, list, merchants, listedMerchant, period, now, onProgress })
    bar.clear()
    await print(
      json
        ? jsonLines(sources, counts, list.results('all'))
        : textLines(sources, counts, list.results(all ? 'all' : 'unmatched'), merchants)
    )
    return isAllMatched(counts) ? MATCHED : DIFFERENT
  } finally {
    bar.clear()
    list.close()
    await store.close()
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

/** Prints as fast as the output accepts it; a reader that goes away has read enough. */
async function print(lines: Iterable<string>): Promise<void> {
  try {
    await pipeline(Readable.from(inChunks(lines)), process.stdout, { end: false })
  } catch (error) {
    if ((error as { code?: string }).code !== 'EPIPE') throw error
  }
}

function* inChunks(lines: Iterable<string>): Generator<string> {
  let chunk = ''
  for (const line of lines) {
    chunk += line
    if (chunk.length < CHUNK) continue
    yield chunk
    chunk = ''
  }
  yield chunk
}

if (import.meta.main) await runCommand({ usage: USAGE, run, failed: FAILED })
