// The lines that a page shows: where they stand, and how they are read off it.

/** How a page says what it shows: where a line is, and within a line its SKU and quantity. */
export type LineSelectors = {
  /** A CSS selector that finds one element per line. */
  line: string
  /** `@data-sku` is an attribute of the line, `.sku` the text of an element in it, `.sku@title` an attribute of that. */
  sku: string
  quantity: string
}

/** The attributes of our own pages (decisions.md, "The checkout page"). */
export const OWN_SELECTORS: LineSelectors = {
  line: '[data-sku],[data-quantity]',
  sku: '@data-sku',
  quantity: '@data-quantity'
}

/** A line as the page shows it, which a shopper can see; the quantity as it is written. */
export type ShownLine = { sku: string; quantity: string; text: string }

/** Reads the lines and the text of a document; runs inside a page, so that it is text here. */
export function readIn(document: string, selectors: LineSelectors): string {
  return `(${READ})(${document}, ${JSON.stringify(selectors)})`
}

const READ = `(root, { line, sku, quantity }) => {
  const read = (element, place) => {
    const [selector, attribute] = place.split('@')
    const found = selector ? element.querySelector(selector) : element
    return (attribute === undefined ? found?.textContent.trim() : found?.getAttribute(attribute)) ?? ''
  }
  // A page that was only parsed has no looks: nothing in it is known to be hidden.
  const isSeen = element => root !== document || element.checkVisibility({ visibilityProperty: true })
  const lines = Array.from(root.querySelectorAll(line)).filter(isSeen).map(element => ({
    sku: read(element, sku), quantity: read(element, quantity), text: element.innerText
  }))
  return { lines, text: root.body?.textContent ?? '' }
}`
