// The destination for Medusa 2: a cart made by its Store API, for which the storefront shows its own checkout. How to set
// it up, and how Medusa behaves, is in README.md.
import type { Destination } from '../destination.ts'
import { CartRefused } from '../shop-errors.ts'
import { checkoutPage } from './checkout-page.ts'
import { findMedusaMistakes, MedusaSettings } from './medusa-settings.ts'

export const medusa: Destination<MedusaSettings> = {
  name: 'medusa',
  title: 'Medusa 2',
  settings: MedusaSettings,
  needsSecret: false,
  check: findMedusaMistakes,

  connect({ url, publishableKey, regions }, { fetch }) {
    // Loaded only where a merchant uses Medusa.
    const loaded = Promise.all([import('./store-api.ts'), import('./cart-items.ts')])
    return {
      async open({ reference, currency, items }, key, signal) {
        const [{ storeApi }, { cartItems }] = await loaded
        const api = storeApi(url, publishableKey, fetch)
        const region = regions[currency]
        if (!region) {
          const detail = `No region of Medusa is configured for ${currency}.`
          throw new CartRefused([{ field: 'currency', code: 'currency-not-sold', detail }])
        }
        const skus = [...new Set(items.map(({ sku }) => sku))]
        const variants = await api.findVariants(skus, region.id, signal)
        const cart = await api.createCart(
          {
            region_id: region.id,
            items: cartItems(items, variants, currency),
            // Medusa copies the metadata of a cart to its order.
            metadata: { cart_transfer_reference: reference, cart_transfer_key: key }
          },
          signal
        )
        return {
          // A line that an extension of Medusa has added may have no SKU; what was not sent refuses the cart.
          lines: cart.items.map(({ variant_sku: sku, quantity }) => ({ sku: sku ?? '', quantity })),
          currency: cart.currency_code.toUpperCase(),
          ...checkoutPage(region.pageUrl, cart.id)
        }
      }
    }
  }
}
