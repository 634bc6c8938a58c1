// The curl line that hands an example cart to a merchant: made from the platform's half of its option, so that it
// sends what a platform would send.
import { randomUUID } from 'node:crypto'
import type { Cart } from '../cart/cart.ts'
import { isSellable, type Product } from '../catalogue/product.ts'
import type { WebRequest } from '../transfer/option.ts'

/** A cart of up to two products, in the first currency in which anything can be bought; undefined where nothing can. */
export function exampleCart(products: Product[], currencies: string[]): Cart | undefined {
  const carts = currencies.map(currency => {
    const sellable = products.filter(({ offers: { [currency]: offer } }) => offer && isSellable(offer))
    const items = sellable.slice(0, 2).map(({ sku }, i) => ({ sku, quantity: i + 1 }))
    return { reference: randomUUID().replaceAll('-', ''), currency, items }
  })
  return carts.find(({ items }) => items.length > 0)
}

/** What curl writes itself, from the URL and the body. */
const OWN = ['host', 'content-length', 'connection']

/** A line to paste into a POSIX shell. */
export function curlLine({ method, url, headers, body }: WebRequest): string {
  const words = ['curl', ...(method === 'POST' ? ['-X', 'POST'] : [])]
  const added = headers.filter(({ name }) => !OWN.includes(name.toLowerCase()))
  for (const { name, value } of added) words.push('-H', quoteWord(`${name}: ${value}`))
  if (body !== undefined) words.push('--data-raw', quoteWord(body))
  return [...words, quoteWord(url)].join(' ')
}

function quoteWord(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}
