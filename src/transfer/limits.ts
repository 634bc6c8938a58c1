// How much of a request an option reads, so that no request holds up the others, whatever is in its body.

/** Room in a body for a line of 128 characters at their longest, and for what a platform may add to the contract. */
const BYTES_PER_LINE = 2 * 1024
const BYTES_PER_CART = 64 * 1024

/** The largest body that a legitimate cart may have, in bytes. */
export function maxBody(maxItems: number): number {
  return BYTES_PER_CART + maxItems * BYTES_PER_LINE
}

/** Room for every field of every line, and for many that a platform may add to the contract. */
const FIELDS_PER_LINE = 16
const FIELDS_PER_CART = 1024

/** The most fields of a form, those beyond the contract included. */
export function maxFields(maxItems: number): number {
  return FIELDS_PER_CART + maxItems * FIELDS_PER_LINE
}

/** The most members and elements of a JSON body, at any depth: a field beyond the contract may hold several. */
export function maxValues(maxItems: number): number {
  return 2 * maxFields(maxItems)
}

/**
 * How much of the encoded text of a field is decoded, in characters. The longest, a SKU, takes 12 at most for each of its
 * 128 (`%F0%9D%92%B3`, `\ud835\udcb3`): what is longer than this is too long, even if it is cut here.
 */
export const MAX_ENCODED = 2048
