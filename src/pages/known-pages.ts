// The pages of checkouts that are shown again, before anything is typed: made once for each cart, as long as its products
// and their prices stay the same. The store gives the same object for a cart only if it found it lately, and this is
// forgotten with it.
import type { Cart } from '../cart/cart.ts'
import type { StoredCheckout } from '../checkout/checkout-store.ts'
import type { PricedCart, SellableLine } from '../checkout/price-cart.ts'
import type { Translator } from '../messages/translator.ts'
import type { Page } from './send-page.ts'

/** What a merchant's page of a checkout is made of before anything is typed. */
export type BlankPage = {
  checkout: Pick<StoredCheckout, 'token' | 'cart'>
  priced: PricedCart
  translator: Translator
  lang: string | undefined
  listsLanguages: boolean
}

/** The page, made unless it is known. */
export type KnownPages = (blank: BlankPage, make: () => Page) => Page

export function knownPages(): KnownPages {
  const pages = new WeakMap<Cart, { blank: BlankPage; page: Page }>()
  return (blank, make) => {
    const { cart } = blank.checkout
    const known = pages.get(cart)
    if (known && isSamePage(known.blank, blank)) return known.page
    const page = make()
    if (page.bag) pages.set(cart, { blank, page })
    return page
  }
}

/** Whether two pages of one cart are the same. */
function isSamePage(a: BlankPage, b: BlankPage): boolean {
  return (
    a.checkout.token === b.checkout.token &&
    a.translator === b.translator &&
    a.lang === b.lang &&
    a.listsLanguages === b.listsLanguages &&
    a.priced.lines.every((line, i) => isSameLine(line as SellableLine, b.priced.lines[i] as SellableLine))
  )
}

/** Whether two lines of one cart are the same. A line that cannot be sold has no price, and is on no page that is known. */
function isSameLine(a: SellableLine, b: SellableLine): boolean {
  return a.product === b.product && a.unitPrice === b.unitPrice && a.regularPrice === b.regularPrice
}
