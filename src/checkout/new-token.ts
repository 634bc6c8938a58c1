// Tokens of checkouts.
import { randomFillSync } from 'node:crypto'

/** 144 bits, in 24 characters of base64url. */
const RANDOM_BYTES = 18

/** Random bytes for many tokens: drawing them for one token at a time takes 20 times as long. None is used twice. */
const drawn = Buffer.alloc(100 * RANDOM_BYTES)
let used = drawn.length

/**
 * Random and URL-safe. It begins with the time, in 8 characters, so new rows go at the end of the index, and a commit
 * writes fewer pages.
 */
export function newToken(at: Date): string {
  if (used === drawn.length) {
    randomFillSync(drawn)
    used = 0
  }
  used += RANDOM_BYTES
  return at.getTime().toString(36) + drawn.toString('base64url', used - RANDOM_BYTES, used)
}
