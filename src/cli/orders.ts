// `npm run orders`: lists and shows orders, has merchants told of them again, and erases what shoppers typed. It works
// beside a running server, a page or an order at a time.
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { EnvironmentError, readEnvironment } from '../config/environment.ts'
import { StoreUnavailable } from '../errors.ts'
import { PeriodError } from '../period.ts'
import { openSqlite } from '../store/sqlite.ts'
import type { ListedOrder, OrderFilter, Store } from '../store/store.ts'
import { columns, visible, visibleJson } from '../terminal-text.ts'
import { csvHeader, orderCsv } from './order-csv.ts'
import { type Format, type OrderRequest, readOrderRequest, USAGE } from './order-request.ts'
import { LIST_HEADER, listRow, orderDetails, orderJson } from './order-text.ts'
import { UsageError } from './read-arguments.ts'

const PAGE = 200

/** Exit codes: everything done; an order is missing or something failed; the arguments cannot be read. */
const DONE = 0
const FAILED = 1
const MISUSED = 2

async function print(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain')
}

async function list(store: Store, filter: OrderFilter, format: Format): Promise<number> {
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
    const rows = {
      table: () => table([...head, ...page.map(listRow)]),
      csv: () => page.map(orderCsv).join(''),
      json: () => items()
    }
    const items = () => page.map((order, i) => `${count + i === 0 ? '\n' : ',\n'}${itemOf(order)}`).join('')
    await print(rows[format]())
    count += page.length
    last = page.at(-1)
  } while (page.length === PAGE)
  await print(end[format])
  if (count === 0 && filter.merchantId !== undefined) await warnOfMerchant(store, filter.merchantId)
  return DONE
}

/** Nothing of a merchant may mean that the store does not know it. */
async function warnOfMerchant(store: Store, merchantId: string): Promise<void> {
  const known = await store.merchantsInStore()
  if (known.includes(merchantId)) return
  console.error(visible(`the store has nothing of "${merchantId}"; it has ${known.join(', ') || 'nothing at all'}`))
}

function itemOf({ message, ...order }: ListedOrder): string {
  return visibleJson(orderJson(order, message && { state: message }))
}

async function show(store: Store, number: string, format: Format): Promise<number> {
  const [found] = await store.listOrders({ number }, undefined, 1)
  if (!found) return missing(number)
  const message = await store.findMessage(number)
  await print(format === 'json' ? `${visibleJson(orderJson(found, message))}\n` : orderDetails(found, message))
  return DONE
}

function missing(number: string): number {
  console.error(`there is no order ${visible(number)}`)
  return FAILED
}

/** Does something to each order; those that are missing are named and fail the command. */
async function each(
  numbers: string[],
  work: (number: string) => Promise<boolean>,
  saying: (number: string) => string
): Promise<number> {
  let code = DONE
  for (const number of numbers) {
    if (await work(number)) await print(`${saying(visible(number))}\n`)
    else code = missing(number)
  }
  return code
}

async function redeliverFailed(store: Store, now: string, merchantId?: string): Promise<number> {
  let count = 0
  let batch: number
  do {
    batch = await store.redeliverFailed(now, PAGE, merchantId)
    count += batch
  } while (batch === PAGE)
  await print(`${count} due again: a running server sends them\n`)
  return DONE
}

async function run(store: Store, request: Exclude<OrderRequest, { command: 'help' }>): Promise<number> {
  const now = new Date().toISOString()
  switch (request.command) {
    case 'list':
      return list(store, request.filter, request.format)
    case 'show':
      return show(store, request.number, request.format)
    case 'redeliver':
      return each(
        request.numbers,
        number => store.redeliver(number, now),
        number => `${number} is due again: a running server sends it, if its merchant has a webhook`
      )
    case 'redeliver-failed':
      return redeliverFailed(store, now, request.merchantId)
    case 'erase':
      return each(request.numbers, store.eraseOrder, number => `${number}: the personal data is erased`)
  }
}

async function main(): Promise<number> {
  const request = readOrderRequest(process.argv.slice(2))
  if (request.command === 'help') {
    await print(`${USAGE}\n`)
    return DONE
  }
  const file = resolve(readEnvironment().database)
  if (!existsSync(file)) throw new EnvironmentError(`there is no database ${file}; set DATABASE_URL as for the server`)
  const store = openSqlite(file)
  try {
    return await run(store, request)
  } finally {
    await store.close()
  }
}

// Whoever reads may stop early, as `head` does.
process.stdout.on('error', () => process.exit(DONE))
try {
  process.exitCode = await main()
} catch (error) {
  if (error instanceof UsageError || error instanceof PeriodError) {
    console.error(`${visible(error.message)}\n\n${USAGE}`)
    process.exitCode = MISUSED
  } else {
    const isExpected = error instanceof EnvironmentError || error instanceof StoreUnavailable
    console.error(isExpected ? error.message : error)
    process.exitCode = FAILED
  }
}
