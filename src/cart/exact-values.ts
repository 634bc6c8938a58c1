// Numbers and dates as they are written, read exactly: `Number` rounds, and Date.parse takes 30 February for 2 March.

/**
 * Reads a JSON number: 2, 2.0 and 20e-1 are 2; 1.0000000000000000001 is not 1.
 * @returns Infinity if it has more than 15 digits, undefined if it is not whole
 */
export function wholeNumber(literal: string): number | undefined {
  const [, sign, whole = '', fraction = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(
    literal
  ) as RegExpExecArray
  const digits = (whole + fraction).replace(/^0+/, '')
  // A loop, as a regular expression would scan every run of zeros again from each of its zeros.
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
