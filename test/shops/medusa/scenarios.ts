// The carts that a real Medusa is recorded with: test/destination/medusa/ says what has to become of each.
import type { Scenario } from '../shop.ts'
import type { Seeded } from './seed.ts'

const items = (...lines: [sku: string, quantity: number][]) => lines.map(([sku, quantity]) => ({ sku, quantity }))

/** @param seeded what Medusa was filled with, once it is */
export function scenarios(seeded: () => Seeded): Scenario[] {
  const inEuros = (name: string, lines: [string, number][], settings: Scenario['settings'] = () => ({})): Scenario => ({
    name,
    settings,
    cart: { currency: 'EUR', items: items(...lines) }
  })
  const inDollars = (name: string, lines: [string, number][]): Scenario => ({
    name,
    settings: ({ page }) => ({
      regions: { USD: { id: seeded().regions.USD, pageUrl: `${page}/us/checkout` } }
    }),
    cart: { currency: 'USD', items: items(...lines) }
  })
  return [
    inDollars('another currency', [['SHIRT-S', 1]]),
    inEuros('the id in the address', [['SHIRT-S', 1]], () => ({
      regions: { EUR: { id: seeded().regions.EUR, pageUrl: 'https://page.example/app/{cart}?cart={cart}' } }
    })),
    inEuros('one SKU on two lines', [
      ['SHIRT-S', 1],
      ['SHIRT-M', 2],
      ['SHIRT-S', 3]
    ]),
    inEuros('a SKU with a comma and other signs', [['A+b & c/ü#1,2', 1]]),
    inEuros('items of which there are always enough', [
      ['SHIRT-BACK', 3],
      ['SHIRT-FREE', 9999]
    ]),
    inEuros('a line that is out of stock', [
      ['SHIRT-S', 1],
      ['SHIRT-GONE', 1]
    ]),
    inEuros('more than the stock, on two lines', [
      ['SHIRT-TWO', 1],
      ['SHIRT-S', 1],
      ['SHIRT-TWO', 2]
    ]),
    // The last three: in other letter case, not published, and of another sales channel.
    inEuros('SKUs that are not sold', [
      ['NO-SUCH', 1],
      ['SHIRT-S', 1],
      ['Shirt-S', 1],
      ['DRAFT-1', 1],
      ['ELSE-1', 1]
    ]),
    inDollars('no price in the currency', [
      ['SHIRT-S', 1],
      ['SHIRT-EUR', 1]
    ]),
    inEuros('a key that Medusa does not know', [['SHIRT-S', 1]], () => ({ publishableKey: 'pk_none' }))
  ]
}
