// Changes a request that hands a cart over, as it stands: a field left out, a value of another kind, another way of
// writing the same. It knows JSON, forms and queries, and none of the options.
import type { WebRequest } from '../../transfer/option.ts'

type Pairs = [name: string, value: string][]
type JsonCart = Record<string, unknown> & { items: Record<string, unknown>[] }

/** A field of a cart, or of its first line, and what is put there; left out where that is undefined. */
export type Edit = { field: 'items' | 'sku' | 'quantity' | 'currency' | 'reference'; value?: unknown }

export function isJson({ headers }: WebRequest): boolean {
  return headers.some(({ value }) => value === 'application/json')
}

export function editField(request: WebRequest, { field, value }: Edit): WebRequest {
  if (isJson(request)) {
    return editJson(request, cart => {
      const [first = {}] = cart.items
      const holder: Record<string, unknown> = field === 'sku' || field === 'quantity' ? first : cart
      holder[field] = value
    })
  }
  return editPairs(request, pairs => {
    const at = pairs.findIndex(([name]) => new RegExp(`(^|[[_])${field}]?$`).test(name))
    return pairs.flatMap(([name, old], i): Pairs => {
      if (i !== at) return [[name, old]]
      return value === undefined ? [] : [[name, String(value)]]
    })
  })
}

/** Changes a body of JSON. */
export function editJson(request: WebRequest, change: (cart: JsonCart) => void): WebRequest {
  const cart: JsonCart = JSON.parse(String(request.body))
  change(cart)
  return { ...request, body: JSON.stringify(cart) }
}

/** Changes the names and values of a form or a query. */
export function editPairs(request: WebRequest, change: (pairs: Pairs) => Pairs): WebRequest {
  return editText(request, text => new URLSearchParams(change([...new URLSearchParams(text)])).toString())
}

/** Changes the text of a form or a query, which the request may then write as no form would. */
export function editText(request: WebRequest, change: (text: string) => string): WebRequest {
  if (request.body !== undefined) return { ...request, body: change(request.body) }
  const [address = '', query = ''] = request.url.split('?')
  return { ...request, url: `${address}?${change(query)}` }
}

/** Every character of every name and value as %XX: another way to write the same. */
export function percentEncoded(text: string): string {
  const encode = (part: string) =>
    Array.from(Buffer.from(part), byte => `%${byte.toString(16).padStart(2, '0').toUpperCase()}`).join('')
  return [...new URLSearchParams(text)].map(pair => pair.map(encode).join('=')).join('&')
}
