// `npm run orders`: lists and shows orders, redelivers their webhooks, and erases what shoppers typed, next to a running server.
import { type ListedOrder, type OrderFilter, PAYMENT_STATUSES } from '../checkout/orders/order.ts'
import { PAYMENT_STATES, type PaymentFilter } from '../checkout/orders/payment.ts'
import { merchantProblem, openExistingStore } from '../start/open-store.ts'
import { visible, visibleJson } from '../start/visible-text.ts'
import type { Store } from '../store/store.ts'
import { asCsv, asJson, asTable, orderDetails, orderJson } from './order-text.ts'
import { paymentHint, paymentJson, paymentTable } from './payment-text.ts'
import {
  type Arguments,
  type Command,
  type CommandContext,
  readPeriod,
  runCommand,
  SWITCH,
  TEXT_FLAG,
  UsageError
} from './run-command.ts'

const FLAGS = {
  merchant: TEXT_FLAG,
  from: TEXT_FLAG,
  to: TEXT_FLAG,
  reference: TEXT_FLAG,
  number: TEXT_FLAG,
  payment: TEXT_FLAG,
  state: TEXT_FLAG,
  json: SWITCH,
  csv: SWITCH,
  failed: SWITCH
}

const ALLOWED = new Map<string, string[]>([
  ['list', ['merchant', 'from', 'to', 'reference', 'number', 'payment', 'json', 'csv']],
  ['show', ['json']],
  ['payments', ['merchant', 'reference', 'number', 'state', 'json']],
  ['redeliver', ['failed', 'merchant']],
  ['erase', []]
])

export const orders: Command<typeof FLAGS> = {
  usage: `npm run orders -- list [--merchant ID] [--from DATE] [--to DATE] [--reference TEXT] [--number NUMBER]
                          [--payment ${PAYMENT_STATUSES.join('|')}] [--json | --csv]
npm run orders -- show NUMBER [--json]
npm run orders -- payments [--merchant ID] [--reference TEXT] [--number NUMBER] [--state STATE] [--json]
npm run orders -- redeliver NUMBER...
npm run orders -- redeliver --failed [--merchant ID]
npm run orders -- erase NUMBER...

"payments" lists attempts to pay, latest first, also those that led to no order. STATE is one of
${PAYMENT_STATES.join(', ')}.
--failed is every webhook that has failed for good or waits for another attempt.
DATE is a day such as 2026-11-20, --to with all of it, or a time such as
2026-11-20T10:00:00Z, --to without that instant; days are days of UTC.
The database is the one that DATABASE_URL names, as for the server; both may run at once.

exit code: 0 done, 1 an order is missing or something failed, 2 the arguments cannot be read
`,
  flags: FLAGS,
  run: async ({ values, positionals: [command = '', ...rest] }, context) => {
    const numbers = rest.map(number => number.trim())
    checkArguments(command, values, numbers)
    const { merchant: merchantId, from, to, reference, payment, state } = values
    const number = values.number?.trim()
    const filter = { merchantId, ...readPeriod(from, to), reference, number, payment }
    const store = await openExistingStore(context.environment())
    try {
      const opened = { ...context, store }
      if (command === 'list') return await list(filter, values.json ? asJson : values.csv ? asCsv : asTable, opened)
      if (command === 'show') return await show(String(numbers[0]), values.json === true, opened)
      if (command === 'payments') {
        const by = { merchantId, reference, orderNumber: number?.toUpperCase(), state }
        return await listPayments(by, values.json ? paymentJson : paymentTable, opened)
      }
      if (values.failed) return await redeliverFailed(merchantId, opened)
      return await forEach(numbers, command === 'erase' ? erase : redeliver, opened)
    } finally {
      await store.close()
    }
  }
}

/** @throws UsageError */
function checkArguments(command: string, values: Arguments<typeof FLAGS>['values'], numbers: string[]): void {
  const allowed = ALLOWED.get(command)
  if (!allowed) throw new UsageError(command === '' ? 'give a command' : `"${command}" is not a command`)
  for (const flag of Object.keys(values)) {
    if (!allowed.includes(flag)) throw new UsageError(`"${command}" takes no --${flag}`)
  }
  checkChoice('payment', values.payment, PAYMENT_STATUSES)
  checkChoice('state', values.state, PAYMENT_STATES)
  const isList = command === 'list' || command === 'payments'
  const isForNumbers = !isList && !values.failed
  if (values.json && values.csv) throw new UsageError('give --json or --csv, not both')
  if (isList && numbers.length > 0) {
    throw new UsageError(`"${command}" takes no number; give --number, or "show"`)
  }
  if (values.failed && numbers.length > 0) throw new UsageError('give numbers or --failed, not both')
  if (isForNumbers && values.merchant !== undefined) throw new UsageError('--merchant goes with --failed')
  if (isForNumbers && numbers.length === 0) throw new UsageError(`"${command}" needs the number of an order`)
  if (command === 'show' && numbers.length > 1) throw new UsageError('"show" takes one number')
}

