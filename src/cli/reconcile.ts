// `npm run reconcile`: compares the platform's list with the store, next to a running server or without one.
import { createReadStream, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { readEnvironment } from '../environment.ts'
import { OperatorError } from '../errors.ts'
import { isAllMatched, type Period, reconcile } from '../reconcile/compare-lists.ts'
import type { ColumnNames } from '../reconcile/list-handlers.ts'
import { FIELDS, type ListField } from '../reconcile/list-row.ts'
import type { PlatformList } from '../reconcile/platform-list.ts'
import { readList } from '../reconcile/read-list.ts'
import { openSqlitePlatformList } from '../store/sqlite/sqlite-platform-list.ts'
import { visible } from '../visible-text.ts'
import { merchantProblem, openExistingStore } from './open-store.ts'
import { readPeriod } from './period.ts'
import { type ProgressBar, progressBar } from './progress-bar.ts'
import { jsonLines, type ListSource, textLines, unaskedText } from './reconcile-report.ts'
import { onlyArgument, readArguments, runCommand, UsageError } from './run-command.ts'
import { counted } from './terminal-text.ts'

const USAGE = `npm run reconcile -- <list> [--merchant ID] [--from TIME] [--to TIME] [--map FIELD=COLUMN,…] [--all] [--json]

  <list>      the platform's list: CSV with a header, or one JSON object a line
  --merchant  search only this merchant, not every one in the store
  --from --to the period of the merchant's orders that the list covers: days (of UTC, both included), or times (the end not included)
  --map       names of columns: ${FIELDS.map(field => `${field}=…`).join(',')}
              a column that is named as its field is read unasked; "items=" leaves it alone
  --all       also show what matched in the table
  --json      one object a line: the summary, then every answer

exit code: 0 all match, 1 something differs, 2 it could not be compared
`

const MATCHED = 0
const DIFFERENT = 1
const FAILED = 2

/** Bad rows that are reported individually. */
const MAX_MISTAKES = 100
/** How much is written to the output at once, in characters. */
const CHUNK = 64 * 1024

const FLAGS = {
  merchant: { type: 'string' },
  from: { type: 'string' },
  to: { type: 'string' },
  map: { type: 'string', multiple: true },
  all: { type: 'boolean' },
  json: { type: 'boolean' }
} as const

async function run(args: string[]): Promise<number> {
  const { values, positionals } = readArguments(args, FLAGS)
  const { merchant, from, to, map = [], all = false, json = false } = values
  const name = onlyArgument(positionals, 'list')
  const columnNames = readMap(map)
  const now = new Date()
  // Without an end the period ends now: the list cannot have what is ordered while it is compared.
  const period: Period = { from: '', before: now.toISOString(), ...readPeriod(from, to) }
  const environment = readEnvironment()
  const store = openExistingStore(environment)
  const bar = progressBar(process.stderr, () => Date.now())
  const list = openSqlitePlatformList()
  try {
    const problem = merchant === undefined ? undefined : await merchantProblem(store, merchant)
    if (problem) throw new OperatorError(problem)
    const source = await fillList(list, name, resolve(environment.startedIn, name), columnNames, bar)
    const merchants = merchant === undefined ? await store.merchantsInStore() : [merchant]
    const onProgress = (what: 'matching' | 'orders', done: number) =>
      what === 'matching' ? bar.show('matching', done, source.rows) : bar.show('orders searched', done, undefined)
    const counts = await reconcile({ store, list, merchants, period, now, onProgress })
    bar.clear()
    await print(
      json
        ? jsonLines(source, counts, list.results('all'))
        : textLines(source, counts, list.results(all ? 'all' : 'unmatched'), merchants)
    )
    return isAllMatched(counts) ? MATCHED : DIFFERENT
  } finally {
    bar.clear()
    list.close()
    await store.close()
  }
}

/** Reads the whole list. @throws OperatorError naming every bad row */
async function fillList(
  list: PlatformList,
  name: string,
  file: string,
  columnNames: ColumnNames,
  bar: ProgressBar
): Promise<ListSource> {
  let rows = 0
  let mistaken = 0
  const mistakes: string[] = []
  const unasked: ListField[] = []
  await readList(withProgress(file, bar), columnNames, {
    // Without a reference nothing can be compared: its column cannot be left alone.
    onUnasked: field => {
      if (field !== 'reference') unasked.push(field)
    },
    onRow: row => {
      rows += 1
      list.addRow(row)
    },
    onMistake: (line, problem) => {
      mistaken += 1
      if (mistakes.length < MAX_MISTAKES) mistakes.push(`${name}:${line}: ${problem}`)
    }
  })
  if (mistaken === 0) return { name, rows, unasked }
  const more = mistaken > mistakes.length ? [`… and ${counted(mistaken - mistakes.length, 'more row')}`] : []
  throw new OperatorError(
    [...mistakes.map(visible), ...more, ...unaskedText(unasked), 'nothing was compared'].join('\n')
  )
}

/** Reads `reference=Ref,total=Order total`; a comma belongs to a column's name unless a field and `=` follow it. */
function readMap(maps: string[]): ColumnNames {
  const names: ColumnNames = {}
  for (const pair of maps.flatMap(map => map.split(new RegExp(`,(?=(?:${FIELDS.join('|')})=)`)))) {
    const [, field, column] = /^([^=]*)=(.*)$/s.exec(pair) ?? []
    if (column === undefined || !isField(field) || (field === 'reference' && column === '')) {
      throw new UsageError(
        `--map has ${JSON.stringify(pair)}; give a field and a column such as reference=Ref; fields are ${FIELDS.join(', ')}`
      )
    }
    names[field] = column
  }
  return names
}

function isField(name: string | undefined): name is ListField {
  return FIELDS.some(field => field === name)
}

async function* withProgress(file: string, bar: ProgressBar): AsyncGenerator<Uint8Array> {
  const { size } = statSync(file)
  let read = 0
  for await (const chunk of createReadStream(file)) {
    yield chunk
    read += chunk.length
    bar.show('read', read, size)
  }
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
