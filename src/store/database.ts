// What the stored-*.ts files need from a database. They are written once; SQLite and PostgreSQL differ only in how
// statements are run.
import { referenceKey } from '../cart/cart.ts'
import { StoreDamaged, StoreUncertain } from '../errors.ts'

/** A row as a driver returns it: its columns by their names, which are snake_case. */
export type DatabaseRow = Record<string, unknown>

export type Result = {
  rows: DatabaseRow[]
  /** How many rows were returned or, if none are, changed. */
  count: number
}

/** An array stands for all of its elements: `= ANY ($1)`. */
export type SqlValues = readonly (Value | readonly Value[])[]
type Value = string | number | null

/** A statement to run, or a reference to lock until the transaction ends. */
export type DatabaseStep = { sql: string; values: SqlValues } | { lock: { merchantId: string; key: string } }

/**
 * The steps of a transaction, each answered by its result. A generator rather than an async function: SQLite runs it in
 * one go, so that nothing else in the process sees it half done; PostgreSQL awaits each step.
 */
export type Work<T> = Generator<DatabaseStep, T, Result>

export type Queries = {
  /**
   * Runs a statement that changes nothing. It is PostgreSQL's SQL, slightly changed for SQLite, and names the columns that it
   * reads: a server keeps running while a newer version adds others.
   */
  read: (sql: string, values?: SqlValues) => Promise<Result>
  /** Runs a statement that changes rows, in a transaction of its own. Resolves once it is on disk. */
  write: (sql: string, values?: SqlValues) => Promise<Result>
  /**
   * Runs all steps in one transaction, and again from the start if another is in the way. Resolves once it is on disk.
   * @param find finds the result if nothing needs to be written: tried while the database file cannot be
   */
  transaction: <T>(work: () => Work<T>, find?: () => Work<T | undefined>) => Promise<T>
  /** Runs steps that read the database as it is at one moment. */
  snapshot: <T>(work: () => Work<T>) => Promise<T>
}

export type Database = Queries & {
  /**
   * The database for a call of one merchant, which has a share of the connections; with a reference, for one that may lock what
   * is kept under it: they run one after another.
   */
  of: (merchantId: string, reference?: string) => Queries
  /** @throws StoreUnavailable if what was read would be gone after a restart: the file was deleted or replaced, or is damaged */
  checkDurable: () => void
  /** Runs a call of the store. @throws StoreUnavailable, or what is wrong with the call */
  guard: <T>(call: () => Promise<T>) => Promise<T>
  /** Removes earlier versions of changed rows. @returns false if somebody still sees them */
  purge: () => Promise<boolean>
  /** Finishes pending work, then closes the file or the connections. */
  close: () => Promise<void>
}

export function statement(sql: string, values: SqlValues = []): DatabaseStep {
  return { sql, values }
}

/** A condition that a column has one of these values, which are ours. */
export function inValues(values: string[]): string {
  return `IN ('${values.join("', '")}')`
}

/** Waits until no other transaction has locked the reference; this one keeps it until it ends. */
export function lockReference(merchantId: string, reference: string): DatabaseStep {
  return { lock: { merchantId, key: referenceKey(reference) } }
}

export const IF_DAMAGED = 'stop every server and restore a backup, as src/store/README.md says'

/**
 * Damage that any call meets is remembered: what is stored afterwards would be lost once a backup is restored.
 * @param name what the damaged database is called
 * @param isDamage whether an error of the database, or its cause, says so
 */
export function watchForDamage(name: string, isDamage: (error: unknown) => boolean) {
  let damage: StoreDamaged | undefined
  return {
    checkSound: () => {
      if (damage) throw damage
    },
    watch: async <T>(call: () => Promise<T>): Promise<T> => {
      try {
        return await call()
      } catch (error) {
        // The database does not know that a text was JSON. The error may quote it, with personal data.
        const isGarbled = error instanceof SyntaxError
        if (!isGarbled && !isDamage(error)) throw error
        damage ??= new StoreDamaged(`${name} is damaged: ${IF_DAMAGED}`, isGarbled ? {} : { cause: error })
        throw error instanceof StoreUncertain ? error : damage
      }
    }
  }
}
