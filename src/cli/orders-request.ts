// What `npm run orders` is asked to do, read from its arguments.
import type { OrderFilter } from '../orders/order-store.ts'
import { readPeriod } from './period.ts'
import { readArguments, UsageError } from './run-command.ts'

export type OutputFormat = 'table' | 'json' | 'csv'

export type OrdersRequest =
  | { command: 'list'; filter: OrderFilter; format: OutputFormat }
  | { command: 'show'; number: string; format: OutputFormat }
  | { command: 'redeliver' | 'erase'; numbers: string[] }
  | { command: 'redeliver-failed'; merchantId?: string }

const FLAGS = {
  merchant: { type: 'string' },
  from: { type: 'string' },
  to: { type: 'string' },
  reference: { type: 'string' },
  number: { type: 'string' },
  json: { type: 'boolean' },
  csv: { type: 'boolean' },
  failed: { type: 'boolean' }
} as const

const ALLOWED = new Map<string, string[]>([
  ['list', ['merchant', 'from', 'to', 'reference', 'number', 'json', 'csv']],
  ['show', ['json']],
  ['redeliver', ['failed', 'merchant']],
  ['erase', []]
])

/** @throws UsageError */
export function readOrdersRequest(args: string[]): OrdersRequest {
  const { values, positionals } = readArguments(args, FLAGS)
  const [command = '', ...rest] = positionals
  const allowed = ALLOWED.get(command)
  if (!allowed) throw new UsageError(command === '' ? 'give a command' : `"${command}" is not a command`)
  for (const flag of Object.keys(values)) {
    if (!allowed.includes(flag)) throw new UsageError(`"${command}" takes no --${flag}`)
  }
  const { merchant, from, to, reference, json, csv, failed } = values
  if (json && csv) throw new UsageError('give --json or --csv, not both')
  const format = json ? 'json' : csv ? 'csv' : 'table'
  const numbers = rest.map(number => number.trim())
  if (command === 'list') {
    if (numbers.length > 0) throw new UsageError('"list" takes no number; give --number, or "show"')
    const filter = {
      ...(merchant !== undefined && { merchantId: merchant }),
      ...readPeriod(from, to),
      ...(reference !== undefined && { reference }),
      ...(values.number !== undefined && { number: values.number.trim() })
    }
    return { command, filter, format }
  }
  if (command === 'redeliver' && failed) {
    if (numbers.length > 0) throw new UsageError('give numbers or --failed, not both')
    return { command: 'redeliver-failed', ...(merchant !== undefined && { merchantId: merchant }) }
  }
  if (merchant !== undefined) throw new UsageError('--merchant goes with --failed')
  const [number] = numbers
  if (number === undefined) throw new UsageError(`"${command}" needs the number of an order`)
  if (command !== 'show') {
    // Only orders that were placed here have a webhook or personal data; their numbers are upper case.
    return { command: command as 'redeliver' | 'erase', numbers: numbers.map(one => one.toUpperCase()) }
  }
  if (numbers.length > 1) throw new UsageError('"show" takes one number')
  return { command, number, format }
}
