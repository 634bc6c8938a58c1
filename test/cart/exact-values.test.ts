// The whole number that a JSON number stands for: exact where floating point would round, checked against BigInt. And where
// bytes stop being UTF-8.
import fc from 'fast-check'
import t from 'tap'
import { describeNotUtf8, wholeNumber } from '../../src/cart/exact-values.ts'
import { anyText } from '../any-text.ts'

t.test('a JSON number is read exactly, however it is written', async t => {
  const cases: [literal: string, value: number | undefined][] = [
    ['0', 0],
    ['-0', 0],
    ['0e-99', 0],
    ['2', 2],
    ['20e-1', 2],
    ['0.002E+3', 2],
    ['1e4', 10_000],
    ['999999999999999', 999_999_999_999_999],
    ['1000000000000000', Infinity],
    ['1e15', Infinity],
    ['1e999999999999999999999999', Infinity],
    ['0.5', undefined],
    ['1e-999999999999999999999999', undefined],
    ['1.0000000000000000001', undefined], // floating point rounds it to 1
    ['9999.0000000000000001', undefined],
    ['0.99999999999999999999', undefined]
  ]
  for (const [literal, value] of cases) t.equal(wholeNumber(literal), value, `${literal} is ${value}`)
})

/** The value of the literal, by arithmetic that never rounds. */
function byBigInt(sign: string, whole: string, fraction: string, exponent: number): number | undefined {
  const mantissa = BigInt(whole + fraction)
  const shift = exponent - fraction.length
  const power = 10n ** BigInt(Math.abs(shift))
  if (shift < 0 && mantissa % power !== 0n) return undefined
  const value = shift < 0 ? mantissa / power : mantissa * power
  if (value === 0n) return 0
  const size = value >= 10n ** 15n ? Infinity : Number(value)
  return sign === '-' ? -size : size
}

t.test('the result agrees with BigInt arithmetic for every literal that JSON allows', async () => {
  const digits = (minLength: number) => fc.string({ unit: fc.constantFrom(...'0001259'), minLength, maxLength: 20 })
  const whole = digits(1).map(text => text.replace(/^0+(?=\d)/, ''))
  const sign = fc.constantFrom('', '-')
  const exponent = fc.integer({ min: -40, max: 40 })
  const style = fc.constantFrom('e', 'E', 'e+', 'none')
  fc.assert(
    fc.property(sign, whole, digits(0), exponent, style, (minus, integer, fraction, power, e) => {
      const shift = e === 'none' ? 0 : e === 'e+' ? Math.abs(power) : power
      const literal = minus + integer + (fraction && `.${fraction}`) + (e === 'none' ? '' : e + shift)
      JSON.parse(literal)
      return Object.is(wholeNumber(literal), byBigInt(minus, integer, fraction, shift))
    }),
    { numRuns: 2000 }
  )
})

// A regular expression that looks for the zeros takes minutes: this test would time out.
t.test('a literal of a megabyte is read quickly, however many zeros it has', async t => {
  t.equal(wholeNumber(`1${'0'.repeat(1_000_000)}1`), Number.POSITIVE_INFINITY)
  t.equal(wholeNumber(`1.${'01'.repeat(500_000)}`), undefined)
  t.equal(wholeNumber(`2.${'0'.repeat(1_000_000)}`), 2)
})

t.test('of bytes that are not UTF-8, the first is named, wherever it is and whatever follows', async () => {
  // No character begins with these.
  const alone = fc.oneof(fc.integer({ min: 0x80, max: 0xc1 }), fc.integer({ min: 0xf5, max: 0xff })).map(byte => [byte])
  const cut = fc
    .constantFrom('é', '☕', '\ufffd', '\uffff', '𝒳')
    .chain(character =>
      fc.integer({ min: 1, max: Buffer.byteLength(character) - 1 }).map(end => [character, end] as const)
    )
    .map(([character, end]) => [...Buffer.from(character).subarray(0, end)])
  const after = fc.oneof(
    fc.constant([]),
    fc.uint8Array({ maxLength: 4 }).map(more => [0x41, ...more])
  )
  const before = fc
    .oneof(anyText({ maxLength: 60 }), fc.constantFrom('\ufeff', '\ufffd'))
    .map(text => text.toWellFormed())
  fc.assert(
    fc.property(before, fc.oneof(alone, cut), after, (text, wrong, more) => {
      const [byte = 0] = wrong
      const bytes = Buffer.concat([Buffer.from(text), Buffer.from([...wrong, ...more])])
      const place = `0x${byte.toString(16).toUpperCase()} at offset ${Buffer.byteLength(text)}`
      return describeNotUtf8(bytes) === `bytes that are not UTF-8: ${place}, counted from 0`
    }),
    { numRuns: 1000 }
  )
})
