// `npm run migrate`: moves a shop's data from SQLite to PostgreSQL.
import { readDatabaseUrl } from '../environment.ts'
import { existingFile } from '../start/open-store.ts'
import { copyTables } from '../store/postgres/copy-tables.ts'
import { connectPostgres } from '../store/postgres/postgres-store.ts'
import { openSqliteTables } from '../store/sqlite/copy-sqlite.ts'
import { type Command, columns, formatCount, runCommand, UsageError } from './run-command.ts'

const HEADINGS = {
  copied: 'Everything was copied, and every row compared:',
  'there-already': 'Everything is there already; every row was compared:'
}

export const moveToPostgres: Command = {
  usage: `npm run migrate -- sqlite:FILE postgres://USER@HOST/DATABASE

Copies everything from an SQLite database into an empty one of PostgreSQL, and compares every row. Stop all servers before.
A copy that fails or is stopped leaves nothing behind: run it again. The file stays as it was, apart from migrations to
the newest schema. A password on the command line is seen by all users of the machine; PGPASSWORD or ~/.pgpass is not.

exit code: 0 everything is in PostgreSQL, 1 nothing was copied, 2 the arguments cannot be read
`,
  flags: {},
  run: async ({ positionals }, { print, showProgress }) => {
    const [source, target] = positionals.map(url => readDatabaseUrl(url))
    if (positionals.length !== 2 || source?.kind !== 'sqlite' || target?.kind !== 'postgres') {
      throw new UsageError('give "sqlite:" with the path of a file, and the address of a PostgreSQL database')
    }
    const original = openSqliteTables(existingFile(source.file, 'give the file of the server'))
    try {
      const connections = await connectPostgres(target.url, target.tls)
      const { tables } = original
      // Each row is read twice, the second time to compare it.
      const total = 2 * tables.reduce((sum, { rows }) => sum + rows, 0)
      const showCopied = (done: number) => showProgress('copied and compared', done, total)
      const result = await copyTables(connections, original, showCopied).finally(connections.close)
      await print(`${HEADINGS[result]}
${columns()(tables.map(({ name, rows }) => [name, formatCount(rows)]))}Start the servers with the new DATABASE_URL.
Move the old file away, so that nothing opens it, and keep it as a backup.
`)
      return 0
    } finally {
      original.close()
    }
  }
}

if (import.meta.main) await runCommand(moveToPostgres)
