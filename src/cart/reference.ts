// The reference (contract 2.1 and 8): unique per order, at most 32 characters; both sides match their orders by it.

/** The longest reference that the contract allows (section 8), in characters. */
export const MAX_REFERENCE = 32

export const UUID_PATTERN = '^[0-9A-Fa-f]{32}$'
export const HYPHENATED_UUID_PATTERN = '^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$'

const UUID = new RegExp(UUID_PATTERN)
const HYPHENATED_UUID = new RegExp(HYPHENATED_UUID_PATTERN)

/** Whether it is a UUID of 32 hexadecimal digits, the only form that fits into 32 characters. */
export function isUuid(text: string): boolean {
  return UUID.test(text)
}

/** Whether it is a UUID in the common form with hyphens, 36 characters. */
export function isHyphenatedUuid(text: string): boolean {
  return HYPHENATED_UUID.test(text)
}

/** The key that references are compared by: UUIDs without regard to case and hyphens, anything else exactly. */
export function referenceKey(reference: string): string {
  const bare = isHyphenatedUuid(reference) ? reference.replaceAll('-', '') : reference
  return isUuid(bare) ? bare.toLowerCase() : reference
}
