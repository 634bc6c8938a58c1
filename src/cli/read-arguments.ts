// The arguments of a command.
import { type ParseArgsConfig, parseArgs } from 'node:util'

/** What is wrong with the arguments of a command, and what would be right. */
export class UsageError extends Error {}

/** @throws UsageError for a flag that there is not, or one without the value that it needs */
export function readArguments<Flags extends NonNullable<ParseArgsConfig['options']>>(args: string[], options: Flags) {
  try {
    return parseArgs({ args, options, allowPositionals: true })
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}
