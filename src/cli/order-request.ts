// What `npm run orders` was asked to do, read from its arguments.
import { readPeriod } from '../period.ts'
import type { OrderFilter } from '../store/store.ts'
import { readArguments, UsageError } from './read-arguments.ts'

export type Format = 'table' | 'json' | 'csv'

export type OrderRequest =
  | { command: 'list'; filter: OrderFilter; format: Format }
  | { command: 'show'; number: string; format: Format }
  | { command: 'redeliver' | 'erase'; numbers: string[] }
  | { command: 'redeliver-failed'; merchantId?: string }
  | { command: 'help' }

export const USAGE = `npm run orders -- list [--merchant ID] [--from DATE] [--to DATE] [--reference TEXT] [--number NUMBER] [--json | --csv]
npm run orders -- show NUMBER [--json]
npm run orders -- redeliver NUMBER...
npm run orders -- redeliver --failed [--merchant ID]
npm run orders -- erase NUMBER...

DATE is a day such as 2026-11-20, --to with all of it, or a time such as
2026-11-20T10:00:00Z, --to without that instant; days are days of UTC.
The database is the one that DATABASE_URL names, as for the server; both may run at once.`

const OPTIONS = {
  merchant: { type: 'string' },
  from: { type: 'string' },
  to: { type: 'string' },
  reference: { type: 'string' },
  number: { type: 'string' },
  json: { type: 'boolean' },
  csv: { type: 'boolean' },
  failed: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' }
} as const

type Flag = keyof typeof OPTIONS

const ALLOWED = new Map<string, Flag[]>([
  ['list', ['merchant', 'from', 'to', 'reference', 'number', 'json', 'csv']],
  ['show', ['json']],
  ['redeliver', ['failed', 'merchant']],
  ['erase', []]
])

/** @throws UsageError, PeriodError */
export function readOrderRequest(args: string[]): OrderRequest {
  const { values, positionals } = readArguments(args, OPTIONS)
  const [command = '', ...rest] = positionals
  if (values.help) return { command: 'help' }
  const allowed = ALLOWED.get(command)
  if (!allowed) throw new UsageError(command === '' ? 'give a command' : `"${command}" is no command`)
  for (const flag of Object.keys(values) as Flag[]) {
    if (!allowed.includes(flag)) throw new UsageError(`"${command}" takes no --${flag}`)
  }
  const numbers = rest.map(readNumber)
  if (command === 'list') {
    if (numbers.length > 0) throw new UsageError('"list" takes no number; give --number, or "show"')
    return { command, filter: readFilter(values), format: readFormat(values) }
  }
  if (command === 'redeliver' && values.failed) {
    if (numbers.length > 0) throw new UsageError('give numbers or --failed, not both')
    return { command: 'redeliver-failed', ...(values.merchant !== undefined && { merchantId: values.merchant }) }
  }
  if (values.merchant !== undefined) throw new UsageError('--merchant goes with --failed')
  const [number] = numbers
  if (number === undefined) throw new UsageError(`"${command}" needs the number of an order`)
  if (command !== 'show') return { command: command as 'redeliver' | 'erase', numbers }
  if (numbers.length > 1) throw new UsageError('"show" takes one number')
  return { command, number, format: readFormat(values) }
}

type Values = ReturnType<typeof readArguments<typeof OPTIONS>>['values']

/** Numbers are upper case; people may not write them so. */
function readNumber(text: string): string {
  return text.trim().toUpperCase()
}

function readFormat({ json, csv }: Values): Format {
  if (json && csv) throw new UsageError('give --json or --csv, not both')
  if (json) return 'json'
  return csv ? 'csv' : 'table'
}

function readFilter({ merchant, from, to, reference, number }: Values): OrderFilter {
  return {
    ...(merchant !== undefined && { merchantId: merchant }),
    ...readPeriod(from, to),
    ...(reference !== undefined && { reference }),
    ...(number !== undefined && { number: readNumber(number) })
  }
}
