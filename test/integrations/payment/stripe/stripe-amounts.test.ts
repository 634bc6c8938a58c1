// Amounts as Stripe writes them: its decimals, what it cannot charge, and the way there and back.
import fc from 'fast-check'
import t from 'tap'
import { PaymentFailed } from '../../../../src/integrations/payment/provider.ts'
import {
  amountProblem,
  fromStripe,
  isCharged,
  toStripe,
  toStripeOrFail
} from '../../../../src/integrations/payment/stripe/stripe-amounts.ts'
import { sessionParams } from '../../../../src/integrations/payment/stripe/stripe-session.ts'
import { checkoutAccount } from '../../../../src/kit/payment/checkout-account.ts'
import { RefusedCall } from '../../../../src/kit/payment/refused-call.ts'
import type { SessionRequest } from '../../../../src/kit/payment/session-request.ts'
import { isCurrency } from '../../../../src/money.ts'
import { paymentRequest } from './open-account.ts'

t.test('an amount is written with the decimals that Stripe gives a currency', async t => {
  const cases: [currency: string, minor: number, amount: number | undefined][] = [
    ['EUR', 1099, 1099],
    ['JPY', 500, 500],
    ['KRW', 500, 500],
    ['VND', 50_000, 50_000],
    // Whole units, written in hundreds.
    ['ISK', 5, 500],
    ['UGX', 5, 500],
    // Only payouts are in whole units.
    ['HUF', 1045, 1045],
    ['TWD', 80_045, 80_045],
    // Two digits in ISO 4217, and whole units at Stripe.
    ['MGA', 50_000, 500],
    ['MGA', 50_020, undefined],
    // The last of three decimals has to be 0.
    ['KWD', 5120, 5120],
    ['KWD', 5124, undefined],
    ['BHD', 1, undefined],
    ['TND', 10, 10],
    ['EUR', 0, 0]
  ]
  for (const [currency, minor, amount] of cases) {
    t.equal(toStripe(minor, currency), amount, `${minor} ${currency}`)
    if (amount !== undefined) t.equal(fromStripe(amount, currency), minor, `${amount} ${currency} at Stripe`)
  }
})

t.test('what cannot be charged exactly says which amount of which currency', async t => {
  for (const [minor, currency] of [
    [5124, 'KWD'],
    [1, 'MGA']
  ] as const) {
    const error = new PaymentFailed(`Stripe cannot charge ${minor} minor units of ${currency} exactly`)
    t.throws(() => toStripeOrFail(minor, currency), error)
  }
})

t.test('an amount of Stripe that is no whole number of our minor units is undefined', async t => {
  t.equal(fromStripe(550, 'ISK'), undefined)
  t.equal(fromStripe(1, 'UGX'), undefined)
  t.equal(fromStripe(100, 'XXX'), undefined, 'no currency')
  t.equal(fromStripe(100, 'USDC'), undefined)
})

const charged = 'EUR JPY ISK UGX HUF TWD MGA KWD BHD JOD OMR TND CLP XPF'.split(' ')

t.test('whatever can be written is read back the same', async t => {
  const amount = fc.integer({ min: 0, max: 99_999_999 })
  fc.assert(
    fc.property(amount, fc.constantFrom(...charged), (minor, currency) => {
      const written = toStripe(minor, currency)
      return written === undefined || fromStripe(written, currency) === minor
    })
  )
  fc.assert(
    fc.property(amount, fc.constantFrom(...charged), (written, currency) => {
      const minor = fromStripe(written, currency)
      return minor === undefined || [written, undefined].includes(toStripe(minor, currency))
    })
  )
  t.pass()
})

t.test('Stripe charges most currencies, but not all', async t => {
  for (const currency of [...charged, 'USD', 'GBP', 'CHF', 'ZMW', 'AED']) t.ok(isCharged(currency), currency)
  for (const currency of ['IQD', 'LYD', 'MRU', 'CLF', 'XAU', 'BTN']) t.notOk(isCharged(currency), currency)
})

