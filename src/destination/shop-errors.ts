// What goes wrong between us and a shop. Each becomes a refusal of the transfer; the log has the problem.
import type { CartField } from '../cart/cart.ts'
import type { MistakeCode } from '../errors.ts'

/** What the shop does not sell, or has other than it was sent. */
export type ShopMistake = {
  field: CartField
  /** The index of the line in the cart; absent for what is wrong with the whole. */
  line?: number
  detail: string
} & (
  | {
      code: Extract<
        MistakeCode,
        'sku-unknown' | 'out-of-stock' | 'price-missing' | 'currency-not-sold' | 'destination-differs'
      >
    }
  // The most units of the line that it sells.
  | { code: Extract<MistakeCode, 'quantity-too-large'>; limit: { units: number } }
)

/** The shop does not sell the cart as it was sent; the shop is well. */
export class CartRefused extends Error {
  readonly mistakes: [ShopMistake, ...ShopMistake[]]

  constructor(mistakes: [ShopMistake, ...ShopMistake[]]) {
    super('the shop refused the cart')
    this.mistakes = mistakes
  }
}

/** The shop is slow or down, or its answer makes no sense. The message is for the log, and quotes nothing secret. */
export class ShopFailed extends Error {}

/** It says nothing, or that it cannot: no connection, too slow, 5xx. Other failures may be due to one cart alone. */
export class ShopDown extends ShopFailed {}

/** The cart that the shop has answered with is over, so its key is as well. */
export class HandoverExpired extends ShopFailed {}

/** The shop's answer cannot be carried out by the option of this merchant. The message is for the log. */
export class HandoverUnusable extends Error {}
