// `npm run orders`: lists and shows orders, redelivers their webhooks, and erases what shoppers typed. It works next to a
// running server, one page or one order at a time.
import { once } from 'node:events'
import { readEnvironment } from '../environment.ts'
import type { ListedOrder, OrderFilter } from '../orders/order-store.ts'
import { merchantProblem, openExistingStore } from '../start/open-store.ts'
import { visible, visibleJson } from '../start/visible-text.ts'
import type { Store } from '../store/store.ts'
import {
  csvHeader,
  LIST_HEADER,
  listedJson,
  listRow,
  orderCsv,
  orderDetails,
  orderJson,
  reportedDetails
} from './order-text.ts'
import { readArguments, readPeriod, runCommand, UsageError } from './run-command.ts'
import { columns } from './terminal-text.ts'

const USAGE = `npm run orders -- list [--merchant ID] [--from DATE] [--to DATE] [--reference TEXT] [--number NUMBER] [--json | --csv]
npm run orders -- show NUMBER [--json]
npm run orders -- redeliver NUMBER...
npm run orders -- redeliver --failed [--merchant ID]
npm run orders -- erase NUMBER...

--failed is every webhook that has failed for good or waits for another attempt.
DATE is a day such as 2026-11-20, --to with all of it, or a time such as
2026-11-20T10:00:00Z, --to without that instant; days are days of UTC.
The database is the one that DATABASE_URL names, as for the server; both may run at once.

exit code: 0 done, 1 an order is missing or something failed, 2 the arguments cannot be read
`

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

/** Said if a 410 had stopped what is sent to a merchant. */
const RESUMED = ', and whatever else waits since the merchant answered 410'

const DONE = 0
const FAILED = 1

/** Orders that are read at once. */
const PAGE = 200

async function run(args: string[]): Promise<number> {
  const request = readOrdersRequest(args)
  const store = await openExistingStore(readEnvironment())
  const now = new Date().toISOString()
  try {
    switch (request.command) {
      case 'list':
        return await list(store, request.filter, request.format)
      case 'show':
        return await show(store, request.number, request.format)
      case 'redeliver':
        return await forEach(request.numbers, async number => {
          const due = await store.redeliver(number, now)
          const sent = 'is due again: a running server sends it, if its merchant has a webhook'
          return due && sent + (due.wasStopped ? RESUMED : '')
        })
      case 'redeliver-failed':
        return await redeliverFailed(store, now, request.merchantId)
      case 'erase':
        return await forEach(
          request.numbers,
          async number => (await store.eraseOrder(number)) && 'has no personal data any more'
        )
    }
  } finally {
    await store.close()
  }
}

async function list(store: Store, filter: OrderFilter, format: OutputFormat): Promise<number> {
  const table = columns()
  const begin = { table: '', json: '[', csv: csvHeader() }
  const end = { table: '', json: '\n]\n', csv: '' }
  await print(begin[format])
  let count = 0
  let page: ListedOrder[]
  let last: ListedOrder | undefined
  do {
    page = await store.listOrders(filter, last, PAGE)
    const head = last ? [] : [LIST_HEADER]
    const json = (order: ListedOrder, i: number) => (count + i === 0 ? '\n' : ',\n') + visibleJson(listedJson(order))
    const write = {
      table: () => table([...head, ...page.map(listRow)]),
      csv: () => page.map(orderCsv).join(''),
      json: () => page.map(json).join('')
    }
    await print(write[format]())
    count += page.length
    last = page.at(-1)
  } while (page.length === PAGE)
  await print(end[format])
  if (count === 0 && filter.merchantId !== undefined) {
    const problem = await merchantProblem(store, filter.merchantId)
    if (problem) console.error(problem)
  }
  return DONE
}

async function show(store: Store, number: string, format: OutputFormat): Promise<number> {
  // The numbers of reported orders are the merchants' own: several may have the same.
  const found = await store.listOrders({ number }, undefined, PAGE)
  const texts: string[] = []
  for (const order of found) {
    if ('reportedAt' in order) {
      texts.push(format === 'json' ? `${visibleJson(listedJson(order))}\n` : reportedDetails(order))
    } else {
      const message = await store.findMessage(order.number)
      texts.push(format === 'json' ? `${visibleJson(orderJson(order, message))}\n` : orderDetails(order, message))
    }
  }
  if (texts.length === 0) {
    console.error(`there is no order ${visible(number)}`)
    return FAILED
  }
  await print(texts.join(format === 'json' ? '' : '\n'))
  return DONE
}

/**
 * Does something to each order. Those that were not placed here are named, and fail the command: an order that its merchant
 * reported is not sent back to it, and has no personal data.
 * @param work says what was done, or nothing if there is no such order
 */
async function forEach(
  numbers: string[],
  work: (number: string) => Promise<string | false | undefined>
): Promise<number> {
  let code = DONE
  for (const number of numbers) {
    const done = await work(number)
    if (done) await print(`${visible(number)} ${done}\n`)
    else {
      console.error(`no order ${visible(number)} was placed here`)
      code = FAILED
    }
  }
  return code
}

async function redeliverFailed(store: Store, now: string, merchantId?: string): Promise<number> {
  let count = 0
  let merchants = 0
  let due: number
  do {
    const batch = await store.redeliverFailed(now, PAGE, merchantId)
    due = batch.due
    count += due
    merchants += batch.resumed
  } while (due === PAGE)
  await print(`${count} due again: a running server sends them${merchants > 0 ? RESUMED : ''}\n`)
  return DONE
}

async function print(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain')
}

if (import.meta.main) {
  // The reader may stop early, as `head` does.
  process.stdout.on('error', () => process.exit(DONE))
  await runCommand({ usage: USAGE, run, failed: FAILED })
}