t.test('an amount that cannot be paid is told with the nearest that can', async t => {
  const cases: [currency: string, minor: number, problem: [breaks: string, nearest: number] | undefined][] = [
    ['GBP', 29, ['least', 30]],
    ['GBP', 30, undefined],
    ['GBP', 99_999_999, undefined],
    ['GBP', 100_000_000, ['most', 99_999_999]],
    ['JPY', 49, ['least', 50]],
    ['JPY', 100_000_000, undefined],
    ['HUF', 17_499, ['least', 17_500]],
    // Nothing is documented of its least.
    ['CLP', 1, undefined],
    // A rupiah is a 16,000th of a dollar.
    ['IDR', 999_999_999_999, undefined],
    ['IDR', 1_000_000_000_000, ['most', 999_999_999_999]],
    ['INR', 1_000_000_000, ['most', 999_999_999]],
    ['KWD', 1234, ['exact', 1230]],
    ['KWD', 1235, ['exact', 1240]],
    ['KWD', 1230, undefined],
    ['KWD', 1, ['least', 10]],
    ['KWD', 99_999_995, ['most', 99_999_990]],
    ['MGA', 150_020, ['exact', 150_000]],
    ['MGA', 40, ['least', 100]],
    ['MGA', 9_999_999_900, undefined],
    ['MGA', 9_999_999_920, ['most', 9_999_999_900]],
    ['ISK', 1, undefined],
    ['ISK', 999_999, undefined],
    ['ISK', 1_000_000, ['most', 999_999]]
  ]
  for (const [currency, minor, problem] of cases) {
    const expected = problem && { breaks: problem[0], nearest: problem[1] }
    t.strictSame(amountProblem(minor, currency), expected, `${minor} ${currency}`)
    if (expected) t.equal(amountProblem(expected.nearest, currency), undefined, 'the nearest can be paid')
  }
})

// The stand-in has its own reading of Stripe's documents, and shares no code with ours.
const account = checkoutAccount({ clock: () => new Date('2026-11-26T10:00:00Z'), origin: () => '', happened: () => {} })

function isOpened(request: object): boolean {
  try {
    account.open(request as SessionRequest)
    return true
  } catch (error) {
    if (error instanceof RefusedCall) return false
    throw error
  }
}

/** Near every bound, and anywhere. */
const anyAmount = fc.oneof(
  fc.integer({ min: 1, max: 20_000 }),
  fc.integer({ min: 1, max: 10 ** 9 }),
  fc
    .tuple(fc.constantFrom(6, 8, 9, 10, 11, 12, 13, 14), fc.integer({ min: -150, max: 150 }))
    .map(([digits, off]) => 10 ** digits + off)
)
const anyCharged = fc.constantFrom(
  ...Intl.supportedValuesOf('currency').filter(code => isCurrency(code) && isCharged(code)),
  ...charged,
  ...'GBP USD IDR COP INR LBP'.split(' ')
)

t.test('the stand-in opens a payment of every amount that we say can be paid', async t => {
  fc.assert(
    fc.property(anyAmount, anyCharged, (total, currency) => {
      const { nearest = total } = amountProblem(total, currency) ?? {}
      const lines = [{ title: 'Mug', quantity: 1, unitPrice: nearest - 1 }]
      const delivery = { label: 'Post', price: 1 }
      return isOpened(sessionParams(paymentRequest({ currency, total: nearest, lines, delivery })))
    }),
    { numRuns: 1000 }
  )
  t.ok(account.payments.size > 0)
})

t.test('the stand-in refuses every amount that we say cannot be paid', async t => {
  const writes = (amount: number, currency: string) => {
    const price = { currency: currency.toLowerCase(), unit_amount: amount, product_data: { name: 'Mug' } }
    return { line_items: [{ quantity: 1, price_data: price }] }
  }
  fc.assert(
    fc.property(anyAmount, anyCharged, (amount, currency) => {
      const minor = fromStripe(amount, currency)
      const isPayable = minor !== undefined && amountProblem(minor, currency) === undefined
      return isOpened(writes(amount, currency)) === isPayable
    }),
    { numRuns: 1000 }
  )
  t.pass()
})
