// Carts at the limits of the contract (section 8): as many lines as fit, or a URL of exactly some length.
import type { Cart } from '../../cart/cart.ts'
import { MAX_URL } from '../../transfer/option.ts'
import type { CartLine, Site } from './site.ts'
import { CheckNotJudged } from './verdict-errors.ts'

type CartSource = Pick<Site, 'newCart' | 'requestFor' | 'profile'>

/** Tens before hundreds: a shop may limit how many of an item it sells at once. */
const LONGER_QUANTITIES = [10, 100]

/** A cart of this many lines, which repeats SKUs if there are too few. */
function cartOfLines(site: CartSource, count: number): Cart {
  return site.newCart(...Array.from({ length: count }, (_, i): CartLine => [i, (i % 3) + 1]))
}

/** The largest cart of at most `bigBag` lines whose URL stays within a length. */
export function largestCart(site: CartSource, maxUrl = MAX_URL): Cart {
  const counts = Array.from({ length: site.profile.bigBag }, (_, i) => i + 1)
  const fits = (count: number) => site.requestFor(cartOfLines(site, count)).url.length <= maxUrl
  return cartOfLines(site, counts.findLast(fits) ?? 1)
}

/**
 * A cart whose URL has exactly this length: as many lines as fit, then longer SKUs on them, then longer quantities.
 * Nothing else fills it: a site that refuses fields beyond the contract only goes against good practice.
 * @throws CheckNotJudged if these cannot give this length
 */
export function cartWithUrlLength(site: CartSource, length: number): Cart {
  const { skus, bigBag, maxQuantity } = site.profile
  const cart = largestCart(site, length)
  const urlLength = (items: Cart['items']) => site.requestFor({ ...cart, items }).url.length
  const growth = (from: string, to: string) =>
    urlLength([{ sku: to, quantity: 1 }]) - urlLength([{ sku: from, quantity: 1 }])
  const longestFirst = skus.exist.toSorted((a, b) => growth(a, b))
  let missing = length - urlLength(cart.items)
  for (const item of cart.items) {
    const sku = longestFirst.find(sku => growth(item.sku, sku) <= missing) ?? item.sku
    missing -= growth(item.sku, sku)
    item.sku = sku
  }
  for (const quantity of LONGER_QUANTITIES.filter(quantity => quantity <= maxQuantity)) {
    for (const item of cart.items.slice(0, Math.max(0, missing))) {
      item.quantity = quantity
      missing--
    }
  }
  if (missing === 0) return cart
  throw new CheckNotJudged(
    `The kit cannot fill a URL of exactly ${length} characters with ${bigBag} lines of the SKUs in the profile. Raise bigBag, or add SKUs of other lengths to skus.exist.`
  )
}
