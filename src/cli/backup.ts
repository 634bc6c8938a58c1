// `npm run backup`: copies the database while the server runs.
import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { type Environment, readEnvironment } from '../environment.ts'
import { OperatorError } from '../errors.ts'
import { existingFile } from '../start/open-store.ts'
import { backupSqlite } from '../store/sqlite/backup-sqlite.ts'
import { onlyArgument, readArguments, runCommand } from './run-command.ts'
import { counted } from './terminal-text.ts'

const USAGE = `npm run backup -- FILE

Copies the database that DATABASE_URL names, as for the server, which may go on. FILE must not exist; it is there once
the copy is complete and was found sound, and only its owner can read it.

exit code: 0 done, 1 there is no backup, 2 the arguments cannot be read
`

/** @returns what to tell the operator @throws OperatorError if there is no backup */
export async function backUp(args: string[], environment: Environment): Promise<string> {
  const target = onlyArgument(readArguments(args, {}).positionals, 'file for the backup')
  const file = resolve(environment.startedIn, target)
  if (existsSync(file)) throw new OperatorError(`${file} is there already; give a file that is not`)
  if (!existsSync(dirname(file))) throw new OperatorError(`there is no folder ${dirname(file)}; create it first`)
  const { database: address } = environment
  if (address.kind === 'postgres') {
    throw new OperatorError(
      `this copies an SQLite file; of PostgreSQL, make a backup with: pg_dump --format=custom --file=${target} "$DATABASE_URL"`
    )
  }
  const database = existingFile(address.file)
  try {
    const { orders, lastAt } = await backupSqlite(database, file)
    const last = lastAt === undefined ? '' : `, the last of ${lastAt}`
    return `${file}: ${counted(orders, 'order')}${last}\n`
  } catch (error) {
    throw new OperatorError(`no backup of ${database}: ${(error as Error).message}`)
  }
}

if (import.meta.main) {
  const run = async (args: string[]) => {
    process.stdout.write(await backUp(args, readEnvironment()))
    return 0
  }
  await runCommand({ usage: USAGE, run, failed: 1 })
}
