// Reads the lines and amounts that a page shows, by CSS selectors.

/** Where a page shows a line, and within the line its SKU and quantity. */
export type LineSelectors = {
  /** A CSS selector that matches one element per line. */
  line: string
  /** `@data-sku`: an attribute of the line; `.sku`: the text of an element in it; `.sku@title`: an attribute of that. */
  sku: string
  quantity: string
  /** The price of a line, within it. */
  price?: string
  /** The total, anywhere on the page: `.total`, `.total@data-amount`. */
  total?: string
}

/** Those of our own pages. */
export const DEFAULT_SELECTORS: LineSelectors = {
  line: '[data-sku],[data-quantity]',
  sku: '@data-sku',
  quantity: '@data-quantity'
}

/** A visible line, with its quantity as written. */
export type PageLine = { sku: string; quantity: string; text: string }

/** An amount as written, and whose it is. */
export type PageAmount = { of: string; text: string }

export type PageContent = { lines: PageLine[]; amounts: PageAmount[]; text: string }

/**
 * A script that reads the content of a document; source text, because it runs inside a page.
 * @param document an expression of JavaScript
 */
export function readLinesScript(document: string, selectors: LineSelectors): string {
  return `(${READ_LINES})(${document}, ${JSON.stringify(selectors)})`
}

const READ_LINES = `(root, { line, sku, quantity, price, total }) => {
  const read = (element, place) => {
    const [selector, attribute] = place.split('@')
    const found = selector ? element.querySelector(selector) : element
    return (attribute === undefined ? found?.textContent.trim() : found?.getAttribute(attribute)) ?? ''
  }
  // A document that was only parsed has no layout, so its elements all count as visible.
  const isVisible = element => root !== document || element.checkVisibility({ visibilityProperty: true })
  const elements = Array.from(root.querySelectorAll(line)).filter(isVisible)
  const lines = elements.map(element => ({
    sku: read(element, sku), quantity: read(element, quantity), text: element.innerText
  }))
  const amounts = price ? elements.map(element => ({ of: read(element, sku), text: read(element, price) })) : []
  if (total) amounts.push({ of: 'the total', text: read(root, total) })
  return { lines, amounts, text: root.body?.textContent ?? '' }
}`
