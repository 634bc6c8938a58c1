// Option 2A (contract 2.3 and 4.2): a form POST, answered with the checkout page.
import { Type } from '@sinclair/typebox'
import type { Cart, Pointer } from '../../cart/cart.ts'
import { readFormCart, type Slot } from '../form-cart.ts'
import type { PageOption, WebRequest } from '../option.ts'

const MEDIA_TYPE = 'application/x-www-form-urlencoded'

const pointer: Pointer = (field, line) => (line === undefined ? field : `items[${line}][${field}]`)

/** `items[0][sku]`, or `items[][sku]` if the merchant asked the platform for the index-free form. */
function slot(name: string): Slot | undefined {
  if (name === 'currency' || name === 'reference') return { field: name }
  const [, index, field] = /^items\[([^\]]*)\]\[(sku|quantity|price)\]$/.exec(name) ?? []
  if (index === undefined) return undefined
  return index === '' ? { field: field as 'sku', indexFree: true } : { field: field as 'sku', index }
}

/** `items%5B0%5D%5Bsku%5D` with a valid index, as browsers send nearly every name. */
function encodedSlot(name: string): Slot | undefined {
  const [, index, field] = /^items%5[Bb](0|[1-9]\d{0,8})%5[Dd]%5[Bb](sku|quantity|price)%5[Dd]$/.exec(name) ?? []
  return index === undefined ? undefined : { field: field as 'sku', index }
}

export const formPost: PageOption = {
  name: '2A',
  title: 'HTTP Post Request',
  settings: Type.Object({}),
  answer: 'page',
  encoding: MEDIA_TYPE,
  sendsPrices: true,
  pointer,

  read: (sent, { maxItems, warn }) =>
    readFormCart(sent, {
      maxItems,
      pointer,
      slot,
      encodedSlot,
      takesPrices: true,
      onUnpairedPrices: count => warn({ prices: count }, 'prices pair up with no line')
    }),

  request: (cart, baseUrl) => writeRequest(cart, baseUrl, pointer),

  variants: {
    'index-free': (cart, baseUrl) => writeRequest(cart, baseUrl, field => `items[][${field}]`)
  }
}

function writeRequest(cart: Cart, baseUrl: string, nameOf: Pointer): WebRequest {
  const fields = new URLSearchParams()
  cart.items.forEach((item, i) => {
    fields.append(nameOf('sku', i), item.sku)
    fields.append(nameOf('quantity', i), String(item.quantity))
    if (item.price !== undefined) fields.append(nameOf('price', i), item.price)
  })
  fields.append('currency', cart.currency)
  fields.append('reference', cart.reference)
  return {
    method: 'POST',
    url: baseUrl,
    headers: [{ name: 'Content-Type', value: MEDIA_TYPE }],
    body: fields.toString()
  }
}
