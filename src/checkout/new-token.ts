// Tokens of checkouts.
import { randomUUID } from 'node:crypto'

/**
 * Random and URL-safe. It begins with the time, in 8 characters, so new rows go at the end of the index, and a commit
 * writes fewer pages.
 */
export function newToken(at: Date): string {
  return at.getTime().toString(36) + randomText()
}

/** 144 random bits in 24 characters. For UUIDs, Node draws random bytes for 128 at once: `randomBytes` takes twice as long. */
function randomText(): string {
  const uuid = randomUUID()
  // Without the digits that hold version and variant.
  const digits = uuid.slice(0, 8) + uuid.slice(9, 13) + uuid.slice(24) + randomUUID().slice(24)
  return Buffer.from(digits, 'hex').toString('base64url')
}
