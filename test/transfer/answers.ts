// What the tests of the options read from a response, JSON or page: the mistakes it lists, the lines it shows.
import type { Store } from '../../src/store/store.ts'

/** The mistakes listed in a response, each as `pointer code`; if there are none, the code of the problem. */
export function mistakesIn(body: string): string[] {
  if (!body.startsWith('{')) {
    const named = body.matchAll(/<li>\s*(?:<code>([^<]*)<\/code>\s*)?<code>([a-z-]+)<\/code>/g)
    return [...named].map(([, pointer, code]) => (pointer ? `${unescapeHtml(pointer)} ${code}` : `${code}`))
  }
  const { type, errors, messages } = JSON.parse(body) as {
    type: string
    errors?: { pointer: string; code: string }[]
    messages?: { path: string; code: string }[]
  }
  if (messages) return messages.map(({ path, code }) => `${path} ${code}`)
  return errors?.map(({ pointer, code }) => `${pointer} ${code}`) ?? [type.replace(/.*:/, '')]
}

/** The lines that a checkout page shows, as SKU and quantity. */
export function linesIn(page: string): { sku: string; quantity: number }[] {
  const lines = page.matchAll(/data-sku="([^"]*)" data-quantity=(\d+)/g)
  return [...lines].map(([, sku = '', quantity]) => ({ sku: unescapeHtml(sku), quantity: Number(quantity) }))
}

/** Text of a page as a browser would show it. */
export function unescapeHtml(html: string): string {
  const characters: Record<string, string> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' }
  return html.replace(/&(lt|gt|quot|#39|amp);/g, (_, name) => characters[name] ?? '')
}

/** Wraps a real store and counts the checkouts added to it; a repeat adds none. */
export function countingStore(): { wrap: (store: Store) => Store; added: () => number } {
  let added = 0
  const wrap = (store: Store): Store => ({
    ...store,
    addCheckout: async checkout => {
      const kept = await store.addCheckout(checkout)
      if (kept.token === checkout.token) added++
      return kept
    }
  })
  return { wrap, added: () => added }
}
