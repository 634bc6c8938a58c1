// The catalogue of a merchant without a feed, whose own shop knows what it sells.
import type { FeedCatalogue } from './followed-feed.ts'

export const noFeed: FeedCatalogue = { product: () => undefined, products: () => [], close: async () => {} }
