// Runs a command, reads its arguments and reports errors, the same way for all commands: those that the operator can fix
// without a stack, wrong arguments with the usage below them.
import { inspect, type ParseArgsConfig, parseArgs } from 'node:util'
import { isCalendarDate } from '../cart/exact-values.ts'
import { loadEnvFile, readSecret } from '../environment.ts'
import { OperatorError } from '../errors.ts'
import type { Period } from '../reconcile/compare-lists.ts'
import { webhookSecret } from '../secrets.ts'
import { visibleLines } from '../start/visible-text.ts'
import type { AuthenticationType, Credentials } from '../transfer/authentication.ts'
import type { TransferOption } from '../transfer/option.ts'

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

const DAY = 24 * 60 * 60 * 1000

/**
 * A date is a whole UTC day, also as the end; a time with its offset is that instant, which is exclusive as the end. What
 * is absent is left open.
 * @throws UsageError
 */
export function readPeriod(from: string | undefined, to: string | undefined): Partial<Period> {
  const period = {
    ...(from !== undefined && { from: readTime('--from', from, 0) }),
    ...(to !== undefined && { before: readTime('--to', to, DAY) })
  }
  if (period.from !== undefined && period.before !== undefined && period.from >= period.before) {
    throw new UsageError(`--from (${from}) is not before the end (${to})`)
  }
  return period
}

function readTime(flag: string, text: string, dayLength: number): string {
  const [, date, time] =
    /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2}))?$/.exec(text) ?? []
  const instant = Date.parse(text)
  if (date === undefined || !isCalendarDate(date) || Number.isNaN(instant)) {
    throw new UsageError(
      `${flag} is ${JSON.stringify(text)}; give a day such as 2026-11-20, or a time such as 2026-11-20T10:00:00Z`
    )
  }
  return new Date(time === undefined ? instant + dayLength : instant).toISOString()
}

export const CREDENTIAL_FLAGS = { 'token-from': { type: 'string' }, 'secret-from': { type: 'string' } } as const

export const CREDENTIAL_USAGE = [
  '  --token-from    an environment variable with the bearer token that the site asks for (option 1)',
  '  --secret-from   an environment variable with a Standard Webhooks secret, to sign bags with (option 1)'
].join('\n')

type CredentialFlags = { [flag in keyof typeof CREDENTIAL_FLAGS]?: string | undefined }

/** @throws UsageError */
export function readCredentials(
  { 'token-from': token, 'secret-from': secret }: CredentialFlags,
  { answer, name }: TransferOption
): Credentials | undefined {
  if (token !== undefined && secret !== undefined) throw new UsageError('give --token-from or --secret-from, not both')
  const variable = token ?? secret
  if (variable === undefined) return undefined
  if (answer === 'page') {
    throw new UsageError(`with option ${name} a web view sends the bag, and has no secret: leave out the flag`)
  }
  const type: AuthenticationType = token === undefined ? 'standard-webhooks' : 'bearer'
  const value = readSecret(variable) ?? ''
  // Another site's token may be shorter than ours have to be.
  const isValid = type === 'bearer' ? /^[!-~]+$/.test(value) : webhookSecret.isValid(value)
  const right = type === 'bearer' ? 'the token, in printable ASCII without spaces' : webhookSecret.right
  if (!isValid) {
    throw new UsageError(`the environment variable ${variable} is ${value ? 'not valid' : 'not set'}; give it ${right}`)
  }
  return { type, variable, value }
}
