// Option 2A (contract 2.3 and 4.2): a form POST, answered with the checkout page.
import { Type } from '@sinclair/typebox'
import type { Cart, Pointer } from '../../cart/cart.ts'
import type { AttributionSettings } from '../attribution.ts'
import { type FormNames, readFormCart, writeFormCart } from '../form-cart.ts'
import type { PageOption, WebRequest } from '../option.ts'

const MEDIA_TYPE = 'application/x-www-form-urlencoded'

const pointer: Pointer = (field, line) => (line === undefined ? field : `items[${line}][${field}]`)

const names: FormNames = {
  pointer,
  // `items[0][sku]`, or `items[][sku]` if the merchant asked the platform for the index-free form.
  lineName: /^items\[(?:([^\]]+))?\]\[(sku|quantity|price)\]$/,
  // As browsers send nearly every name.
  encodedName: /^items%5[Bb](0|[1-9]\d{0,8})%5[Dd]%5[Bb](sku|quantity|price)%5[Dd]$/,
  takesPrices: true
}

const writeRequest = (cart: Cart, url: string, nameOf: Pointer): WebRequest => ({
  method: 'POST',
  url,
  headers: [{ name: 'Content-Type', value: MEDIA_TYPE }],
  body: writeFormCart(cart, nameOf, true)
})

export const formPost: PageOption<AttributionSettings> = {
  name: '2A',
  title: 'HTTP Post Request',
  settings: Type.Object({}),
  answer: 'page',
  encoding: MEDIA_TYPE,
  sendsPrices: true,
  pointer,

  read: (sent, context) => readFormCart(sent, context, names),

  request: (cart, baseUrl) => writeRequest(cart, baseUrl, pointer),

  variants: {
    'index-free': (cart, baseUrl) => writeRequest(cart, baseUrl, field => `items[][${field}]`)
  }
}
