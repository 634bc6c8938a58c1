// Reads a page as an app's script or an analytics tool would: by elements and attributes, never by appearance.

export type Element = { name: string; attributes: Record<string, string> }

export function unescapeHtml(text: string): string {
  const characters: Record<string, string> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' }
  return text.replace(/&(lt|gt|quot|#39|amp);/g, (_, name: string) => characters[name] ?? '')
}

/** A start tag as the HTML standard requires: a space before each attribute, and quotes around any value but a word. */
const START_TAG = /<([a-z][a-z0-9]*)((?:\s+[a-z-]+(?:="[^"]*"|=[\w-]+)?)*)\s*\/?>/gi

/** Whatever begins like a start tag but is malformed; `elements` does not see it. */
export function malformedTags(html: string): string[] {
  return html.replace(START_TAG, '').match(/<[a-z][^>]*>?/gi) ?? []
}

/** Every element of a page, in order. */
export function elements(html: string): Element[] {
  return [...html.matchAll(START_TAG)].map(([, name = '', rest = '']) => ({
    name: name.toLowerCase(),
    attributes: Object.fromEntries(
      [...rest.matchAll(/([a-z-]+)(?:="([^"]*)"|=([\w-]+))?/gi)].map(([, key = '', quoted, word = '']) => [
        key,
        unescapeHtml(quoted ?? word)
      ])
    )
  }))
}

/** The values of an attribute, on any element. */
export function valuesOf(html: string, attribute: string): string[] {
  return elements(html).flatMap(({ attributes }) => attributes[attribute] ?? [])
}

/** What a shopper reads: the text without markup and style sheet. */
export function textOf(html: string): string {
  const text = html.replace(/<style>.*?<\/style>/s, ' ').replace(/<[^>]*>/g, ' ')
  return unescapeHtml(text.replace(/\s+/g, ' ')).trim()
}

/** The markup of each cart line on a page: a list item ends where the next begins, or with its list. */
export function linesOf(html: string): string[] {
  return html
    .split(/(?=<li data-sku=)/)
    .slice(1)
    .map(rest => rest.replace(/<\/(li|ul)>.*/s, ''))
}

/** A Content-Security-Policy as sources by directive. */
export function readPolicy(header: unknown): Record<string, string> {
  return Object.fromEntries(
    String(header)
      .split(';')
      .map(directive => directive.trim().split(/ (.*)/s))
      .map(([name, sources = '']) => [name, sources])
  )
}

/** What the view of a line has if nothing is known of its product. */
export const BARE_LINE = {
  title: undefined,
  otherLang: undefined,
  variant: undefined,
  image: undefined,
  letter: undefined,
  isFar: false,
  each: undefined,
  lineTotal: undefined,
  struck: [],
  notes: [],
  warnings: [],
  problem: undefined,
  isUncounted: false
}
