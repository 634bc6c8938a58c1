// Where the storefront shows its checkout of a cart: at an address with the id of the cart, or at one address for all
// carts, with the cookie by which the storefronts of Medusa's starters know theirs.
import type { Handover } from '../destination.ts'

/** Stands for the id of the cart in `pageUrl`. */
const PLACEHOLDER = '{cart}'

/** @param pageUrl as configured for the currency */
export function checkoutPage(pageUrl: string, cartId: string): Pick<Handover, 'url' | 'cookies'> {
  if (pageUrl.includes(PLACEHOLDER)) return { url: pageUrl.replaceAll(PLACEHOLDER, cartId) }
  const isSecure = URL.parse(pageUrl)?.protocol === 'https:'
  return {
    url: pageUrl,
    cookies: [{ name: '_medusa_cart_id', value: cartId, isHttpOnly: true, isSecure, path: '/' }]
  }
}
