// `npm run stand-in`: the stand-in for Stripe beside a server, to try payment without an account.
import { openPaymentDouble } from '../kit/payment/payment-double.ts'
import { PAYMENTS_PATH } from '../merchant/merchant.ts'
import { type Command, runCommand, TEXT_FLAG, UsageError } from './run-command.ts'

const KEY = 'sk_test_ofTheStandInWhereNoMoneyMoves'
const SECRET = 'whsec_ofTheStandInWhereNoMoneyMoves'

const FLAGS = { port: { ...TEXT_FLAG, default: '4242' } }

/** What is wrong if the shop does not take a notification. */
const NOT_TAKEN: Record<number, string> = {
  401: '; does it have the webhook secret above?',
  404: '; is that its address, and does it take payment?'
}

function outcome(url: string, status: number | undefined): string {
  return status === undefined
    ? `not told: no answer from ${url}`
    : `told: ${url} answered ${status}${NOT_TAKEN[status] ?? ''}`
}

export const standIn: Command<typeof FLAGS> = {
  usage: `npm run stand-in -- SHOP [--port PORT]

Starts a stand-in for Stripe on this machine, where no money moves, until Ctrl-C.
SHOP is the address of a shop on this machine, its publicUrl, such as
http://127.0.0.1:3000/acme: it is told what is paid.
PORT is 4242 by default.

exit code: 0 ended, 1 it cannot listen there, 2 the arguments cannot be read
`,
  flags: FLAGS,
  run: async ({ values, positionals: [shop, ...rest] }, { print, printError }) => {
    const url = URL.parse(shop ?? '')
    if (url?.protocol !== 'http:' || rest.length > 0) {
      throw new UsageError('give the address of one shop on this machine, such as http://127.0.0.1:3000/acme')
    }
    const port = Number(values.port)
    if (!(port >= 0 && port <= 65_535))
      throw new UsageError(`--port is ${JSON.stringify(values.port)}; give a free one`)
    const notify = `${url.href.replace(/\/$/, '')}${PAYMENTS_PATH}/stripe`
    const double = await openPaymentDouble({
      port,
      secretKey: KEY,
      webhookSecret: SECRET,
      notify: () => notify,
      onAnswer: ({ type }, status) => printError(`${type} ${outcome(notify, status)}`)
    })
    await print(`A stand-in for Stripe. No money moves. Ctrl-C ends it, and it forgets all payments.

In the merchant file, in "checkout":

  "payment": {
    "provider": "stripe",
    "secretVariable": "STRIPE_KEY",
    "webhookSecretVariable": "STRIPE_WEBHOOK_SECRET",
    "apiUrl": "${double.origin}"
  }

In .env, then restart the server:

  STRIPE_KEY=${KEY}
  STRIPE_WEBHOOK_SECRET=${SECRET}
`)
    await new Promise(stop => process.once('SIGINT', stop).once('SIGTERM', stop))
    await double.close()
    return 0
  }
}

if (import.meta.main) await runCommand(standIn)
