// Amounts as Stripe's API writes them (docs.stripe.com/currencies): its decimals are not those of ISO 4217 everywhere.
import { digitsOf, isCurrency } from '../../../money.ts'
import { type AmountProblem, PaymentFailed } from '../provider.ts'

/** What Stripe charges in some country or other. */
const CHARGED: ReadonlySet<string> = new Set(
  `AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BWP BYN BZD CAD CDF CHF CLP CNY COP CRC
  CVE CZK DJF DKK DOP DZD EGP ETB EUR FJD FKP GBP GEL GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR ISK JMD JOD JPY KES KGS
  KHR KMF KRW KWD KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR
  PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SEK SGD SHP SLE SOS SRD SZL THB TJS TND TOP TRY TTD TWD TZS UAH
  UGX USD UYU UZS VND VUV WST XAF XCD XCG XOF XPF YER ZAR ZMW`.split(/\s+/)
)

/** All others have two, of which ISK and UGX use none: they are charged in whole units. */
const DECIMALS: Readonly<Record<string, number>> = {
  ...Object.fromEntries(
    'BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' ').map(code => [code, 0])
  ),
  ...Object.fromEntries('BHD JOD KWD OMR TND'.split(' ').map(code => [code, 3]))
}

/**
 * The least that is charged, in Stripe's units. It holds for accounts that are paid out in the currency itself; others need the worth of
 * their own least, at a rate that only Stripe knows, and of a currency that is not here nothing else is documented.
 */
const LEAST: Readonly<Record<string, number>> = {
  AED: 200,
  ARS: 50,
  AUD: 50,
  BGN: 100,
  BRL: 50,
  CAD: 50,
  CHF: 50,
  COP: 50,
  CZK: 1500,
  DKK: 250,
  EUR: 50,
  GBP: 30,
  HKD: 400,
  HUF: 17_500,
  IDR: 50,
  ILS: 50,
  INR: 50,
  JPY: 50,
  KRW: 50,
  MXN: 1000,
  MYR: 200,
  NOK: 300,
  NZD: 50,
  PHP: 50,
  PLN: 200,
  RON: 200,
  RUB: 50,
  SEK: 300,
  SGD: 50,
  THB: 1000,
  USD: 50,
  ZAR: 50
}

/**
 * How many digits an amount may have, where it is not eight, as the API's reference has it. The page about currencies has had more for
 * cards in all currencies, and elsewhere fewer again: networks and methods have limits of their own.
 */
const DIGITS: Readonly<Record<string, number>> = { COP: 10, HUF: 10, IDR: 12, INR: 9, JPY: 10, LBP: 11 }

const decimalsOf = (currency: string): number => DECIMALS[currency] ?? 2

export function isCharged(currency: string): boolean {
  return CHARGED.has(currency)
}

/** @param minor in minor units, as ISO 4217 has them @returns undefined if Stripe cannot charge exactly this */
export function toStripe(minor: number, currency: string): number | undefined {
  const decimals = decimalsOf(currency)
  const amount = scaled(minor, decimals - digitsOf(currency))
  // The last of three decimals has to be 0.
  return decimals === 3 && amount !== undefined && amount % 10 !== 0 ? undefined : amount
}

/** Amounts are in minor units, as ISO 4217 has them. */
export function amountProblem(minor: number, currency: string): AmountProblem | undefined {
  const decimals = decimalsOf(currency)
  const unit = 10 ** (digitsOf(currency) - decimals)
  const step = decimals === 3 ? 10 : Math.max(unit, 1)
  const least = Math.ceil(((LEAST[currency] ?? 1) * unit) / step) * step
  const most = Math.floor(((10 ** (DIGITS[currency] ?? 8) - 1) * unit) / step) * step
  if (minor < least) return { breaks: 'least', nearest: least }
  if (minor > most) return { breaks: 'most', nearest: most }
  return minor % step === 0 ? undefined : { breaks: 'exact', nearest: Math.round(minor / step) * step }
}

/** @throws PaymentFailed if Stripe cannot charge exactly this */
export function toStripeOrFail(minor: number, currency: string): number {
  const amount = toStripe(minor, currency)
  if (amount !== undefined) return amount
  throw new PaymentFailed(`Stripe cannot charge ${minor} minor units of ${currency} exactly`)
}

/** @returns minor units, as ISO 4217 has them; undefined if they are not a whole number, or the currency is none */
export function fromStripe(amount: number, currency: string): number | undefined {
  return isCurrency(currency) ? scaled(amount, digitsOf(currency) - decimalsOf(currency)) : undefined
}

/** @returns the number times a power of ten, if that is whole, and no larger than a number can be exactly */
function scaled(number: number, power: number): number | undefined {
  const product = power >= 0 ? number * 10 ** power : number / 10 ** -power
  return Number.isSafeInteger(product) ? product : undefined
}
