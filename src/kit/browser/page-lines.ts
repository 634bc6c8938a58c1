// Reads the lines that a page shows, by CSS selectors.

/** Where a page shows a line, and within the line its SKU and quantity. */
export type LineSelectors = {
  /** A CSS selector that matches one element per line. */
  line: string
  /** `@data-sku`: an attribute of the line; `.sku`: the text of an element in it; `.sku@title`: an attribute of that. */
  sku: string
  quantity: string
}

/** Those of our own pages. */
export const DEFAULT_SELECTORS: LineSelectors = {
  line: '[data-sku],[data-quantity]',
  sku: '@data-sku',
  quantity: '@data-quantity'
}

/** A visible line, with its quantity as written. */
export type PageLine = { sku: string; quantity: string; text: string }

/**
 * A script that reads the lines and the text of a document; source text, because it runs inside a page.
 * @param document an expression of JavaScript
 */
export function readLinesScript(document: string, selectors: LineSelectors): string {
  return `(${READ_LINES})(${document}, ${JSON.stringify(selectors)})`
}

const READ_LINES = `(root, { line, sku, quantity }) => {
  const read = (element, place) => {
    const [selector, attribute] = place.split('@')
    const found = selector ? element.querySelector(selector) : element
    return (attribute === undefined ? found?.textContent.trim() : found?.getAttribute(attribute)) ?? ''
  }
  // A document that was only parsed has no layout, so its elements all count as visible.
  const isVisible = element => root !== document || element.checkVisibility({ visibilityProperty: true })
  const lines = Array.from(root.querySelectorAll(line)).filter(isVisible).map(element => ({
    sku: read(element, sku), quantity: read(element, quantity), text: element.innerText
  }))
  return { lines, text: root.body?.textContent ?? '' }
}`
