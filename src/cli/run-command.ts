// Runs a command: reads its arguments, lays out and prints its output, and reports its errors: those that the operator can
// fix without a stack, and wrong arguments with the usage below them.
import type { Readable, Writable } from 'node:stream'
import { inspect, type ParseArgsConfig, parseArgs } from 'node:util'
import stringWidth from 'string-width'
import { isCalendarDate } from '../cart/exact-values.ts'
import { type Environment, loadEnvFile, readEnvironment } from '../environment.ts'
import { OperatorError } from '../errors.ts'
import { NOT_OPENED } from '../merchant/json-file.ts'
import { nearestName } from '../merchant/nearest-name.ts'
import type { Period } from '../reconcile/compare-lists.ts'
import { visible, visibleLines } from '../start/visible-text.ts'

export class UsageError extends OperatorError {}

export const TEXT_FLAG = { type: 'string' } as const
export const SWITCH = { type: 'boolean' } as const

export type Flags = NonNullable<ParseArgsConfig['options']>

export type Arguments<Known extends Flags> = Pick<
  ReturnType<typeof parseArgs<{ options: Known; allowPositionals: true }>>,
  'values' | 'positionals'
>

export type Command<Known extends Flags = Record<never, never>> = {
  usage: string
  flags: Known
  /** The exit code if it cannot do its work: 1 by default. */
  failed?: number
  /** @returns the exit code @throws UsageError, or what else keeps it from its work */
  run: (args: Arguments<Known>, context: CommandContext) => Promise<number>
}

export type CommandContext = {
  /** Called once the arguments are checked, so that their mistakes are reported first. @throws OperatorError */
  environment: () => Environment
  input: Readable
  /** Writes to standard output at the pace of its reader. @throws if it cannot, unless the reader has gone away */
  print: (text: string | Iterable<string> | AsyncIterable<string>) => Promise<void>
  /** Writes a line to standard error, with invisible characters escaped. */
  printError: (text: string) => void
  showProgress: ShowProgress
}

export async function runCommand<Known extends Flags>(command: Command<Known>): Promise<void> {
  process.exitCode = await executeCommand(command, process.argv.slice(2), process)
}

/** @param variables by default those of this process and of `.env` @returns the exit code */
export async function executeCommand<Known extends Flags>(
  { usage, flags, failed = 1, run }: Command<Known>,
  args: string[],
  { stdin, stdout, stderr }: { stdin: Readable; stdout: Writable; stderr: Writable & { isTTY?: boolean } },
  variables?: NodeJS.ProcessEnv
): Promise<number> {
  const bar = showProgressOn(stderr, Date.now)
  const print = printOn(stdout, bar.clear)
  const printError = (text: string) => {
    bar.clear()
    stderr.write(`${visibleLines(text)}\n`)
  }
  try {
    if (!variables) loadEnvFile()
    const { values, positionals } = readArguments(args, flags)
    if ('help' in values) {
      await print(usage)
      return 0
    }
    const environment = () => readEnvironment(variables)
    return await run({ values, positionals }, { environment, input: stdin, print, printError, showProgress: bar.show })
  } catch (error) {
    // System errors have a code, and those of files a path.
    const { code, path, message } = error as NodeJS.ErrnoException
    const problem = path === undefined ? undefined : NOT_OPENED[String(code)]
    if (problem) printError(`${path}: ${problem}`)
    else printError(error instanceof OperatorError || code !== undefined ? message : inspect(error))
    if (!(error instanceof UsageError)) return failed
    stderr.write(`\n${usage}`)
    return 2
  }
}

