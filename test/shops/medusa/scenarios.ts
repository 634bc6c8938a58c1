// The carts that a real Medusa is recorded with: test/integrations/destination/medusa/ says what has to become of each.
import { BROUGHT, items, type Scenario } from '../shop.ts'
import type { Seeded } from './seed.ts'

type Line = [sku: string, quantity: number]

/** @param seeded what Medusa was filled with, once it is */
export function scenarios(seeded: () => Seeded): Scenario[] {
  const inEuros = (name: string, settings: () => object, ...lines: Line[]): Scenario => {
    return { name, settings, cart: { currency: 'EUR', items: items(...lines) } }
  }
  const asUsual = () => ({})
  const inAddress = () => ({
    regions: { EUR: { id: seeded().regions.EUR, pageUrl: 'https://page.example/app/{cart}?cart={cart}' } }
  })
  const inDollars = (name: string, ...lines: Line[]): Scenario => ({
    name,
    settings: ({ page }) => ({ regions: { USD: { id: seeded().regions.USD, pageUrl: `${page}/us/checkout` } } }),
    cart: { currency: 'USD', items: items(...lines) }
  })
  // In other letter case, not published, and of another sales channel.
  const unsold: Line[] = ['Shirt-S', 'DRAFT-1', 'ELSE-1'].map(sku => [sku, 1])
  return [
    inDollars('another currency', ['SHIRT-S', 1]),
    inEuros('the id in the address', inAddress, ['SHIRT-S', 1]),
    inEuros('one SKU on two lines', asUsual, ['SHIRT-S', 1], ['SHIRT-M', 2], ['SHIRT-S', 3]),
    inEuros('a SKU with a comma and other signs', asUsual, ['A+b & c/ü#1,2', 1]),
    inEuros('items of which there are always enough', asUsual, ['SHIRT-BACK', 3], ['SHIRT-FREE', 9999]),
    inEuros('a line that is out of stock', asUsual, ['SHIRT-S', 1], ['SHIRT-GONE', 1]),
    inEuros('more than the stock, on two lines', asUsual, ['SHIRT-TWO', 1], ['SHIRT-S', 1], ['SHIRT-TWO', 2]),
    inEuros('SKUs that are not sold', asUsual, ['NO-SUCH', 1], ['SHIRT-S', 1], ...unsold),
    inDollars('no price in the currency', ['SHIRT-S', 1], ['SHIRT-EUR', 1]),
    {
      name: 'codes and attribution',
      settings: asUsual,
      cart: { currency: 'EUR', items: items(['SHIRT-S', 2]), ...BROUGHT }
    },
    inEuros('a key that Medusa does not know', () => ({ publishableKey: 'pk_none' }), ['SHIRT-S', 1])
  ]
}
