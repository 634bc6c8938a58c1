// What Stripe takes in each currency, and in which unit: https://docs.stripe.com/currencies. Written down here once more, as
// the shop's own table is among what is tried out.
import { RefusedCall } from './refused-call.ts'

const listed = (codes: string) => new Set(codes.split(' '))

const SUPPORTED = listed(
  'usd aed afn all amd ang aoa ars aud awg azn bam bbd bdt bgn bhd bif bmd bnd bob brl bsd bwp byn bzd cad cdf chf clp cny cop ' +
    'crc cve czk djf dkk dop dzd egp etb eur fjd fkp gbp gel gip gmd gnf gtq gyd hkd hnl htg huf idr ils inr isk jmd jod jpy ' +
    'kes kgs khr kmf krw kwd kyd kzt lak lbp lkr lrd lsl mad mdl mga mkd mmk mnt mop mur mvr mwk mxn myr mzn nad ngn nio nok ' +
    'npr nzd omr pab pen pgk php pkr pln pyg qar ron rsd rub rwf sar sbd scr sek sgd shp sle sos srd std szl thb tjs tnd top ' +
    'try ttd twd tzs uah ugx uyu uzs vnd vuv wst xaf xcd xcg xof xpf yer zar zmw'
)
const ZERO_DECIMAL = listed('bif clp djf gnf jpy kmf krw mga pyg rwf vnd vuv xaf xof xpf')
const THREE_DECIMAL = listed('bhd jod kwd omr tnd')
/** They have no subunit, and are sent with two decimals of zeros. */
const BY_HUNDREDS = listed('isk ugx')

/** The least that can be charged; of other currencies nothing is documented but their worth. */
const LEAST = new Map(
  (
    'usd 50, aed 200, ars 50, aud 50, bgn 100, brl 50, cad 50, chf 50, cop 50, czk 1500, dkk 250, eur 50, gbp 30, hkd 400, ' +
    'huf 17500, idr 50, ils 50, inr 50, jpy 50, krw 50, mxn 1000, myr 200, nok 300, nzd 50, php 50, pln 200, ron 200, rub 50, ' +
    'sek 300, sgd 50, thb 1000, zar 50'
  )
    .split(', ')
    .map((entry): [string, number] => [entry.slice(0, 3), Number(entry.slice(4))])
)
/** Of any currency. */
export const LARGEST_AMOUNT = 999_999_999_999

/** Eight digits, but for a few currencies. */
function largestCharge(currency: string): number {
  if (currency === 'idr') return LARGEST_AMOUNT
  if (currency === 'lbp') return 99_999_999_999
  if (currency === 'cop' || currency === 'huf' || currency === 'jpy') return 9_999_999_999
  return currency === 'inr' ? 999_999_999 : 99_999_999
}

const decimalsOf = (currency: string) => (ZERO_DECIMAL.has(currency) ? 0 : THREE_DECIMAL.has(currency) ? 3 : 2)

/** For people. @param amount as Stripe has it @param locale of Checkout */
export function writeAmount(amount: number, currency: string, locale = 'en'): string {
  return new Intl.NumberFormat(locale, { style: 'currency', currency }).format(amount / 10 ** decimalsOf(currency))
}

/** @throws RefusedCall */
export function checkCurrency(currency: string, param: string): void {
  if (!SUPPORTED.has(currency)) throw new RefusedCall(`Invalid currency: ${currency}.`, { param })
}

/** @throws RefusedCall if no such amount can be moved in the currency */
export function checkStep(amount: number, currency: string, param: string): void {
  const step = THREE_DECIMAL.has(currency) ? 10 : BY_HUNDREDS.has(currency) ? 100 : 1
  if (amount % step === 0) return
  const message = `Invalid amount. Amounts in ${currency} must be evenly divisible by ${step}.`
  throw new RefusedCall(message, { code: 'invalid_charge_amount_no_decimal_compatible', param })
}

/** @throws RefusedCall */
export function checkTotal(total: number, currency: string): void {
  const least = LEAST.get(currency) ?? 1
  const most = largestCharge(currency)
  if (total >= least && total <= most) return
  const [code, bound, amount] =
    total < least ? ['amount_too_small', 'at least', least] : ['amount_too_large', 'no more than', most]
  const message = `The Checkout Session's total amount due must add up to ${bound} ${writeAmount(amount, currency)}`
  throw new RefusedCall(message, { code })
}
