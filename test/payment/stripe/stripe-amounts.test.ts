// Amounts as Stripe writes them: its decimals, what it cannot charge, and the way there and back.
import fc from 'fast-check'
import t from 'tap'
import { PaymentFailed } from '../../../src/payment/provider.ts'
import { fromStripe, isCharged, toStripe, toStripeOrFail } from '../../../src/payment/stripe/stripe-amounts.ts'

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
