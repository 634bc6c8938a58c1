// Opens the store for a command: the one that the server uses, which must exist.
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Environment } from '../environment.ts'
import { OperatorError } from '../errors.ts'
import { openSqlite } from '../store/sqlite/sqlite-store.ts'
import type { Store } from '../store/store.ts'
import { visible } from '../visible-text.ts'

/** The path of the database. @throws OperatorError if there is none */
export function existingDatabase({ database }: Environment): string {
  const file = resolve(database)
  if (!existsSync(file)) throw new OperatorError(`there is no database ${file}; set DATABASE_URL as for the server`)
  return file
}

/** @throws OperatorError if there is none */
export function openExistingStore(environment: Environment): Store {
  return openSqlite(existingDatabase(environment))
}

/** What is wrong with a merchant's id if the store has nothing of it: it may be misspelt. */
export async function merchantProblem(store: Store, merchantId: string): Promise<string | undefined> {
  const known = await store.merchantsInStore()
  if (known.includes(merchantId)) return undefined
  return visible(`the store has nothing of "${merchantId}"; it has ${known.join(', ') || 'nothing at all'}`)
}
