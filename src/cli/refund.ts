// `npm run refund`: sends back what a shopper paid for an order, all of it or a part, through the merchant's payment provider.
import { resolve } from 'node:path'
import { destinations } from '../destination/index.ts'
import { OperatorError } from '../errors.ts'
import type { Merchant } from '../merchant/merchant.ts'
import { MerchantFileError, readMerchantFiles } from '../merchant/merchant-file.ts'
import { toDecimal, toMinor } from '../money.ts'
import type { Payment } from '../orders/payment.ts'
import { httpFetch } from '../outgoing/http-client.ts'
import { paymentProviders } from '../payment/index.ts'
import { ProviderDown } from '../payment/provider.ts'
import { openExistingStore } from '../start/open-store.ts'
import { visible } from '../start/visible-text.ts'
import type { Store } from '../store/store.ts'
import { transferOptions } from '../transfer/index.ts'
import { paymentHint } from './payment-text.ts'
import { type Command, runCommand, TEXT_FLAG, UsageError } from './run-command.ts'

/** How long the provider may take, in milliseconds. */
const PATIENCE = 30_000

const FLAGS = { amount: TEXT_FLAG }

export const refundOrder: Command<typeof FLAGS> = {
  usage: `npm run refund -- NUMBER MERCHANT-FILE... [--amount AMOUNT]

Sends back what was paid for an order, through the payment provider of its merchant: all that is left of it, or an amount
in its currency, such as 12.50. Of several merchant files that of the order's merchant is used. Its secrets and the
database come from the environment, as for the server, which may run meanwhile.
If it fails or is interrupted, give the same command again within a day: nothing is sent back twice.

exit code: 0 done, 1 not done, 2 the arguments cannot be read
`,
  flags: FLAGS,
  run: async ({ values, positionals: [typed, ...files] }, { environment, print }) => {
    if (typed === undefined || files.length === 0) {
      throw new UsageError('give the number of an order, and the file of its merchant')
    }
    const { startedIn, database } = environment()
    const store = await openExistingStore({ database })
    try {
      const payment = await findPaid(store, typed.trim().toUpperCase())
      const { id, merchantId, orderNumber, currency, amount: paid, refunded: before } = payment
      const inFull = (minor: number) => `${toDecimal(minor, currency)} ${currency}`
      const amount = readAmount(values.amount, payment)
      const { provider, ...settings } = readPaymentOf(
        payment,
        files.map(file => resolve(startedIn, file))
      )
      const account = await provider.connect({ ...settings, fetch: httpFetch })
      const transactionId = String(payment.transactionId)
      const key = `${id}-refund-${before}-${amount}`
      const sent = account.refund({ transactionId, currency, amount, key }, AbortSignal.timeout(PATIENCE))
      await sent.catch((error: Error) => {
        const isUnknown = error instanceof ProviderDown
        const rest = isUnknown ? 'it may have been sent back: give the same command again' : 'nothing was sent back'
        throw new OperatorError(`${orderNumber}: ${error.message}; ${rest}`)
      })
      await print(`${orderNumber}: ${inFull(amount)} is sent back by ${provider.title}, ${transactionId}\n`)
      const left = paid - (await keepRefund(store, { merchantId, id, before, amount }))
      await print(`${orderNumber}: ${left > 0 ? `${inFull(left)} of ${inFull(paid)} is left` : 'nothing is left'}\n`)
      return 0
    } finally {
      await store.close()
    }
  }
}

/** @returns the payment of an order that is paid @throws OperatorError if there is none of which anything is left */
async function findPaid(store: Store, number: string): Promise<Payment> {
  const orders = await store.listOrders({ number }, undefined, 100)
  const order = orders.find(one => !('reportedAt' in one))
  if (!order) {
    const ofShop = orders[0] && "its merchant's own shop took the order: refund it there"
    const hint = ofShop ?? (await paymentHint(store, { number }))
    throw new OperatorError(`no order ${visible(number)} was placed here${hint ? `; ${hint}` : ''}`)
  }
  const payments = await store.paymentsOf({ orderNumber: number }, 100)
  const payment = payments.find(({ state, reason }) => !reason && state in NOT_REFUNDABLE)
  const problem = payment ? NOT_REFUNDABLE[payment.state] : 'it was not paid through a provider'
  if (!payment || problem) throw new OperatorError(`${number}: ${problem}; nothing was sent back`)
  return payment
}

/** What may become of the payment of an order. */
const NOT_REFUNDABLE: Partial<Record<Payment['state'], string>> = {
  paid: '',
  pending: 'the money is on its way; refund it once it is paid',
  failed: 'the payment has failed',
  refunded: 'all that was paid has been sent back already'
}

/** @returns in minor units, by default all that is left @throws UsageError, or OperatorError if it is more than that */
function readAmount(text: string | undefined, { currency, amount, refunded }: Payment): number {
  const left = amount - refunded
  const read = text === undefined ? left : toMinor(text, currency, 2 ** 50)
  if (!read)
    throw new UsageError(
      `--amount is ${JSON.stringify(text)}; give an amount in ${currency} such as ${toDecimal(left, currency)}`
    )
  if (read > left) {
    const [given, most] = [read, left].map(minor => toDecimal(minor, currency))
    throw new OperatorError(`--amount is ${given}, more than what is left: ${most} ${currency}; nothing was sent back`)
  }
  return read
}

/** @throws OperatorError if none of the files is that of the merchant, or it has another provider by now */
function readPaymentOf({ merchantId, provider }: Payment, files: string[]): NonNullable<Merchant['payment']> {
  const { read, mistakes } = readMerchantFiles(files, {
    options: transferOptions,
    destinations,
    providers: paymentProviders
  })
  if (mistakes.length > 0) throw new MerchantFileError(mistakes, files)
  const merchant = read.map(file => file.merchant).find(one => one?.id === merchantId)
  if (!merchant) throw new OperatorError(`none of these merchant files has the id "${merchantId}"; give that one`)
  if (merchant.payment?.provider.name === provider) return merchant.payment
  throw new OperatorError(
    `"${merchantId}" has no checkout.payment with "provider": "${provider}", which took the money`
  )
}

/** @returns what has been sent back in all; nothing is added if another run has kept the same refund */
async function keepRefund(
  store: Store,
  { merchantId, id, before, amount }: { merchantId: string; id: string; before: number; amount: number }
): Promise<number> {
  let kept = before
  while (!(await store.paymentRefunded(id, kept, amount))) {
    kept = Number((await store.findPayment(merchantId, id))?.refunded)
    if (kept === before + amount) return kept
  }
  return kept + amount
}

if (import.meta.main) await runCommand(refundOrder)
