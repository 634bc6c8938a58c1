// The carts that a real Vendure is recorded with: test/destination/vendure/ says what has to become of each.
import type { Scenario } from '../shop.ts'

const items = (...lines: [sku: string, quantity: number][]) => lines.map(([sku, quantity]) => ({ sku, quantity }))

export const scenarios: Scenario[] = [
  {
    name: 'session cookies',
    settings: () => ({}),
    cart: {
      currency: 'GBP',
      items: items(['MUG-SEAGLASS', 2], ['12345', 1], ['MUG-SEAGLASS', 3], ['ODD/1 & 2%_(x)\'"é', 1])
    }
  },
  {
    name: 'the token in the address',
    settings: () => ({ pageUrl: 'https://page.example/checkout?token={token}' }),
    cart: { currency: 'GBP', items: items(['lamp', 1]) }
  },
  {
    name: 'the token in a cookie, and the reference in a custom field',
    settings: () => ({
      tokenCookie: 'vendure-auth-token',
      referenceField: 'cartReference',
      channelToken: 'of-no-channel'
    }),
    cart: { currency: 'USD', items: items(['DOLLARS', 1]) }
  },
  {
    name: 'unknown SKUs',
    settings: () => ({}),
    cart: {
      currency: 'GBP',
      items: items(['LAMP', 1], ['NO-SUCH-SKU', 1], ['TWIN', 1], ['Lamp', 1], ['NO-SUCH-SKU', 2])
    }
  },
  {
    name: 'too few units',
    settings: () => ({}),
    cart: {
      currency: 'GBP',
      items: items(['LAMP', 1], ['MUG-RUST', 1], ['ROPE', 3], ['12345', 1000], ['MUG-SLATE', 999])
    }
  },
  {
    name: 'no price in the currency',
    settings: () => ({}),
    cart: { currency: 'GBP', items: items(['LAMP', 1], ['DOLLARS', 1]) }
  },
  { name: 'another currency', settings: () => ({}), cart: { currency: 'EUR', items: items(['LAMP', 1]) } },
  {
    name: 'a variant that is sold no more, in an old search index',
    settings: () => ({}),
    cart: { currency: 'GBP', items: items(['LAMP', 1], ['GONE', 1]) }
  },
  {
    name: 'a custom field that does not exist',
    settings: () => ({ referenceField: 'noSuchField' }),
    cart: { currency: 'GBP', items: items(['LAMP', 1]) }
  }
]
