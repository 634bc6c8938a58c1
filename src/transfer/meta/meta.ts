// Meta's checkout URL (Facebook, Instagram): `?products=ID:QUANTITY,…` with an optional `coupon`.
// https://developers.facebook.com/documentation/ads-commerce/commerce-platform/setup-checkout-url
import type { Cart, Pointer } from '../../cart/cart.ts'
import { quote } from '../../cart/read-cart.ts'
import { problemFrom } from '../../errors.ts'
import { collectMistakes } from '../form-cart.ts'
import {
  fieldReader,
  LinkKeys,
  type LinkSettings,
  linkId,
  passOn,
  readCodes,
  readLinkCart,
  readLinkEntries,
  sortQuery,
  writeQuery
} from '../link-cart.ts'
import type { ReadContext, RedirectOption } from '../option.ts'

/** Of an entry as a whole: it has no names within. */
const pointer: Pointer = (field, line) =>
  line === undefined ? (field === 'items' ? 'products' : field) : `products[${line}]`

const PARAMETERS = ['products', 'coupon', 'reference']
const keyOf = (name: string) => PARAMETERS.find(field => field === name)

function readMeta(sent: Buffer, context: ReadContext<LinkSettings>): Cart {
  const { maxItems } = context
  const { mistakes, report } = collectMistakes(maxItems)
  const { fields, repeated, others } = sortQuery(sent.toString('latin1'), { maxItems, report, keyOf })
  for (const key of repeated) report(key, 'field-repeated', 'This parameter came more than once; it is ambiguous.')
  const { read, textOf } = fieldReader(fields, report)
  const products = read('products')
  const found = readCodes([['coupon', textOf('coupon')]], report)
  const isMistaken = products.is === 'mistaken' || repeated.has('products')
  const text = products.is === 'text' ? products.text : ''
  const right = 'an id, a colon and a quantity, such as "12345:3"; an id has no "," and no ":"'
  const entries = { pointer, readId: (id: string) => ({ value: id }), right, report }
  const lines = isMistaken ? 'mistaken' : readLinkEntries(text, entries, context)
  return readLinkCart({ lines, reference: read('reference'), mistakes, pointer, others, found }, context)
}

/** @throws Problem `contract-broken` for an id that Meta has no way to write */
function checkIds({ items, reference }: Cart): void {
  const detail = 'An id with "," or ":" cannot be sent; Meta supports none.'
  const [first, ...others] = items.flatMap(({ sku }, line) =>
    /[,:]/.test(sku) ? [{ pointer: pointer('sku', line), code: 'sku-invalid' as const, detail, sku }] : []
  )
  if (first) throw problemFrom([first, ...others], { detail, reference, lines: items.length })
}

export const meta: RedirectOption<LinkSettings> = {
  name: 'meta',
  title: 'Meta Checkout URL',
  settings: LinkKeys,
  answer: 'redirect',
  encoding: 'query',
  sendsPrices: false,
  pointer,

  check({ itemId = '' }, _checkoutUrl, report) {
    const right = 'give one without "," and ":", as Meta supports no ids that have them'
    if (/[,:]/.test(itemId)) report(['itemId'], `it is ${quote(itemId)}; ${right}`)
  },

  read: readMeta,

  passOn(sent) {
    const { others } = sortQuery(sent.toString('latin1'), { maxItems: Infinity, report: () => {}, keyOf })
    return passOn(others)
  },

  request(cart, baseUrl, { itemId } = {}) {
    checkIds(cart)
    const { items, reference, attribution = {}, codes = [] } = cart
    const query = writeQuery([
      ['products', items.map(({ sku, quantity }) => `${linkId(sku, itemId)}:${quantity}`).join(',')],
      ...codes.map((code): [string, string] => ['coupon', code]),
      ...Object.entries(attribution),
      ['reference', reference]
    ])
    return { method: 'GET', url: `${baseUrl}${baseUrl.includes('?') ? '&' : '?'}${query}`, headers: [] }
  }
}
