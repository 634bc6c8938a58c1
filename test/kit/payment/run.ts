// npm run test:payment: the conversation of conversation.ts, with the stand-in for Stripe or with Stripe's test mode.
import { AssertionError } from 'node:assert'
import Stripe from 'stripe'
import { readFlags } from '../../script-flags.ts'
import { converse } from './conversation.ts'
import { connect, openDouble, SECRET_KEY } from './open-double.ts'

const USAGE = `npm run test:payment -- [--live]

Opens, looks up and expires Checkout Sessions, and sends requests that must be refused, with the stand-in for Stripe that the
tests use. No shopper is played, and nothing is paid.

--live   the same with Stripe's test mode: STRIPE_SECRET_KEY is a test key (sk_test_ or rk_test_). We have never run this
         ourselves: if anything differs, src/kit/payment/ is wrong, or this conversation.`

const { live } = await readFlags(USAGE, { live: { type: 'boolean', default: false } })
const { STRIPE_SECRET_KEY: key = '' } = process.env
if (live && !/^[sr]k_test_/.test(key)) {
  const what = key === '' ? 'is not set' : 'is no test key'
  console.error(`STRIPE_SECRET_KEY ${what}: --live takes a key of Stripe's test mode, sk_test_… or rk_test_…`)
  process.exit(2)
}

const opened: (() => unknown)[] = []
const clients = live
  ? [new Stripe(key), new Stripe('sk_test_of_a_stranger')]
  : await openDouble({ teardown: close => void opened.push(close) }, { clock: () => new Date() }).then(({ double }) =>
      [SECRET_KEY, 'sk_test_of_a_stranger'].map(key => connect(double.origin, key))
    )
const [stripe, stranger] = clients as [Stripe, Stripe]
console.log(`With ${live ? "Stripe's test mode" : 'the stand-in for Stripe'}:`)
try {
  for await (const line of converse(stripe, stranger, Math.floor(Date.now() / 1000))) console.log(`  ${line}`)
} catch (error) {
  if (!(error instanceof AssertionError || error instanceof Stripe.errors.StripeError)) throw error
  console.error(`  and then it differs: ${error.message}`)
  process.exitCode = 1
}
for (const close of opened) await close()
