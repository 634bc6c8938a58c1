// Money: the digits of each currency, and exact conversion both ways.
import fc from 'fast-check'
import t from 'tap'
import { digitsOf, isCurrency, MAX_PRICE, toDecimal, toMinor } from '../src/money.ts'

t.test('a currency has the digits that ISO 4217 gives it', async t => {
  const cases: [currency: string, digits: number][] = [
    ['JPY', 0],
    ['KRW', 0],
    ['CLP', 0],
    ['GBP', 2],
    ['EUR', 2],
    ['USD', 2],
    ['HUF', 2], // written without fillér in shops; the standard still has two
    ['IDR', 2],
    ['MGA', 2], // the subunit is a fifth, but the standard has two digits
    ['MRU', 2],
    ['BHD', 3],
    ['KWD', 3],
    ['CLF', 4]
  ]
  for (const [currency, digits] of cases) t.equal(digitsOf(currency), digits, `${currency}: ${digits}`)
})

t.test('a currency is an upper-case ISO 4217 alphabetic code, and nothing else', async t => {
  for (const code of ['GBP', 'JPY', 'BHD', 'MGA', 'XOF', 'ZWG']) t.ok(isCurrency(code), code)
  for (const code of ['', 'gbp', 'Gbp', 'GB', 'GBPP', ' GBP', 'GBP ', '826', '£', 'ZZZ', 'constructor', '__proto__']) {
    t.notOk(isCurrency(code), JSON.stringify(code))
  }
  t.throws(() => digitsOf('ZZZ'), new RangeError('ZZZ is not an ISO 4217 code'))
})

t.test('a decimal is read exactly, or not at all', async t => {
  const cases: [decimal: string, currency: string, minor: number | undefined][] = [
    ['147.99', 'USD', 14799],
    ['147.9', 'USD', 14790],
    ['147', 'USD', 14700],
    ['0', 'USD', 0],
    ['0.01', 'USD', 1],
    ['007.50', 'USD', 750],
    ['1.500', 'USD', 150], // trailing zeros beyond the currency's digits add no precision
    ['4500', 'JPY', 4500],
    ['4500.00', 'JPY', 4500],
    ['1.234', 'BHD', 1234],
    ['1.2', 'MGA', 120],
    ['8.15', 'HUF', 815],
    ['1.15', 'GBP', 115], // 1.15 * 100 is 114.99999999999999
    ['9999999.99', 'EUR', MAX_PRICE],
    ['10000000.00', 'EUR', undefined],
    ['999999999', 'JPY', MAX_PRICE],
    ['1000000000', 'JPY', undefined],
    ['9'.repeat(400), 'JPY', undefined],
    ['1.005', 'EUR', undefined],
    ['4500.5', 'JPY', undefined],
    ['1.2345', 'BHD', undefined],
    ['1\n', 'EUR', undefined],
    ['0x10', 'EUR', undefined],
    ['£1', 'GBP', undefined],
    ['1.00 GBP', 'GBP', undefined],
    ['１', 'EUR', undefined],
    ['NaN', 'EUR', undefined],
    ['Infinity', 'EUR', undefined]
  ]
  for (const [decimal, currency, minor] of cases) {
    t.equal(toMinor(decimal, currency), minor, `${JSON.stringify(decimal.slice(0, 20))} ${currency}: ${minor}`)
  }
})

t.test('minor units are written as a decimal in major units, with all digits of the currency', async t => {
  const cases: [minor: number, currency: string, decimal: string][] = [
    [14799, 'USD', '147.99'],
    [14790, 'USD', '147.90'],
    [0, 'USD', '0.00'],
    [5, 'USD', '0.05'],
    [50, 'USD', '0.50'],
    [0, 'JPY', '0'],
    [4500, 'JPY', '4500'],
    [1, 'BHD', '0.001'],
    [1234, 'BHD', '1.234'],
    [120, 'MGA', '1.20']
  ]
  for (const [minor, currency, decimal] of cases) t.equal(toDecimal(minor, currency), decimal, `${minor} ${currency}`)
})

const currency = fc.constantFrom('JPY', 'GBP', 'HUF', 'MRU', 'BHD', 'CLF')
const amount = fc.integer({ min: 0, max: MAX_PRICE })

t.test('every amount survives a round trip through decimals, whatever the digits of its currency', async () => {
  fc.assert(fc.property(amount, currency, (minor, code) => toMinor(toDecimal(minor, code), code) === minor))
  t.equal(toMinor('10.00', 'GBP', 1000), 1000)
  t.equal(toMinor('10.01', 'GBP', 1000), undefined)
})

t.test('every decimal with the digits of its currency survives a round trip through minor units', async () => {
  const decimal = currency.chain(code => {
    const digits = digitsOf(code)
    const whole = fc.integer({ min: 0, max: Math.floor(MAX_PRICE / 10 ** digits) - 1 }).map(String)
    const fraction = fc.integer({ min: 0, max: 10 ** digits - 1 }).map(n => `.${String(n).padStart(digits, '0')}`)
    return fc.tuple(fc.constant(code), whole, digits === 0 ? fc.constant('') : fraction)
  })
  fc.assert(
    fc.property(decimal, ([code, whole, fraction]) => {
      const minor = toMinor(whole + fraction, code)
      return minor !== undefined && toDecimal(minor, code) === whole + fraction
    })
  )
})

t.test('anything but a plain decimal is refused', async () => {
  const nearly = fc.string({ unit: fc.constantFrom(...'0123456789.,+-eE_ '), maxLength: 6 })
  fc.assert(
    fc.property(nearly, currency, (text, code) => {
      fc.pre(!/^[0-9]+(\.[0-9]+)?$/.test(text))
      return toMinor(text, code) === undefined
    })
  )
})

t.test('the largest possible total of a cart is exact to the last digit', async t => {
  const total = MAX_PRICE * 9999 * 900
  t.ok(Number.isSafeInteger(total))
  t.equal(toDecimal(total, 'GBP'), '89990999910009.00')
})
