// The carts that a real Vendure is recorded with: test/integrations/destination/vendure/ says what has to become of each.
import { BROUGHT, items, type Scenario } from '../shop.ts'

function scenario(name: string, settings: object, currency: string, ...lines: [string, number][]): Scenario {
  return { name, settings: () => settings, cart: { currency, items: items(...lines) } }
}

const ODD: [string, number] = ['ODD/1 & 2%_(x)\'"é', 1]
const IN_COOKIE = { tokenCookie: 'vendure-auth-token', referenceField: 'cartReference', channelToken: 'of-no-channel' }
const IN_ADDRESS = { pageUrl: 'https://page.example/checkout?token={token}' }

const SEVERAL: [string, number][] = [
  ['LAMP', 1],
  ['NO-SUCH-SKU', 1],
  ['GONE', 1],
  ['MUG-RUST', 1],
  ['ROPE', 9],
  ['DOLLARS', 1],
  ['TWIN', 1]
]

const IN_FIELDS = { referenceField: 'cartReference', attributionField: 'cartAttribution' }

export const scenarios: Scenario[] = [
  scenario('session cookies', {}, 'GBP', ['MUG-SEAGLASS', 2], ['12345', 1], ['MUG-SEAGLASS', 3], ODD),
  scenario('the token in the address', IN_ADDRESS, 'GBP', ['lamp', 1]),
  scenario('the token in a cookie, and the reference in a custom field', IN_COOKIE, 'USD', ['DOLLARS', 1]),
  scenario('unknown SKUs', {}, 'GBP', ['LAMP', 1], ['NO-SUCH-SKU', 1], ['TWIN', 1], ['Lamp', 1], ['NO-SUCH-SKU', 2]),
  scenario('too few units', {}, 'GBP', ['LAMP', 1], ['MUG-RUST', 1], ['ROPE', 3], ['12345', 1000], ['MUG-SLATE', 999]),
  scenario('a bag of which the shop takes nothing', {}, 'GBP', ['MUG-RUST', 1]),
  scenario('lines that cannot be sold for several reasons', {}, 'GBP', ...SEVERAL),
  scenario('unknown SKUs in another currency', {}, 'EUR', ['NO-SUCH-SKU', 1], ['LAMP', 1]),
  scenario('no price in the currency', {}, 'GBP', ['LAMP', 1], ['DOLLARS', 1]),
  scenario('another currency', {}, 'EUR', ['LAMP', 1]),
  scenario('a variant that is sold no more, in an old search index', {}, 'GBP', ['LAMP', 1], ['GONE', 1]),
  scenario('only a variant that is sold no more', {}, 'GBP', ['GONE', 1]),
  {
    name: 'codes and attribution',
    settings: () => IN_FIELDS,
    cart: { currency: 'GBP', items: items(['LAMP', 2]), ...BROUGHT }
  },
  scenario('a custom field that does not exist', { referenceField: 'noSuchField' }, 'GBP', ['LAMP', 1])
]
