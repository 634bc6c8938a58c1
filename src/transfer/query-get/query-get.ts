// Option 2B (contract 2.4 and 4.3): a GET with the cart in the query, answered with the checkout page.
import { Type } from '@sinclair/typebox'
import type { Pointer } from '../../cart/cart.ts'
import type { AttributionSettings } from '../attribution.ts'
import { type FormNames, readFormCart, writeFormCart } from '../form-cart.ts'
import type { PageOption } from '../option.ts'

const pointer: Pointer = (field, line) => (line === undefined ? field : `item_${line}_${field}`)

const names: FormNames = {
  pointer,
  // With a word in place of the index (`item_total_quantity`) it is some other field of the platform's.
  lineName: /^item_(?![A-Za-z_]+_[a-z]+$)(.*)_(sku|quantity|price)$/s,
  encodedName: /^item_(0|[1-9]\d{0,8})_(sku|quantity|price)$/,
  takesPrices: false
}

export const queryGet: PageOption<AttributionSettings> = {
  name: '2B',
  title: 'HTTP Get Request',
  settings: Type.Object({}),
  answer: 'page',
  encoding: 'query',
  sendsPrices: false,
  pointer,

  read: (sent, context) => readFormCart(sent, context, names),

  request(cart, baseUrl) {
    // The base address may already have a query.
    const separator = baseUrl.includes('?') ? '&' : '?'
    return { method: 'GET', url: baseUrl + separator + writeFormCart(cart, pointer, false), headers: [] }
  }
}
