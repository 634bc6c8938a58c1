// A cart on its way to a request: every field with all values that are sent for it, right or wrong, not yet written in
// the manner of an option.
import type { Cart } from '../../src/cart/cart.ts'

/** A text, to be written in any legal way, or something written already: JSON, or one character per byte of a form. */
export type Value = { text: string } | { written: string }

/** No value is a missing field, two are a repeated one. */
export type Draft = {
  lines: { sku: Value[]; quantity: Value[]; price: Value[] }[]
  currency: Value[]
  reference: Value[]
  /** Further fields of a form. */
  more: { name: Value; value: Value }[]
}

export type OptionName = '1' | '2A' | '2B'

/** How the names of form fields are written, and places in a cart, in the manner of an option. */
export type Names = (field: string, line?: number) => string

export function namesOf(option: OptionName): Names {
  if (option === '1') return (field, line) => (line === undefined ? `#/${field}` : `#/items/${line}/${field}`)
  if (option === '2A') return (field, line) => (line === undefined ? field : `items[${line}][${field}]`)
  return (field, line) => (line === undefined ? field : `item_${line}_${field}`)
}

export function draftOf({ items, currency, reference }: Cart): Draft {
  return {
    lines: items.map(({ sku, quantity, price }) => ({
      sku: [{ text: sku }],
      quantity: [{ text: String(quantity) }],
      price: price === undefined ? [] : [{ text: price }]
    })),
    currency: [{ text: currency }],
    reference: [{ text: reference }],
    more: []
  }
}
