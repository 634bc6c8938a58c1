// Order numbers: short enough to say on the phone, with no two letters that look alike, and telling nobody how many
// orders there were.
import { randomInt } from 'node:crypto'

/** No 0 and O, no 1, I and L; nor U, which sounds and looks like V. */
const ALPHABET = '23456789ABCDEFGHJKMNPQRSTVWXYZ'

/** A random number such as `7KQM-3XH9`; there are some 650,000 million. */
export function newOrderNumber(): string {
  const part = () => Array.from({ length: 4 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
  return `${part()}-${part()}`
}
