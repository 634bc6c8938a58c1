// The curl line that hands an example cart to a merchant: made from the platform's half of its option, so that it
// sends what a platform would send.
import { randomUUID } from 'node:crypto'
import type { Cart } from './cart/cart.ts'
import { isSellable, type Product } from './catalogue/product.ts'
import type { WebRequest } from './transfer/option.ts'

/** A cart of the first two products that can be bought in a currency. */
export function exampleCart(products: Iterable<Product>, currency: string): Cart {
  const items: Cart['items'] = []
  for (const { sku, offers } of products) {
    const offer = offers[currency]
    if (offer && isSellable(offer)) items.push({ sku, quantity: items.length + 1 })
    if (items.length === 2) break
  }
  return { reference: randomUUID().replaceAll('-', ''), currency, items }
}

/** A line to paste into a POSIX shell. */
export function curlLine({ method, url, headers, body }: WebRequest): string {
  const words = ['curl', ...(method === 'POST' ? ['-X', 'POST'] : [])]
  for (const { name, value } of headers) words.push('-H', quoteWord(`${name}: ${value}`))
  if (body !== undefined) words.push('--data-raw', quoteWord(body))
  return [...words, quoteWord(url)].join(' ')
}

function quoteWord(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}
