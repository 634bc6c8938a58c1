// What a page has in common with those before it: the lines of bags that have the same products, the form before anything
// is typed in it, and all that does not belong to its bag.
import type { Product } from '../catalogue/product.ts'
import type { BlankForm } from './form-view.ts'
import type { LineView } from './line-view.ts'
import type { PageSkeleton } from './page-skeleton.ts'

/** How many lines all merchants together keep: some 10 MB. */
const MAX_LINES = 10_000

type KnownLine = { unitPrice: number; regularPrice: number | undefined; view: LineView }

/** What a line is apart from its place, language and currency; its prices may change while its product stays the same. */
export type CommonLine = { product: Product; quantity: number; unitPrice: number; regularPrice: number | undefined }

/** By place, language and currency, then by product and quantity. */
export type KnownLines = { places: Map<string, WeakMap<Product, Map<number, KnownLine>>>; count: number }

/** What one merchant's pages have in common. */
export type KnownViews = {
  /**
   * The views of lines, each made unless it is known.
   * @param key everything that they are made of apart from the lines themselves
   */
  lines: (key: string) => (line: CommonLine, make: () => LineView) => LineView
  /** @param key language and country */
  form: (key: string, make: () => BlankForm) => BlankForm
  /** @param key everything of it that is not the same on all pages of the merchant */
  skeleton: (key: string, make: () => PageSkeleton) => PageSkeleton
}

export function knownLines(): KnownLines {
  return { places: new Map(), count: 0 }
}

/** @param merchantId what the keys of its lines begin with */
export function knownViews(lines: KnownLines, merchantId: string | undefined): KnownViews {
  return {
    lines: key => {
      const place = `${merchantId} ${key}`
      const products = lines.places.get(place)
      return ({ product, quantity, unitPrice, regularPrice }, make) => {
        const known = products?.get(product)?.get(quantity)
        if (known && known.unitPrice === unitPrice && known.regularPrice === regularPrice) return known.view
        const view = { ...make(), fragment: {} }
        addLine(lines, place, product).set(quantity, { unitPrice, regularPrice, view })
        return view
      }
    },
    form: first(),
    skeleton: first()
  }
}

/** Where the lines of a product are, with room for one more. */
function addLine(lines: KnownLines, place: string, product: Product): Map<number, KnownLine> {
  if (lines.count === MAX_LINES) {
    lines.places.clear()
    lines.count = 0
  }
  lines.count += 1
  const products = lines.places.get(place) ?? new WeakMap()
  lines.places.set(place, products)
  const quantities = products.get(product) ?? new Map()
  products.set(product, quantities)
  return quantities
}

/** Remembers what there is only so much of as a merchant has languages, currencies, countries and style sheets. */
function first<Value>(): (key: string, make: () => Value) => Value {
  const made = new Map<string, Value>()
  return (key, make) => {
    const known = made.get(key) ?? make()
    made.set(key, known)
    return known
  }
}
