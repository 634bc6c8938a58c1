// What the migrations of both databases have in common.
import { OperatorError } from '../errors.ts'

/** A change of tables or columns has the same name in both schemas; an index may be in one alone. */
export type Migration = { name: string; statements: string[] }

/**
 * The steps that a database lacks, in their order.
 * @param applied the names of those that it has
 * @throws OperatorError if it was written by a newer version of this server
 */
export function pendingMigrations(steps: Migration[], applied: string[]): Migration[] {
  const unknown = applied.find(name => !steps.some(step => step.name === name))
  if (unknown !== undefined) {
    throw new OperatorError(
      `the database has the migration "${unknown}", which this version does not know; use a newer version`
    )
  }
  return steps.filter(({ name }) => !applied.includes(name))
}
