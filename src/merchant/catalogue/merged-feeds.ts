// The feeds of a merchant as one catalogue, one product by id. It is put together when somebody asks for it, so that a feed
// that changes leaves nothing to rebuild.
import { setImmediate } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Language } from '../../messages/messages.ts'
import type { FeedCatalogue, FollowedFeed } from './followed-feed.ts'
import { type Offer, type Product, type ProductText, productText } from './product.ts'

export type ListedFeed = {
  /** The language of its titles and variants; absent if that is the merchant's own. */
  language?: Language | undefined
  /** @param onUse to be called whenever a feed has come into use @returns undefined if it is of no use */
  follow: (onUse: () => void) => Promise<FollowedFeed | undefined>
}

type Field = 'availability' | 'price' | 'picture' | 'title'

/** What feeds say differently of some products, with an example: its id, what counts, and what another feed has. */
export type FeedDifference = {
  field: Field
  products: number
  id: string
  /** Of a price the whole offer, in minor units. */
  used: unknown
  other: unknown
  /** The place of the other feed in the list. */
  at: number
}

/** What one feed says of a product. */
type Entry = { product: Product; language: Language | undefined; at: number }

/** In the order of the list. */
type Entries = [Entry, ...Entry[]]

/** Products that are compared between two pauses. */
const SLICE = 200

/**
 * Follows every feed of a list. They are opened one after another, so that peak memory is that of one feed.
 * @param onDiffer told of every field that differs, and again once the number of such products has changed
 * @param onFailure told if that cannot be found out
 * @returns undefined if any is of no use; all have been tried, and none is followed
 */
export async function followFeeds(
  listed: ListedFeed[],
  onDiffer: (difference: FeedDifference) => void,
  onFailure: (error: unknown) => void
): Promise<FeedCatalogue | undefined> {
  const feeds: { feed: FollowedFeed; language: Language | undefined }[] = []
  const closeAll = () => Promise.all(feeds.map(({ feed }) => feed.close()))
  let isOpen = false
  const onUse = () => {
    if (isOpen) survey().catch(onFailure)
  }
  try {
    for (const { language, follow } of listed) {
      const feed = await follow(onUse)
      if (feed) feeds.push({ feed, language })
    }
  } finally {
    if (feeds.length < listed.length) await closeAll()
  }
  if (feeds.length < listed.length) return undefined
  const [first, second] = feeds
  if (first && !second && first.language === undefined) return first.feed

  /** @param start the place of the first feed that is asked */
  const entriesOf = (sku: string, start = 0): Entry[] =>
    feeds.slice(start).flatMap(({ feed, language }, i) => {
      const product = feed.product(sku)
      return product ? { product, language, at: start + i } : []
    })
  /** Each product once: those of the first feed, then what the feeds before lack; undefined for all others. */
  function* all(): Generator<Entries | undefined> {
    for (const [at, { feed, language }] of feeds.entries()) {
      const earlier = feeds.slice(0, at)
      for (const product of feed.products()) {
        const isKnown = earlier.some(({ feed }) => feed.product(product.sku))
        yield isKnown ? undefined : [{ product, language, at }, ...entriesOf(product.sku, at + 1)]
      }
    }
  }

  let products: number | undefined
  let surveys = 0
  let reported = new Map<Field, FeedDifference>()
  /** Counts and compares all products; one that begins later, or the end, stops it. */
  async function survey(): Promise<void> {
    surveys += 1
    const current = surveys
    const found = new Map<Field, FeedDifference>()
    let [counted, looked] = [0, 0]
    for (const entries of all()) {
      looked += 1
      if (looked % SLICE === 0) await setImmediate()
      if (current !== surveys) return
      if (!entries) continue
      counted += 1
      if (entries.length === 1) continue
      for (const [field, difference] of differencesIn(entries)) {
        const known = found.get(field)
        if (known) known.products += 1
        else found.set(field, difference)
      }
    }
    products = counted
    for (const [field, difference] of found) {
      if (reported.get(field)?.products !== difference.products) onDiffer(difference)
    }
    reported = found
  }
  isOpen = true
  onUse()
  return {
    product: sku => {
      const entries = entriesOf(sku)
      return entries.length > 0 ? merged(entries as Entries) : undefined
    },
    products: () => Iterator.from(all()).map(entries => entries && merged(entries)),
    status: () => {
      const each = feeds.map(({ feed }) => feed.status())
      return {
        products: products ?? Math.max(...each.map(feed => feed.products)),
        problems: each.reduce((sum, { problems }) => sum + problems, 0),
        age: Math.max(...each.map(({ age }) => age)),
        isNewestRefused: each.some(({ isNewestRefused }) => isNewestRefused)
      }
    },
    close: async () => {
      isOpen = false
      surveys += 1
      await closeAll()
    }
  }
}

/** `transfer/DECISIONS.md`, "Catalogue and prices", says which feed counts for what. */
function merged(entries: Entries): Product {
  const [{ product: first }] = entries
  const own = entries.find(({ language }) => language === undefined) ?? entries[0]
  const image = entries.find(({ product }) => product.image !== undefined)?.product.image
  const [{ availability }] = Object.values(first.offers) as [Offer]
  const offers = { ...first.offers }
  const texts: Product['texts'] = {}
  for (const { product, language } of entries) {
    for (const [currency, offer] of Object.entries(product.offers)) offers[currency] ??= { ...offer, availability }
    if (language !== undefined) texts[language] ??= textOf(product)
  }
  return {
    sku: first.sku,
    ...textOf(own.product),
    ...(own.language !== undefined && { language: own.language }),
    ...(image !== undefined && { image }),
    offers,
    texts
  }
}

function textOf({ title, variant }: Product): ProductText {
  return { title, ...(variant !== undefined && { variant }) }
}

/** By field, each with the first feed that says something else. */
function differencesIn(entries: Entries): Map<Field, FeedDifference> {
  const ours = merged(entries)
  const [, ...others] = entries
  const found = new Map<Field, FeedDifference>()
  for (const { product, language, at } of others) {
    const note = (field: Field, used: unknown, other: unknown) => {
      if (!found.has(field)) found.set(field, { field, products: 1, id: product.sku, used, other, at })
    }
    for (const [currency, offer] of Object.entries(product.offers)) {
      const used = ours.offers[currency] as Offer
      if (used.availability !== offer.availability) note('availability', used.availability, offer.availability)
      const isPrice = used.price === offer.price && isDeepStrictEqual(used.sale, offer.sale)
      if (!isPrice) note('price', { currency, ...used }, { currency, ...offer })
    }
    if (product.image !== undefined && product.image !== ours.image) note('picture', ours.image, product.image)
    const { title } = language === undefined ? ours : productText(ours, language)
    if (title !== product.title) note('title', title, product.title)
  }
  return found
}
