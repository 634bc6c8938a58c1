// Option 2B (contract 2.4 and 4.3): a GET with the cart in the query, answered with the checkout page.
import { Type } from '@sinclair/typebox'
import type { Pointer } from '../../cart/cart.ts'
import { readFormCart, type Slot } from '../form-cart.ts'
import type { PageOption } from '../option.ts'

const pointer: Pointer = (field, line) => (line === undefined ? field : `item_${line}_${field}`)

/** `item_0_sku`. A word in place of the index (`item_total_quantity`) makes it some other field of the platform's. */
function slot(name: string): Slot | undefined {
  if (name === 'currency' || name === 'reference') return { field: name }
  const [, index, field] = /^item_(.*)_(sku|quantity|price)$/s.exec(name) ?? []
  if (index === undefined || /^[a-z_]+$/i.test(index)) return undefined
  return { field: field as 'sku', index }
}

/** More lines than fit into a URL. */
const MANY_LINES = 50

/** The fields of that many lines, by their names as they are sent: nothing in them is encoded. */
const LINE_SLOTS: ReadonlyMap<string, Slot> = new Map(
  Array.from({ length: MANY_LINES }, (_, line) =>
    (['sku', 'quantity', 'price'] as const).map(
      field => [pointer(field, line), { field, index: String(line) }] as const
    )
  ).flat()
)

export const queryGet: PageOption = {
  name: '2B',
  title: 'HTTP Get Request',
  settings: Type.Object({}),
  answer: 'page',
  encoding: 'query',
  sendsPrices: false,
  pointer,

  read: (sent, { maxItems }) =>
    readFormCart(sent, {
      maxItems,
      pointer,
      slot,
      encodedSlot: name => LINE_SLOTS.get(name),
      takesPrices: false
    }),

  request(cart, baseUrl) {
    const query = new URLSearchParams()
    cart.items.forEach((item, i) => {
      query.append(pointer('sku', i), item.sku)
      query.append(pointer('quantity', i), String(item.quantity))
    })
    query.append('currency', cart.currency)
    query.append('reference', cart.reference)
    // The base address may already have a query.
    return { method: 'GET', url: `${baseUrl}${baseUrl.includes('?') ? '&' : '?'}${query}`, headers: [] }
  }
}
