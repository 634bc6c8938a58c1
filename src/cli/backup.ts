// `npm run backup`: copies the database while the server runs.
import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { OperatorError } from '../errors.ts'
import { existingFile } from '../start/open-store.ts'
import { backupSqlite } from '../store/sqlite/copy-sqlite.ts'
import { withRemedy } from '../store/sqlite/sqlite-file.ts'
import { type Command, counted, onlyArgument, runCommand } from './run-command.ts'

export const backup: Command = {
  usage: `npm run backup -- FILE

Copies the database that DATABASE_URL names, as for the server, which may go on. FILE must not exist; it is there once
the copy is complete and was found sound, and only its owner can read it.

exit code: 0 done, 1 there is no backup, 2 the arguments cannot be read
`,
  flags: {},
  run: async ({ positionals }, { environment, print }) => {
    const target = onlyArgument(positionals, 'file for the backup')
    const { startedIn, database: address } = environment()
    const file = resolve(startedIn, target)
    if (existsSync(file)) throw new OperatorError(`${file} is there already; give a file that is not`)
    if (!existsSync(dirname(file))) throw new OperatorError(`there is no folder ${dirname(file)}; create it first`)
    if (address.kind === 'postgres') {
      throw new OperatorError(
        `this copies an SQLite file; of PostgreSQL, make a backup with: pg_dump --format=custom --file=${target} "$DATABASE_URL"`
      )
    }
    const database = existingFile(address.file)
    const { orders, lastAt } = await backupSqlite(database, file).catch((error: Error) => {
      throw new OperatorError(`no backup of ${database}: ${withRemedy(error)}`)
    })
    await print(`${file}: ${counted(orders, 'order')}${lastAt === undefined ? '' : `, the last of ${lastAt}`}\n`)
    return 0
  }
}

if (import.meta.main) await runCommand(backup)
