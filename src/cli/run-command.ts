// Runs a command and reports errors, the same way for all commands: those that the operator can fix without a stack,
// wrong arguments with the usage below them.
import { inspect, type ParseArgsConfig, parseArgs } from 'node:util'
import { loadEnvFile } from '../environment.ts'
import { OperatorError } from '../errors.ts'
import { visibleLines } from '../start/visible-text.ts'

/** What is wrong with the arguments of a command. */
export class UsageError extends OperatorError {}

class HelpRequested extends Error {}

/** The exit code for wrong arguments. */
const MISUSED = 2

export type Command = {
  /** Printed by --help, and below a mistake in the arguments. */
  usage: string
  /** @returns the exit code */
  run: (args: string[]) => Promise<number>
  /** The exit code if it cannot do its work. */
  failed: number
}

export async function runCommand({ usage, run, failed }: Command): Promise<void> {
  try {
    loadEnvFile()
    process.exitCode = await run(process.argv.slice(2))
  } catch (error) {
    if (error instanceof HelpRequested) {
      process.stdout.write(usage)
      return
    }
    const isUsage = error instanceof UsageError
    console.error(visibleLines(isExpected(error) ? error.message : inspect(error)))
    if (isUsage) console.error(`\n${usage}`)
    process.exitCode = isUsage ? MISUSED : failed
  }
}

/** System errors, such as a missing file, have a code, and a message that says enough. */
function isExpected(error: unknown): error is Error {
  return error instanceof OperatorError || (error as { code?: unknown }).code !== undefined
}

/**
 * Reads the arguments of a command; `--help` and `-h` are known to all of them.
 * @throws UsageError for an unknown flag, or one without the value that it needs
 */
export function readArguments<Flags extends NonNullable<ParseArgsConfig['options']>>(args: string[], flags: Flags) {
  const options = { ...flags, help: { type: 'boolean', short: 'h' } } as const
  const parsed = parse({ args, options, allowPositionals: true } as const)
  if ((parsed.values as { help?: boolean }).help) throw new HelpRequested()
  return parsed
}

function parse<Config extends ParseArgsConfig>(config: Config) {
  try {
    return parseArgs(config)
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

/** The single positional argument. @param what what it is, for the error message */
export function onlyArgument(positionals: string[], what: string): string {
  const [argument, ...more] = positionals
  if (argument === undefined || more.length > 0) throw new UsageError(`give one ${what}`)
  return argument
}
