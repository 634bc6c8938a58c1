// The reference (contract 2.1 and 8): unique per order, at most 32 characters, what both sides match orders by.

/** At most 32 characters (contract 8). */
export const MAX_REFERENCE = 32

/** A UUID as 32 hexadecimal digits: the only way a UUID fits into 32 characters. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{32}$/i.test(text)
}

/** A UUID in its usual 36-character form. */
export function isHyphenatedUuid(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text)
}

/** What two references are compared by: case and hyphens are ignored when it is a UUID, else it is exact. */
export function referenceKey(reference: string): string {
  const bare = isHyphenatedUuid(reference) ? reference.replaceAll('-', '') : reference
  return isUuid(bare) ? bare.toLowerCase() : reference
}