/** @throws UsageError */
function readArguments<Known extends Flags>(args: string[], flags: Known): Arguments<Known> {
  const options: Flags = { ...flags, help: { type: 'boolean', short: 'h' } }
  // Not strict, as parseArgs would then throw messages of its own, which suggest no flag.
  const { tokens, ...read } = parseArgs({ args, options, allowPositionals: true, strict: false, tokens: true })
  for (const token of tokens) {
    if (token.kind !== 'option') continue
    const [typed = ''] = String(args[token.index]).split('=', 1)
    const flag = options[token.name]
    if (!flag) {
      const known = Object.keys(options).map(name => `--${name}`)
      const meant = nearestName(typed.replace(/^-*/, '--'), known)
      throw new UsageError(`${typed} is not a flag of this command${meant ? `; did you mean ${meant}?` : ''}`)
    }
    if (flag.type === 'boolean' && token.inlineValue) throw new UsageError(`${typed} takes no value`)
    // If the value looks like a flag, the value itself was forgotten.
    if (flag.type === 'string' && (token.value === undefined || (!token.inlineValue && /^-./.test(token.value)))) {
      throw new UsageError(`${typed} needs a value, such as ${typed}=…`)
    }
    const isRepeated = tokens.some(other => other.kind === 'option' && other.name === token.name && other !== token)
    if (isRepeated && flag.type === 'string' && !flag.multiple) {
      throw new UsageError(`${typed} is given more than once; give it once`)
    }
  }
  return read as Arguments<Known>
}

/** How much is written at once, in characters. */
const CHUNK = 64 * 1024

function printOn(output: Writable, before: () => void): CommandContext['print'] {
  // The callback of each write has its error.
  output.on('error', () => {})
  let isGone = false
  const write = async (chunk: string): Promise<void> => {
    if (isGone) return
    const error = await new Promise<NodeJS.ErrnoException | null | undefined>(done => output.write(chunk, done))
    // A reader that goes away, as `head` does, has read enough.
    isGone = error?.code === 'EPIPE'
    if (error && !isGone) throw error
  }
  return async texts => {
    before()
    let chunk = ''
    for await (const text of typeof texts === 'string' ? [texts] : texts) {
      chunk += text
      if (chunk.length < CHUNK) continue
      await write(chunk)
      if (isGone) return
      chunk = ''
    }
    await write(chunk)
  }
}

/** Lays out rows in columns, which grow with their contents and never shrink from one page to the next. */
export function columns(): (rows: string[][]) => string {
  const widths: number[] = []
  return rows => {
    const shown = rows.map(row => row.map(visible))
    for (const row of shown) {
      for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, stringWidth(cell))
    }
    const pad = (cell: string, i: number) => cell + ' '.repeat(Number(widths[i]) - stringWidth(cell))
    return shown.map(row => `${row.map(pad).join('  ').trimEnd()}\n`).join('')
  }
}

export function formatCount(count: number): string {
  return count.toLocaleString('en-GB')
}

export function counted(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`
}

/** @param total undefined if it is not known */
export type ShowProgress = (what: string, done: number, total: number | undefined) => void

/** When progress appears, and how often it is updated at most, in milliseconds. */
const PATIENCE = 1000
const INTERVAL = 100

/** @param now a clock in milliseconds */
export function showProgressOn(
  terminal: { isTTY?: boolean; write: (text: string) => unknown },
  now: () => number
): { show: ShowProgress; clear: () => void } {
  let due = now() + PATIENCE
  let isShown = false
  return {
    show: (what, done, total) => {
      if (!terminal.isTTY || now() < due) return
      due = now() + INTERVAL
      isShown = true
      terminal.write(
        `\r\x1b[K${total ? `${Math.floor(Math.min(1, done / total) * 100)} %` : formatCount(done)} ${what}`
      )
    },
    clear: () => {
      if (isShown) terminal.write('\r\x1b[K')
      isShown = false
    }
  }
}

/** @throws UsageError */
export function onlyArgument(positionals: string[], what: string): string {
  const [argument, ...more] = positionals
  if (argument === undefined || more.length > 0) throw new UsageError(`give one ${what}`)
  return argument
}

const DAY = 24 * 60 * 60 * 1000

/** A date is a whole UTC day, also as the end; a time with its offset is exclusive as the end. @throws UsageError */
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
