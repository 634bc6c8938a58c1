// `npm run reconcile`: the platform's list against the store, beside a running server or without one. Exit code 0 when
// everything matches, 1 when anything differs, 2 when it could not be compared.
import { createReadStream, existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { EnvironmentError, readEnvironment } from '../config/environment.ts'
import { PeriodError } from '../period.ts'
import { readList } from '../reconcile/read-list.ts'
import { isAllMatched, reconcile } from '../reconcile/reconcile.ts'
import { jsonLines, textLines } from '../reconcile/report.ts'
import { openSqlite } from '../store/sqlite.ts'
import { openSqlitePlatformList } from '../store/sqlite-platform-list.ts'
import { visible } from '../terminal-text.ts'
import { type ProgressBar, progressBar } from './progress-bar.ts'
import { UsageError } from './read-arguments.ts'
import { readReconcileRequest, USAGE } from './reconcile-request.ts'

/** How many bad rows are named one by one. */
const MOST_MISTAKES = 100
/** How much is handed to the output at once, in characters. */
const CHUNK = 64 * 1024

/** What stops a comparison before it begins, in words for whoever asked for it. */
class CannotCompare extends Error {}

async function main(args: string[]): Promise<number> {
  const request = readReconcileRequest(args)
  if (request.is === 'help') {
    process.stdout.write(USAGE)
    return 0
  }
  const { list: name, columns, merchant, isAll, isJson } = request
  const now = new Date()
  // Without an end the period ends now: what is ordered while the list is compared cannot be in it.
  const period = { from: '', before: now.toISOString(), ...request.period }
  const environment = readEnvironment()
  const database = resolve(environment.database)
  if (!existsSync(database))
    throw new CannotCompare(`there is no store at ${database}; set DATABASE_URL as the server has it`)

  const bar = progressBar(process.stderr, () => Date.now())
  const list = openSqlitePlatformList()
  try {
    const file = resolve(environment.startedIn, name)
    let rows = 0
    const mistakes: string[] = []
    let mistaken = 0
    await readList(withProgress(file, bar), columns, {
      take: row => {
        rows += 1
        list.addRow(row)
      },
      report: (line, problem) => {
        mistaken += 1
        if (mistakes.length < MOST_MISTAKES) mistakes.push(visible(`${name}:${line}: ${problem}`))
      }
    })
    if (mistaken > 0) {
      const more = mistaken > mistakes.length ? [`… and ${mistaken - mistakes.length} rows more`] : []
      throw new CannotCompare([...mistakes, ...more, 'nothing was compared'].join('\n'))
    }

    const store = openSqlite(database)
    try {
      const known = await store.merchantsInStore()
      const merchants = merchant === undefined ? known : [merchant]
      if (merchant !== undefined && !known.includes(merchant)) {
        bar.clear()
        console.error(visible(`the store has nothing of "${merchant}"; it has ${known.join(', ') || 'nothing at all'}`))
      }
      const onProgress = (what: 'matching' | 'orders', done: number) =>
        bar.show(
          what === 'matching' ? 'matching' : 'orders looked through',
          done,
          what === 'matching' ? rows : undefined
        )
      const counts = await reconcile({ store, list, merchants, period, now, onProgress })
      bar.clear()
      const source = { name, rows }
      await print(
        isJson
          ? jsonLines(source, counts, list.answers('all'))
          : textLines(source, counts, list.answers(isAll ? 'all' : 'unmatched'), merchants)
      )
      return isAllMatched(counts) ? 0 : 1
    } finally {
      await store.close()
    }
  } finally {
    bar.clear()
    list.close()
  }
}

async function* withProgress(file: string, bar: ProgressBar): AsyncGenerator<Uint8Array> {
  const size = statSync(file).size
  let read = 0
  for await (const chunk of createReadStream(file)) {
    yield chunk
    read += chunk.length
    bar.show('read', read, size)
  }
}

/** Prints as fast as the output takes it; a reader that goes away has read enough. */
async function print(lines: Iterable<string>): Promise<void> {
  try {
    await pipeline(Readable.from(chunksOf(lines)), process.stdout, { end: false })
  } catch (error) {
    if ((error as { code?: string }).code !== 'EPIPE') throw error
  }
}

function* chunksOf(lines: Iterable<string>): Generator<string> {
  let chunk = ''
  for (const line of lines) {
    chunk += line
    if (chunk.length < CHUNK) continue
    yield chunk
    chunk = ''
  }
  yield chunk
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  const { code, message } = error as { code?: string; message: string }
  const isExpected =
    [UsageError, CannotCompare, PeriodError, EnvironmentError].some(kind => error instanceof kind) || code !== undefined
  console.error(isExpected ? `cannot compare:\n${message}` : error)
  if (error instanceof UsageError) console.error(`\n${USAGE}`)
  process.exitCode = 2
}
