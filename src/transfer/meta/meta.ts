// Meta's checkout URL (Facebook, Instagram): `?products=ID:QUANTITY,…` with an optional `coupon`.
// https://developers.facebook.com/documentation/ads-commerce/commerce-platform/setup-checkout-url
import type { Cart, Pointer } from '../../cart/cart.ts'
import { readCart } from '../../cart/read-cart.ts'
import { problemFrom } from '../../errors.ts'
import { type Attribution, withAttribution } from '../attribution.ts'
import { collectMistakes, readFormNumber, readReference } from '../form-cart.ts'
import {
  addOthers,
  fieldReader,
  LinkKeys,
  type LinkSettings,
  linkId,
  passOn,
  readCodes,
  readLinkEntries,
  referenceOf,
  sortQuery,
  writeQuery
} from '../link-cart.ts'
import type { ReadContext, RedirectOption } from '../option.ts'

/** Of an entry as a whole: it has no names within. */
const pointer: Pointer = (field, line) =>
  line === undefined ? (field === 'items' ? 'products' : field) : `products[${line}]`

const PARAMETERS = ['products', 'coupon', 'reference']
const keyOf = (name: string) => PARAMETERS.find(field => field === name)

function readMeta(sent: Buffer, { maxItems, settings }: ReadContext<LinkSettings>): Cart {
  const { currency = '', itemId } = settings
  const { mistakes, report } = collectMistakes(maxItems)
  const { fields, repeated, others } = sortQuery(sent.toString('latin1'), { maxItems, report, keyOf })
  for (const key of repeated) report(key, 'field-repeated', 'This parameter came more than once; it is ambiguous.')
  const { read, textOf } = fieldReader(fields, report)
  const products = read('products')
  const codes = readCodes([['coupon', textOf('coupon')]], report)
  const attribution: Attribution = {}
  addOthers(attribution, others, settings)
  const lines = readLinkEntries(products.is === 'text' ? products.text : '', {
    maxItems,
    itemId,
    pointer: at => pointer('sku', at),
    readId: id => ({ value: id }),
    right: 'an id without "," and ":", a colon and a quantity, such as "12345:3"',
    report
  })
  const cart = readCart(
    {
      lines: products.is === 'mistaken' || repeated.has('products') ? 'mistaken' : lines,
      currency: { is: 'text', text: currency },
      reference: referenceOf(read('reference')),
      mistakes
    },
    { maxItems, pointer, readNumber: readFormNumber, readReference }
  )
  return withAttribution({ ...cart, ...codes }, attribution)
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
