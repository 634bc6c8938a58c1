// Reads the whole number that a JSON number stands for, exactly: 2, 2.0, 20e-1 are 2; 1.0000000000000000001 is not 1.

/**
 * @param literal a JSON number as it was written
 * @returns the number if it is whole and at most 15 digits long, Infinity past that, undefined when it is not whole
 */
export function wholeNumber(literal: string): number | undefined {
  const [, sign, whole = '', fraction = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(
    literal
  ) as RegExpExecArray
  const digits = (whole + fraction).replace(/^0+/, '')
  // A loop, as a regular expression would look at every run of zeros from every zero of it.
  let end = digits.length
  while (digits[end - 1] === '0') end -= 1
  const significant = digits.slice(0, end)
  if (significant === '') return 0
  const shift = Number(exponent) - fraction.length + digits.length - significant.length
  if (shift < 0) return undefined
  const size = significant.length + shift
  return (sign === '-' ? -1 : 1) * (size > 15 ? Infinity : Number(significant.padEnd(size, '0')))
}
