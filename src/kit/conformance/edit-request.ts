// Edits a valid transfer request: drops a field, changes a value, or encodes the same content differently. Works on JSON,
// forms and queries, whatever the option.
import type { WebRequest } from '../../transfer/option.ts'

type Pairs = [name: string, value: string][]
type JsonCart = Record<string, unknown> & { items: Record<string, unknown>[] }

const CONTRACT_FIELDS = ['sku', 'quantity', 'currency', 'reference'] as const

/** The position of the second line in a name. */
const INDEX = /(?<=[[_])1(?=[\]_])/

const isNamed = (name: string, field: string) => new RegExp(`(^|[[_])${field}]?$`).test(name)

/** A new value for a field of the cart, or of its first line; undefined drops the field. */
export type FieldEdit = { field: 'items' | 'sku' | 'quantity' | 'currency' | 'reference'; value?: unknown }

export function hasJsonBody({ headers }: WebRequest): boolean {
  return headers.some(({ value }) => value === 'application/json')
}

/** Whether a request is written with the fields of the contract (2.1, 2.3 or 2.4), so that they can be edited. */
export function hasContractFields(request: WebRequest): boolean {
  if (!hasJsonBody(request))
    return CONTRACT_FIELDS.every(field => pairsOf(request).some(([name]) => isNamed(name, field)))
  const { items: [item] = [], ...cart }: JsonCart = JSON.parse(String(request.body))
  return CONTRACT_FIELDS.every(field => field in { ...item, ...cart })
}

export function hasIndexes(request: WebRequest): boolean {
  return !hasJsonBody(request) && pairsOf(request).some(([name]) => INDEX.test(name))
}

export function skipIndex(request: WebRequest): WebRequest {
  return editPairs(request, pairs => pairs.map(([name, value]) => [name.replace(INDEX, '2'), value]))
}

export function editField(request: WebRequest, { field, value }: FieldEdit): WebRequest {
  if (hasJsonBody(request)) {
    return editJson(request, cart => {
      const [first = {}] = cart.items
      const owner: Record<string, unknown> = field === 'sku' || field === 'quantity' ? first : cart
      owner[field] = value
    })
  }
  return editPairs(request, pairs => {
    const index = pairs.findIndex(([name]) => isNamed(name, field))
    return pairs.flatMap(([name, old], i): Pairs => {
      if (i !== index) return [[name, old]]
      return value === undefined ? [] : [[name, String(value)]]
    })
  })
}

export function editJson(request: WebRequest, edit: (cart: JsonCart) => void): WebRequest {
  const cart: JsonCart = JSON.parse(String(request.body))
  edit(cart)
  return { ...request, body: JSON.stringify(cart) }
}

export function editPairs(request: WebRequest, edit: (pairs: Pairs) => Pairs): WebRequest {
  return editText(request, text => new URLSearchParams(edit([...new URLSearchParams(text)])).toString())
}

function pairsOf({ url, body = url.replace(/^[^?]*\??/, '') }: WebRequest): Pairs {
  return [...new URLSearchParams(body)]
}

/** The same form with the fields of the cart before those of its lines. */
export function cartFieldsFirst(request: WebRequest): WebRequest {
  const isOfCart = ([name]: Pairs[number]) => ['currency', 'reference'].some(field => isNamed(name, field))
  return editPairs(request, pairs => pairs.toSorted((a, b) => Number(isOfCart(b)) - Number(isOfCart(a))))
}

export function editText(request: WebRequest, edit: (text: string) => string): WebRequest {
  if (request.body !== undefined) return { ...request, body: edit(request.body) }
  const [address = '', query = ''] = request.url.split('?')
  return { ...request, url: `${address}?${edit(query)}` }
}

/** Encodes every character of every name and value as %XX, which means the same. */
export function percentEncodeAll(text: string): string {
  const encode = (part: string) =>
    Array.from(Buffer.from(part), byte => `%${byte.toString(16).padStart(2, '0').toUpperCase()}`).join('')
  return [...new URLSearchParams(text)].map(pair => pair.map(encode).join('=')).join('&')
}
