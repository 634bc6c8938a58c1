// `npm run migrate`: moves a shop's data from SQLite to PostgreSQL.
import { readDatabaseUrl } from '../environment.ts'
import { existingFile } from '../start/open-store.ts'
import { type CopyResult, copyTables } from '../store/postgres/copy-tables.ts'
import { connectPostgres } from '../store/postgres/postgres-store.ts'
import { openSqliteTables } from '../store/sqlite/sqlite-tables.ts'
import type { Tables } from '../store/tables.ts'
import { readArguments, runCommand, UsageError } from './run-command.ts'
import { columns, formatCount, showProgressOn, type TerminalProgress } from './terminal-text.ts'

const USAGE = `npm run migrate -- sqlite:FILE postgres://USER@HOST/DATABASE

Copies everything from an SQLite database into an empty one of PostgreSQL, and compares every row. Stop all servers before.
A copy that fails or is stopped leaves nothing behind: run it again. The file stays as it was, apart from migrations to
the newest schema. A password on the command line is seen by all users of the machine; PGPASSWORD or ~/.pgpass is not.

exit code: 0 everything is in PostgreSQL, 1 nothing was copied, 2 the arguments cannot be read
`

/** @returns what to tell the operator @throws OperatorError if nothing was copied */
export async function moveToPostgres(args: string[], bar: TerminalProgress): Promise<string> {
  const [source, target] = readArguments(args, {}).positionals.map(url => readDatabaseUrl(url))
  if (args.length !== 2 || source?.kind !== 'sqlite' || target?.kind !== 'postgres') {
    throw new UsageError('give "sqlite:" with the path of a file, and the address of a PostgreSQL database')
  }
  const tables = openSqliteTables(existingFile(source.file, 'give the file of the server'))
  try {
    const connections = await connectPostgres(target.url, target.tls)
    try {
      return report(await copyTables(connections, tables, showProgress(tables, bar)), tables)
    } finally {
      await connections.close()
    }
  } finally {
    tables.close()
  }
}

function showProgress({ tables }: Tables, bar: TerminalProgress): (done: number) => void {
  // Each row is read twice, the second time to compare it.
  const total = 2 * tables.reduce((sum, { rows }) => sum + rows, 0)
  return done => bar.show('copied and compared', done, total)
}

function report(result: CopyResult, { tables }: Tables): string {
  const rows = tables.map(({ name, rows }) => [name, formatCount(rows)])
  const heading =
    result === 'copied'
      ? 'Everything was copied, and every row compared:'
      : 'Everything is there already; every row was compared:'
  return `${heading}
${columns()(rows)}Start the servers with the new DATABASE_URL.
Move the old file away, so that nothing opens it, and keep it as a backup.
`
}

if (import.meta.main) {
  const run = async (args: string[]) => {
    const bar = showProgressOn(process.stderr, Date.now)
    process.stdout.write(await moveToPostgres(args, bar).finally(bar.clear))
    return 0
  }
  await runCommand({ usage: USAGE, run, failed: 1 })
}
