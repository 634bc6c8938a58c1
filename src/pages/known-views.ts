// What a page has in common with those before it: the lines of bags that have the same products, the form before anything
// is typed in it, and what is above a page with a form. They are the same objects again, with what they were rendered to.
import { LRUCache } from 'lru-cache'
import type { Product } from '../catalogue/product.ts'
import type { BlankForm } from './form-view.ts'
import type { HeadView } from './head-view.ts'
import type { LineView } from './line-view.ts'

/** How many lines all merchants together keep: some 10 MB. */
const MAX_LINES = 10_000

type KnownLine = Pick<Product, 'title' | 'variant' | 'image'> & { view: LineView }

export type KnownLines = LRUCache<string, KnownLine>

/** What one merchant's pages have in common. */
export type KnownViews = {
  /**
   * The view of a line, made unless it is known.
   * @param key everything that it is made of, apart from the texts and the picture of the product
   */
  line: (key: string, product: Product, make: () => LineView) => LineView
  /** @param key language and country */
  form: (key: string, make: () => BlankForm) => BlankForm
  /** @param key everything of it that is not the same on all pages of the merchant */
  head: (key: string, make: () => HeadView) => HeadView
}

export function knownLines(): KnownLines {
  return new LRUCache({ max: MAX_LINES })
}

/** @param merchantId what the keys of its lines begin with */
export function knownViews(lines: KnownLines, merchantId: string | undefined): KnownViews {
  return {
    line: (key, { title, variant, image }, make) => {
      const fullKey = `${merchantId} ${key}`
      const known = lines.get(fullKey)
      if (known && known.title === title && known.variant === variant && known.image === image) return known.view
      const view = { ...make(), fragment: {} }
      lines.set(fullKey, {
        title,
        ...(variant !== undefined && { variant }),
        ...(image !== undefined && { image }),
        view
      })
      return view
    },
    form: fragments(),
    head: fragments()
  }
}

/** Views of which there are only as many as languages, countries and style sheets. */
function fragments<View extends object>(): (key: string, make: () => View) => View {
  const made = new Map<string, View>()
  return (key, make) => {
    const known = made.get(key) ?? { ...make(), fragment: {} }
    made.set(key, known)
    return known
  }
}
