// Amounts of money as people read them.
import fc from 'fast-check'
import t from 'tap'
import { moneyFormat } from '../../src/messages/money-format.ts'
import { digitsOf, MAX_PRICE, toDecimal } from '../../src/money.ts'

const currency = fc.constantFrom('JPY', 'GBP', 'HUF', 'MRU', 'BHD', 'CLF')

t.test('amounts are formatted for the locale', async t => {
  const nbsp = '\u00a0'
  const cases: [minor: number, currency: string, locale: string, text: string][] = [
    [1250, 'GBP', 'en-GB', '£12.50'],
    [123_456_789, 'GBP', 'en-GB', '£1,234,567.89'],
    [14799, 'USD', 'en-GB', 'US$147.99'],
    [4500, 'JPY', 'en-GB', 'JP¥4,500'],
    [1234, 'BHD', 'en-GB', `BHD${nbsp}1.234`],
    [120, 'MGA', 'en-GB', `MGA${nbsp}1.20`],
    [150_000, 'HUF', 'en-GB', `HUF${nbsp}1,500.00`],
    [1250, 'EUR', 'de-DE', `12,50${nbsp}€`],
    [123_456_789, 'EUR', 'de-DE', `1.234.567,89${nbsp}€`],
    [4500, 'JPY', 'de-DE', `4.500${nbsp}¥`],
    [1_500_000, 'IDR', 'de-DE', `15.000,00${nbsp}IDR`],
    [4500, 'JPY', 'ja-JP', '￥4,500'],
    [1250, 'EUR', 'ja-JP', '€12.50'],
    [0, 'GBP', 'en-GB', '£0.00'],
    [MAX_PRICE * 9999 * 900 - 1, 'GBP', 'en-GB', '£89,990,999,910,008.99']
  ]
  for (const [minor, code, locale, text] of cases) {
    t.equal(moneyFormat(code, locale)(minor), text, `${minor} ${code} in ${locale}`)
  }
})

t.test('an amount is what Intl writes, whatever the grouping and the digits of the language', async () => {
  const locale = fc.constantFrom('en-GB', 'en-IN', 'de-CH', 'es', 'pl', 'ja', 'hi', 'ar', 'ar-EG', 'fa', 'mr')
  fc.assert(
    fc.property(currency, locale, fc.maxSafeNat(), (code, locale, minor) => {
      const digits = digitsOf(code)
      const fraction = { minimumFractionDigits: digits, maximumFractionDigits: digits }
      const intl = new Intl.NumberFormat(locale, { style: 'currency', currency: code, ...fraction })
      const expected = intl.format(toDecimal(minor, code) as Intl.StringNumericLiteral)
      const marks = /[\u200f\u2066\u2069]/g
      return moneyFormat(code, locale)(minor).replace(marks, '') === expected.replace(marks, '')
    })
  )
})

t.test('formatting an unknown currency throws', async t => {
  t.throws(() => moneyFormat('ZZZ', 'en-GB'), RangeError)
})

t.test('in a right-to-left script, a currency in Latin letters does not reorder the text after it', async t => {
  t.equal(moneyFormat('GBP', 'ar')(2800), '28.00\u00a0\u2066UK£\u2069')
  t.equal(moneyFormat('GBP', 'fr')(2800), '28,00\u00a0£GB')
  t.equal(moneyFormat('EUR', 'ar')(2800), '28.00\u00a0€', 'a symbol without letters needs no isolation')
})

t.test('the narrow symbol is the shortest that people know, in every language', async t => {
  const cases: [currency: string, locale: string, text: string][] = [
    ['GBP', 'en-GB', '£28.00'],
    ['GBP', 'de', '28,00\u00a0£'],
    ['GBP', 'fr', '28,00\u00a0£'],
    ['GBP', 'es', '28,00\u00a0£'],
    ['GBP', 'ja', '£28.00'],
    ['GBP', 'ar', '28.00\u00a0£'],
    ['USD', 'ar', '28.00\u00a0$'],
    ['USD', 'fr', '28,00\u00a0$'],
    ['JPY', 'en-GB', '¥2,800'],
    ['CHF', 'ar', '28.00\u00a0\u2066CHF\u2069'],
    ['AED', 'ar', '28.00\u00a0\u2066د.إ.\u2069'],
    ['CHF', 'de', '28,00\u00a0CHF'],
    ['BRL', 'pt-BR', 'R$\u00a028,00'],
    ['BRL', 'ar', '28.00\u00a0\u2066R$\u2069'],
    ['EGP', 'ar-EG', '٢٨٫٠٠\u00a0\u2066ج.م.\u2069'],
    ['EGP', 'en', 'E£28.00'],
    ['CNY', 'ja', '元\u00a028.00']
  ]
  for (const [code, locale, text] of cases) {
    t.equal(moneyFormat(code, locale, 'narrowSymbol')(2800), text, `${code} in ${locale}`)
  }
})
