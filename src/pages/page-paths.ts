// Where the pages of a checkout are.
import type { Merchant } from '../merchant/merchant.ts'

/** In the address of a confirmation: what was sent is not what had been ordered before. */
export const UNCHANGED = 'unchanged'

/** The path of a checkout: GET shows it, POST places its order. */
export function checkoutPath({ path, checkout }: Merchant, token: string): string {
  return `${path}${checkout.path}/${token}`
}

/**
 * The path of the confirmation: stable, with the number that apps read from it (REAL-APP.md 8 and 9).
 * @param isUnchanged whether it is to say that what was sent has changed nothing
 */
export function confirmationPath(merchant: Merchant, token: string, orderNumber: string, isUnchanged = false): string {
  return `${checkoutPath(merchant, token)}/complete?order=${orderNumber}${isUnchanged ? `&${UNCHANGED}=1` : ''}`
}
