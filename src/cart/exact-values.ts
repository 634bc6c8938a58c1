// Reads numbers, dates and text exactly as written, where `Number` rounds, Date.parse takes 30 February for 2 March, and
// decoders replace what is not UTF-8.
import { isUtf8 } from 'node:buffer'

/**
 * Reads a JSON number: 2, 2.0 and 20e-1 are 2; 1.0000000000000000001 is not 1.
 * @returns Infinity if it has more than 15 digits, undefined if it is not whole
 */
export function wholeNumber(literal: string): number | undefined {
  const [, sign, whole = '', fraction = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(
    literal
  ) as RegExpExecArray
  const digits = (whole + fraction).replace(/^0+/, '')
  // A regular expression would scan a run of zeros again from each zero.
  let end = digits.length
  while (digits[end - 1] === '0') end -= 1
  const significant = digits.slice(0, end)
  if (significant === '') return 0
  const shift = Number(exponent) - fraction.length + digits.length - significant.length
  if (shift < 0) return undefined
  const size = significant.length + shift
  return (sign === '-' ? -1 : 1) * (size > 15 ? Infinity : Number(significant.padEnd(size, '0')))
}

export function isCalendarDate(text: string): boolean {
  return new Date(text).toJSON()?.slice(0, 10) === text
}

/** The offset of the first byte that does not begin a UTF-8 character; the length if there is none. */
export function firstNotUtf8(bytes: Uint8Array): number {
  let at = 0
  // Much faster than byte by byte. If the text ends within a character, up to three bytes are left for the next step.
  for (let step = bytes.length; step > 0 && at < bytes.length; ) {
    const sizes = [step, step - 1, step - 2, step - 3]
    const size = sizes.find(one => one > 0 && isUtf8(bytes.subarray(at, at + one)))
    if (size === undefined) step >>= 1
    else at += size
  }
  return at
}

/** For messages about bytes that are not UTF-8: the first that does not begin a character, and its position. */
export function describeNotUtf8(bytes: Uint8Array): string {
  const at = firstNotUtf8(bytes)
  return `bytes that are not UTF-8: 0x${bytes[at]?.toString(16).toUpperCase()} at offset ${at}, counted from 0`
}
