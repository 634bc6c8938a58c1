// The limits of the contract (section 8): anything up to a limit is accepted in full, and nothing beyond it is truncated.
import { type Cart, MAX_REFERENCE } from '../../../cart/cart.ts'
import { MAX_URL } from '../../../transfer/option.ts'
import { checkGroup, EXACT_ITEMS, isProtocol, isTransfer, usesUrl } from '../check.ts'
import { assertResponse, CheckNotJudged, matchesStatus, sendProbe } from '../final-response.ts'
import { assertShown, assertShownOrRefused, type CartLine, type Site } from '../site.ts'

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
  // A cart that a platform keeps is refused with 200, and leads to no page.
  if (matchesStatus(response.status, '4xx') || (isProtocol(site.option) && !response.isShown)) {
    const units = items.reduce((sum, { quantity }) => sum + quantity, 0)
    throw new CheckNotJudged(
      `The site answered ${response.status} to ${units} × ${items[0]?.sku}. If this is more than it sells at once, set maxQuantity in the profile.`
    )
  }
  await assertResponse(response, { status: '2xx', items, compareBy: 'units' })
}

export const limitChecks = checkGroup({ group: 'limits' }, [
  {
    id: 'reference-32',
    title: 'A reference of 32 characters is accepted',
    failure: 'A bag with a reference of 32 characters was not shown',
    section: 'contract 8',
    why: 'The reference matches the orders of both sides. A UUID without hyphens has 32 characters.',
    remedy: 'Allow 32 characters wherever the reference is stored, and accept a UUID without hyphens.',
    appliesTo: isTransfer,
    run: site => assertShown(site, cartWithReference(site, MAX_REFERENCE))
  },
  {
    id: 'reference-33',
    title: 'A reference of 33 characters gets the status that the profile expects, by default a refusal',
    failure: 'A bag with a reference of 33 characters was not answered as the profile says',
    section: 'good practice (contract 8 says at most 32; 7 leaves errors open)',
    why: 'A truncated reference matches no order, and two truncated references may match each other.',
    remedy: 'Refuse it; never truncate it.',
    appliesTo: isTransfer,
    dependsOn: ['reference-32'],
    run: async site => {
      const cart = cartWithReference(site, MAX_REFERENCE + 1)
      const { referenceTooLong: status } = site.profile.expect
      const response = await sendProbe(status, () => site.load(site.requestFor(cart)))
      await assertResponse(response, { status, items: cart.items, allowsNoLines: true })
    }
  },
  {
    id: 'big-bag',
    title: 'A big bag arrives complete, unit by unit',
    failure: 'A big bag did not arrive complete',
    section: 'contract 1; 8 gives no maximum number of items',
    why: 'Servers have limits on fields and bodies that are easily overlooked. They truncate the bags of the best customers.',
    remedy:
      'Raise the limits of your form parser. If a bag is too big for you, refuse all of it. If it only costs more than you accept, give cheaper SKUs or a smaller bigBag in the profile.',
    run: site => assertShown(site, largestCart(site), { compareBy: 'units' })
  },
  {
    id: 'large-quantities',
    title: 'Large quantities are shown as sent, on one line or on many',
    failure: 'A large quantity was not shown as sent',
    section: 'contract 1 and 2 (quantity is the number of units to purchase)',
    why: 'A site that quietly sells 10 where 12 were asked for delivers another order than the one in the app.',
    remedy:
      'Show every quantity as it was sent, in digits without separators. If you limit quantities, refuse the whole bag beyond the limit, and set maxQuantity in the profile.',
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
  {
    id: 'url-2048',
    title: 'A URL of exactly 2,048 characters is accepted in full',
    failure: 'A URL of exactly 2,048 characters was not accepted in full',
    section: 'contract 8',
    why: 'It is within the limit, and it is what the app sends for a bag that just fits.',
    remedy: 'Raise the limits of server, proxy and query parser.',
    appliesTo: usesUrl,
    dependsOn: [...EXACT_ITEMS, 'big-bag'],
    run: async site => assertShown(site, cartWithUrlLength(site, MAX_URL), { compareBy: 'units' })
  },
  {
    id: 'url-2049',
    title: 'A longer URL is refused or accepted in full, never truncated',
    failure: 'A URL of 2,049 characters was neither refused nor accepted in full',
    section: 'good practice (contract 8 says at most 2,048, and nothing about longer URLs)',
    why: 'A bag that is truncated at some character silently loses its last items.',
    remedy: 'Refuse a URL that is too long with 414, or read all of it.',
    appliesTo: usesUrl,
    dependsOn: ['url-2048'],
    run: site => {
      const cart = cartWithUrlLength(site, MAX_URL + 1)
      return assertShownOrRefused(site, cart.items, site.requestFor(cart))
    }
  }
])

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
