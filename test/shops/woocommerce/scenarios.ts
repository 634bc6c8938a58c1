// The carts that a real WooCommerce is recorded with: test/integrations/destination/woocommerce/ says what has to become of each.
import { BROUGHT, items, type Scenario } from '../shop.ts'

type Line = [sku: string, quantity: number]

const asUsual = () => ({})

const inEuros = (name: string, ...lines: Line[]): Scenario => {
  return { name, settings: asUsual, cart: { currency: 'EUR', items: items(...lines) } }
}

const ODD: Line[] = ['a,b c&d', "ODD/1+2%_(x)'é", '80x40 "A"--B', '12345'].map(sku => [sku, 1])

export const scenarios: Scenario[] = [
  inEuros('one SKU on two lines', ['MUG', 1], ['SHIRT-S', 2], ['MUG', 3]),
  inEuros('SKUs with signs that WordPress writes in other ways', ...ODD),
  inEuros('SKUs that differ in such signs alone', ['80x40 "A"--B', 1], ['80x40 “A”–B', 1]),
  inEuros('items of which there are always enough', ['BACK', 3], ['FREE', 9999], ['HIDDEN', 1], ['ONCE', 1]),
  // In another letter case, not published, and a SKU that is only a part of a search.
  inEuros('SKUs that are not sold', ...['NO-SUCH', 'mug', 'DRAFT', 'PRIVATE', 'MUG,NO'].map((sku): Line => [sku, 1])),
  inEuros('products that cannot be bought by a SKU', ['SHIRT', 1], ['MUG', 1], ['ELSEWHERE', 1], ['SET', 1]),
  inEuros('products without a price or without stock', ['UNPRICED', 1], ['GONE', 1], ['SHIRT-GONE', 1]),
  inEuros('more units than are sold', ['TEA', 3], ['ONCE', 2], ['TEA', 3]),
  inEuros('what only the cart says', ['MUG', 1], ['SOCKS-S', 3], ['SOCKS-M', 3], ['SHIRT-ANY', 1]),
  inEuros('a bag of which the shop takes nothing', ['SHIRT-ANY', 1]),
  {
    ...inEuros('another currency', ['MUG', 1], ['GONE', 1]),
    cart: { currency: 'USD', items: items(['MUG', 1], ['GONE', 1]) }
  },
  {
    ...inEuros('a shop with its checkout under another address', ['MUG', 1]),
    settings: ({ shop }) => ({ url: `${shop.replace('127.0.0.1', 'localhost')}/` })
  },
  {
    name: 'codes and attribution',
    settings: asUsual,
    cart: { currency: 'EUR', items: items(['MUG', 2]), ...BROUGHT }
  }
]
