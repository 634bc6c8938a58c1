// The destination for shops with Vendure 3: a fresh order of a fresh session in its Shop API, which the shopper's page
// gets by cookies or in its address. `README.md` says how to set up the shop.
import { type Static, Type } from '@sinclair/typebox'
import { describedPatterns } from '../../transfer/description.ts'
import type { Destination } from '../destination.ts'
import { checkSettings } from './check-settings.ts'

const VendureSettings = Type.Object({
  url: Type.String({
    minLength: 1,
    maxLength: 2048,
    description: 'the address of the Shop API, such as "https://shop.example/shop-api"'
  }),
  pageUrl: Type.String({
    minLength: 1,
    maxLength: 2048,
    description:
      'the checkout page of your storefront, such as "https://shop.example/checkout"; {token} in it stands for the token of the session'
  }),
  tokenCookie: Type.Optional(
    Type.String({
      pattern: describedPatterns.name,
      maxLength: 64,
      description:
        'the name of the cookie in which your storefront keeps the token of the session, such as "vendure-auth-token"'
    })
  ),
  channelToken: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'the token of the channel to sell in; the default channel if absent'
    })
  ),
  referenceField: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z_]\\w*$',
      maxLength: 64,
      description: 'a public custom field of Order, of type string, for the reference of the transfer'
    })
  )
})
type VendureSettings = Static<typeof VendureSettings>

export const vendure: Destination<VendureSettings> = {
  name: 'vendure',
  title: 'Vendure',
  settings: VendureSettings,
  needsSecret: false,
  check: checkSettings,

  connect(settings, { fetch }) {
    // Loaded only where a merchant uses Vendure.
    const loaded = import('./open-order.ts')
    return {
      async open(cart, _key, signal) {
        const { openOrder } = await loaded
        return openOrder(cart, settings, fetch, signal)
      }
    }
  }
}
