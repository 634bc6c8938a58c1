// Tokens of checkouts.
import { randomBytes } from 'node:crypto'

/** 144 random bits. */
const BYTES = 18

/**
 * Random and URL-safe. It begins with the time, in 8 characters: a table of tokens grows at its end, which takes the store
 * a fraction of the pages that it would write for tokens without an order.
 */
export function newToken(at: Date): string {
  return at.getTime().toString(36) + randomBytes(BYTES).toString('base64url')
}