/** @throws UsageError */
function checkChoice(flag: string, given: string | undefined, choices: readonly string[]): void {
  if (given === undefined || choices.includes(given)) return
  throw new UsageError(`--${flag} is ${JSON.stringify(given)}; give one of ${choices.join(', ')}`)
}

const PAGE = 200

type Opened = CommandContext & { store: Store }

async function list(
  filter: OrderFilter,
  format: typeof asTable,
  { store, print, printError }: Opened
): Promise<number> {
  let count = 0
  async function* pages(): AsyncGenerator<ListedOrder[]> {
    let page: ListedOrder[] = []
    do {
      page = await store.listOrders(filter, page.at(-1), PAGE)
      count += page.length
      yield page
    } while (page.length === PAGE)
  }
  await print(format(pages()))
  const { merchantId } = filter
  if (count > 0) return 0
  const problem = merchantId !== undefined && (await merchantProblem(store, merchantId))
  const remark = problem || (await paymentHint(store, filter))
  if (remark) printError(remark)
  return 0
}

/** How many are listed at most: latest first, they are followed by none that is looked for. */
const MAX_PAYMENTS = 1000

async function listPayments(by: PaymentFilter, format: typeof paymentTable, { store, print, printError }: Opened) {
  const payments = await store.paymentsOf(by, MAX_PAYMENTS + 1)
  await print(format(payments.slice(0, MAX_PAYMENTS)))
  if (payments.length > MAX_PAYMENTS)
    printError('there are more, begun before these: give --number, --reference or --state')
  return 0
}

async function show(number: string, isJson: boolean, { store, print, printError }: Opened): Promise<number> {
  // The numbers of reported orders are the merchants' own: several may have the same.
  const found = await store.listOrders({ number }, undefined, PAGE)
  if (found.length === 0) {
    const hint = await paymentHint(store, { number })
    printError(`there is no order ${visible(number)}${hint ? `; ${hint}` : ''}`)
    return 1
  }
  const texts: string[] = []
  for (const order of found) {
    const message = 'reportedAt' in order ? undefined : await store.findMessage(order.number)
    texts.push(isJson ? `${visibleJson(orderJson(order, message))}\n` : orderDetails(order, message))
  }
  await print(texts.join(isJson ? '' : '\n'))
  return 0
}

/** Added if an answer 410 had stopped the merchant's webhooks. */
const RESUMED = ', and whatever else waits since the merchant answered 410'

/** @returns what was done, if there is such an order */
type Change = (store: Store, number: string) => Promise<string | false | undefined>

const redeliver: Change = async (store, number) => {
  const due = await store.redeliver(number, new Date().toISOString())
  const sent = 'is due again: a running server sends it, if its merchant has a webhook'
  return due && sent + (due.wasStopped ? RESUMED : '')
}

const erase: Change = async (store, number) => (await store.eraseOrder(number)) && 'has no personal data any more'

/** Only for orders that were placed here: reported ones have no webhook and no personal data. */
async function forEach(numbers: string[], change: Change, { store, print, printError }: Opened): Promise<number> {
  let code = 0
  // The numbers of orders that were placed here are upper case.
  for (const number of numbers.map(one => one.toUpperCase())) {
    const done = await change(store, number)
    if (done) await print(`${visible(number)} ${done}\n`)
    else {
      printError(`no order ${visible(number)} was placed here`)
      code = 1
    }
  }
  return code
}

async function redeliverFailed(merchantId: string | undefined, { store, print }: Opened): Promise<number> {
  const now = new Date().toISOString()
  let [count, merchants, due] = [0, 0, 0]
  do {
    const batch = await store.redeliverFailed(now, PAGE, merchantId)
    due = batch.due
    count += due
    merchants += batch.resumed
  } while (due === PAGE)
  await print(`${count} due again: a running server sends them${merchants > 0 ? RESUMED : ''}\n`)
  return 0
}

if (import.meta.main) await runCommand(orders)
