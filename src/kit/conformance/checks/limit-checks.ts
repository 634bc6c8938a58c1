// The limits of the contract (section 8): anything up to a limit is accepted in full, and nothing beyond it is truncated.
import { type Cart, MAX_REFERENCE } from '../../../cart/cart.ts'
import { MAX_URL } from '../../../transfer/option.ts'
import { checkGroup, EXACT_ITEMS, usesUrl } from '../check.ts'
import { assertResponse, CheckNotJudged, matchesStatus, sendProbe } from '../final-response.ts'
import { assertShown, type CartLine, type Site } from '../site.ts'

/** A cart whose reference has this many characters, in hexadecimal digits like a UUID without hyphens. */
function cartWithReference(site: Site, length: number): Cart {
  const { reference, ...cart } = site.newCart([0, 1])
  return { ...cart, reference: reference.replaceAll('-', '').repeat(2).slice(0, length) }
}

/** One, and numbers at which sites set limits. */
const QUANTITIES = [1, 10, 99, 100]

/** How many lines the units of one SKU are spread over; no profile allows fewer units. */
const MANY_LINES = 5

/** @throws CheckFailed unless the page shows these units; CheckNotJudged if refused, as a site may have a limit */
async function assertUnits(site: Site, lines: CartLine[]): Promise<void> {
  const { items, ...cart } = site.newCart(...lines)
  site.startOver()
  const response = await site.load(site.requestFor({ ...cart, items }))
  if (matchesStatus(response.status, '4xx')) {
    const units = items.reduce((sum, { quantity }) => sum + quantity, 0)
    throw new CheckNotJudged(
      `The site answered ${response.status} to ${units} × ${items[0]?.sku}. If this is more than it sells at once, set maxQuantity in the profile.`
    )
  }
  await assertResponse(response, { status: '2xx', items, compareBy: 'units' })
}

export const limitChecks = checkGroup('limits', {
  'reference-32': {
    run: site => assertShown(site, cartWithReference(site, MAX_REFERENCE))
  },
  'reference-33': {
    dependsOn: ['reference-32'],
    run: async site => {
      const cart = cartWithReference(site, MAX_REFERENCE + 1)
      const { referenceTooLong: status } = site.profile.expect
      const response = await sendProbe(status, () => site.load(site.requestFor(cart)))
      await assertResponse(response, { status, items: cart.items, allowsNoLines: true })
    }
  },
  'big-bag': {
    run: site => assertShown(site, largestCart(site), { compareBy: 'units' })
  },
  'large-quantities': {
    run: async site => {
      const { maxQuantity } = site.profile
      const quantities = new Set([...QUANTITIES.filter(quantity => quantity < maxQuantity), maxQuantity])
      for (const quantity of quantities) await assertUnits(site, [[0, quantity]])
      // A site may limit the units of a SKU, on however many lines they are.
      const each = Math.floor(Math.min(maxQuantity, 100) / MANY_LINES)
      await assertUnits(
        site,
        Array.from({ length: MANY_LINES }, (): CartLine => [0, each])
      )
    }
  },
  'url-2048': {
    appliesTo: usesUrl,
    dependsOn: [...EXACT_ITEMS, 'big-bag'],
    run: async site => assertShown(site, cartWithUrlLength(site, MAX_URL), { compareBy: 'units' })
  },
  'url-2049': {
    appliesTo: usesUrl,
    dependsOn: ['url-2048'],
    run: async site => {
      const cart = cartWithUrlLength(site, MAX_URL + 1)
      const response = await sendProbe('', () => site.load(site.requestFor(cart)))
      const status = response.status < 400 ? '2xx' : '4xx'
      // If the site refuses with a success status, a page without lines is a refusal.
      const allowsNoLines = matchesStatus(response.status, site.profile.expect.malformed)
      await assertResponse(response, { status, items: cart.items, compareBy: 'units', allowsNoLines })
    }
  }
})

/** Tens before hundreds: a shop may limit how many of an item it sells at once. */
const LONGER_QUANTITIES = [10, 100]

function cartOfLines(site: Site, count: number): Cart {
  return site.newCart(...Array.from({ length: count }, (_, i): CartLine => [i, (i % 3) + 1]))
}

/** The largest cart of at most `bigBag` lines whose URL stays within a length. */
function largestCart(site: Site, maxUrl = MAX_URL): Cart {
  const counts = Array.from({ length: site.profile.bigBag }, (_, i) => i + 1)
  const fits = (count: number) => site.requestFor(cartOfLines(site, count)).url.length <= maxUrl
  return cartOfLines(site, counts.findLast(fits) ?? 1)
}

/**
 * A cart whose URL has exactly this length: as many lines as fit, then longer SKUs on them, then longer quantities.
 * Nothing else fills it: a site that refuses fields beyond the contract only goes against good practice.
 * @throws CheckNotJudged if these cannot give this length
 */
export function cartWithUrlLength(site: Site, length: number): Cart {
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
