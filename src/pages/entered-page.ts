// The page of a checkout that is open, with whatever was entered in its form.
import type { StoredCheckout } from '../checkout/checkout-store.ts'
import type { PricedCart } from '../checkout/price-cart.ts'
import type { Merchant } from '../merchant/merchant.ts'
import type { FormEntry } from '../orders/order-form.ts'
import { bagPage } from './bag-page.ts'
import { checkoutView, type FormState } from './checkout-view.ts'
import { isBlankForm } from './form-view.ts'
import { picturesOf } from './line-view.ts'
import { checkoutPath } from './page-paths.ts'
import type { Page } from './send-page.ts'
import type { ShopperLanguage, Storefront } from './storefront.ts'
import { checkoutTitle } from './titles.ts'

type PageMaker = ShopperLanguage & { storefront: Storefront; merchant: Merchant }

export function enteredPage(
  { storefront, translator, merchant, lang, listsLanguages }: PageMaker,
  checkout: StoredCheckout,
  priced: PricedCart,
  { entry, mistakes = [], shown, isRefused = false }: Partial<FormState> & { entry: FormEntry }
): Page {
  const address = checkoutPath(merchant, checkout.token)
  const state = { entry, mistakes, shown, isRefused, lang }
  const view = checkoutView(checkout, priced, merchant, translator, state, storefront.known)
  const images = picturesOf(view.lines)
  const title = checkoutTitle(translator, isRefused)
  const isPlain = view.totals && !isRefused && !listsLanguages && !view.form?.countryNote
  const sheet = isPlain && images.length === view.lines.length ? 'checkout' : 'extra'
  const isBlank = isBlankForm(entry, mistakes) && !shown && !isRefused
  const bag = isBlank ? bagPage(view, translator.locale) : undefined
  return { template: 'checkout', sheet, title, view, bag, images, address, listsLanguages }
}
