// The address of this page with everything that is chosen in it, to keep and to send to somebody.

/** @param {{shop: string, way?: string, currency: string, reference?: string, lines: object[], look: Record<string, string>}} state */
export function writeLink({ shop, way, currency, reference, lines, look }) {
  const query = new URLSearchParams({ shop, ...(way !== undefined && { way }), currency })
  if (reference !== undefined) query.set('reference', reference)
  const hasPrices = lines.some(({ price }) => price)
  for (const { sku, quantity, price = '' } of lines) {
    query.append('sku', sku)
    query.append('quantity', quantity)
    if (hasPrices) query.append('price', price)
  }
  for (const [name, value] of Object.entries(look)) query.set(name, value)
  return `#${query}`
}

/** @returns what `writeLink` was given, or undefined if this is no such link; without a currency, it is to a shop only */
export function readLink(hash) {
  const query = new URLSearchParams(hash.slice(1))
  if (!query.has('shop')) return undefined
  const { shop, way, currency, reference, sku: _, quantity: __, price: ___, ...look } = Object.fromEntries(query)
  const [quantities, prices] = ['quantity', 'price'].map(name => query.getAll(name))
  const lines = query.getAll('sku').map((sku, i) => {
    const price = prices[i]
    return { sku, quantity: quantities[i] ?? '1', ...(price && { price }) }
  })
  return { shop, way, currency, lines, look, ...(reference !== undefined && { reference }) }
}
