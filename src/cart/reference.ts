// The reference (contract 2.1 and 8): unique per order, at most 32 characters; both sides match their orders by it.

/** The longest reference that the contract allows (section 8), in characters. */
export const MAX_REFERENCE = 32

/** Whether it is a UUID of 32 hexadecimal digits, the only form that fits into 32 characters. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{32}$/i.test(text)
}

/** Whether it is a UUID in the common form with hyphens, 36 characters. */
export function isHyphenatedUuid(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text)
}

/** The key that references are compared by: UUIDs without regard to case and hyphens, anything else exactly. */
export function referenceKey(reference: string): string {
  const bare = isHyphenatedUuid(reference) ? reference.replaceAll('-', '') : reference
  return isUuid(bare) ? bare.toLowerCase() : reference
}
