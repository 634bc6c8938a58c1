// `npm run refund`: sends back what a shopper paid for an order, all of it or a part, through the merchant's payment provider.
import { resolve } from 'node:path'
import pino from 'pino'
import type { PayingContext } from '../checkout/orders/pay-order.ts'
import type { OpenRefund, Payment } from '../checkout/orders/payment.ts'
import { beginRefund, finishRefund, followRefunds } from '../checkout/orders/refunds.ts'
import { OperatorError } from '../errors.ts'
import { destinations } from '../integrations/destination/index.ts'
import { httpFetch } from '../integrations/outgoing/http-client.ts'
import { paymentProviders } from '../integrations/payment/index.ts'
import { PaymentFailed } from '../integrations/payment/provider.ts'
import { connectProviders, type PaymentGateway } from '../integrations/payment/provider-call.ts'
import type { Merchant } from '../merchant/merchant.ts'
import { MerchantFileError, readMerchantFiles } from '../merchant/merchant-file.ts'
import { toDecimal, toMinor } from '../money.ts'
import { noopObserver } from '../observer.ts'
import { openExistingStore } from '../start/open-store.ts'
import { visible } from '../start/visible-text.ts'
import type { Store } from '../store/store.ts'
import { transferOptions } from '../transfer/index.ts'
import { paymentHint } from './payment-text.ts'
import { type Command, type CommandContext, runCommand, TEXT_FLAG, UsageError } from './run-command.ts'

/** How long the provider may take, in milliseconds. */
const PATIENCE = 30_000

const FLAGS = { amount: TEXT_FLAG }

export const refundOrder: Command<typeof FLAGS> = {
  usage: `npm run refund -- NUMBER MERCHANT-FILE... [--amount AMOUNT]

Sends back what was paid for an order, through the payment provider of its merchant: all that is left of it, or an amount
in its currency, such as 12.50. Of several merchant files that of the order's merchant is used. Its secrets and the
database come from the environment, as for the server, which may run meanwhile.
If it fails or is interrupted, give the same command again: what was begun is finished first, also by a command with
another amount and by the server, and nothing is sent back twice.

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
      // What was begun may be in the books already.
      const refunded = payment.refund?.before ?? payment.refunded
      const wanted = readAmount(values.amount, { ...payment, refunded })
      const merchant = readMerchantOf(
        payment,
        files.map(file => resolve(startedIn, file))
      )
      const context = { ...connect(merchant), merchant, store }
      await sendBack(context, payment, { typed: values.amount, wanted }, print)
      return 0
    } finally {
      await store.close()
    }
  }
}

type PaidMerchant = Merchant & { payment: NonNullable<Merchant['payment']> }

/** What it does is told by what it prints. */
function connect({ id, payment }: PaidMerchant) {
  const log = pino({ level: 'silent' })
  const clock = () => new Date()
  const parts = { fetch: httpFetch, clock, logger: log, observer: noopObserver, timeout: PATIENCE }
  const gateway = connectProviders([{ id, payment }], parts).get(id) as PaymentGateway
  return { gateway, clock, log, observer: noopObserver }
}

/** Finishes what was begun, then sends back what is wanted, unless that was it. @throws OperatorError */
async function sendBack(
  context: PayingContext & { merchant: PaidMerchant },
  known: Payment,
  { typed, wanted }: { typed: string | undefined; wanted: number },
  print: CommandContext['print']
): Promise<void> {
  const { id, merchantId, orderNumber, currency, amount: paid, transactionId } = known
  const { title } = context.merchant.payment.provider
  const inFull = (minor: number) => `${toDecimal(minor, currency)} ${currency}`
  const tell = (text: string) => print(`${orderNumber}: ${text}\n`)
  const tellLeft = ({ refunded }: Payment) =>
    tell(refunded < paid ? `${inFull(paid - refunded)} of ${inFull(paid)} is left` : 'nothing is left')
  const problem = (text: string) => new OperatorError(`${orderNumber}: ${text}`)
  const ask = <T>(work: Promise<T>, otherwise: string) =>
    work.catch(error => {
      throw error instanceof PaymentFailed ? problem(`${error.message}; ${otherwise}`) : error
    })
  const unsure = ({ amount }: OpenRefund) => `${inFull(amount)} may have been sent back: give the same command again`

  const otherwise = known.refund ? unsure(known.refund) : 'nothing was sent back'
  const facts = await ask(context.gateway.retrievePayment(String(known.providerId)), otherwise)
  if (!facts) throw problem(`${title} does not know the payment: is the key of another account? ${otherwise}`)
  let { payment } = await ask(followRefunds(context, known, facts), otherwise)
  if (payment.refunded !== known.refunded && !payment.refund) {
    await tell(`${inFull(payment.refunded)} has been sent back by now, by what ${title} says`)
  }
  while (true) {
    const { refund: earlier } = payment
    if (earlier) {
      const what = `${inFull(earlier.amount)}, as was begun before,`
      const finished = await ask(finishRefund(context, payment, earlier, facts), unsure(earlier))
      const { refusal } = finished
      payment = finished.payment
      await tell(
        refusal ? `${what} is not sent back: ${refusal}` : `${what} is sent back by ${title}, ${transactionId}`
      )
      if (earlier.amount === wanted && !refusal) return tellLeft(payment)
      if (earlier.amount === wanted) throw problem('nothing was sent back')
    }
    if (payment.refunded >= paid) throw problem(`${NOT_REFUNDABLE.refunded}; nothing more was sent back`)
    const amount = readAmount(typed, payment)
    const begun = await beginRefund(context, payment, amount)
    if (begun) {
      const { refusal, payment: after } = await ask(finishRefund(context, payment, begun, facts), unsure(begun))
      if (refusal) throw problem(`${refusal}; ${inFull(amount)} was not sent back`)
      await tell(`${inFull(amount)} is sent back by ${title}, ${transactionId}`)
      return tellLeft(after)
    }
    payment = (await context.store.findPayment(merchantId, id)) as Payment
    if (!payment.refund) {
      throw problem(
        `${inFull(payment.refunded)} has been sent back by now, by somebody else: look, then give the command again`
      )
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
    throw new OperatorError(`--amount is ${given}, more than what is left: ${most} ${currency}; it was not sent back`)
  }
  return read
}

/** @throws OperatorError if none of the files is that of the merchant, or it has another provider by now */
function readMerchantOf({ merchantId, provider }: Payment, files: string[]): PaidMerchant {
  const { read, mistakes } = readMerchantFiles(files, {
    options: transferOptions,
    destinations,
    providers: paymentProviders
  })
  if (mistakes.length > 0) throw new MerchantFileError(mistakes, files)
  const merchant = read.map(file => file.merchant).find(one => one?.id === merchantId)
  if (!merchant) throw new OperatorError(`none of these merchant files has the id "${merchantId}"; give that one`)
  if (merchant.payment?.provider.name === provider) return { ...merchant, payment: merchant.payment }
  throw new OperatorError(
    `"${merchantId}" has no checkout.payment with "provider": "${provider}", which took the money`
  )
}

if (import.meta.main) await runCommand(refundOrder)
