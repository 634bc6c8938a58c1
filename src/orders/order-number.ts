// Order numbers: short enough to read out on the phone, without look-alike characters, and not countable.
import { randomInt } from 'node:crypto'

/** Without 0 and O, 1, I and L, and U, which looks and sounds like V. */
const ALPHABET = '23456789ABCDEFGHJKMNPQRSTVWXYZ'

/** A random number such as `7KQM-3XH9`, one of some 650,000 million. */
export function newOrderNumber(): string {
  const part = () => Array.from({ length: 4 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
  return `${part()}-${part()}`
}
