// How much of a request an option reads, so that no request holds up the others, whatever is in its body. There is room
// for the longest cart, and for what a platform may add to the contract.

/** The largest body that a legitimate cart may have, in bytes. */
export const maxBody = (maxItems: number): number => 64 * 1024 + maxItems * 2 * 1024

/** The most fields of a form, those beyond the contract included. */
export const maxFields = (maxItems: number): number => 1024 + maxItems * 16

/** The most members and elements of a JSON body, at any depth: a field beyond the contract may hold several. */
export const maxValues = (maxItems: number): number => 2 * maxFields(maxItems)

/**
 * How much of the encoded text of a field is decoded, in characters. The longest, a SKU, takes 12 at most for each of its
 * 128 (`%F0%9D%92%B3`, `\ud835\udcb3`): what is longer than this is too long, even if it is cut here.
 */
export const MAX_ENCODED = 2048
