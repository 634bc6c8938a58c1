// The part of the merchant file's schema about the checkout page: its address and lifetime, delivery, texts.
import { type Static, Type } from '@sinclair/typebox'
import type { Destination } from '../destination/destination.ts'
import { OnlyForOurPage } from '../transfer/option.ts'
import { destinationSchema, type LeadsTo, OWN_PAGE } from './destination-schema.ts'
import { AmountsSchema, Flag, Id, Path, Section, ShopperText, ShortText, Whole } from './setting-types.ts'

const DELIVERY_DAYS = 'how many working days it takes, at least and at most: [3, 5], or [0, 0] for the same day'

const Days = Type.Integer({ minimum: 0, maximum: 99, description: 'whole working days from 0 to 99' })

const CheckoutKeys = {
  continueShoppingUrl: ShortText(
    2048,
    'the address that takes the shopper back to the app, such as "harbour://continue"'
  ),
  expiresAfterMinutes: Whole(1440, 1, 525_600, 'how long a checkout lives: whole minutes from 1 to 525600 (a year)'),
  deleteAfterDays: Whole(30, 0, 3650, 'how long an expired checkout is kept: whole days from 0 to 3650'),
  completeTitle: OnlyForOurPage(
    Type.Optional(
      Type.String({
        default: 'Order complete',
        minLength: 1,
        maxLength: 80,
        description: 'text that only the title of the confirmation page contains; apps look for it'
      })
    )
  ),
  maxTotal: OnlyForOurPage(Type.Optional(AmountsSchema('the most that the goods of a bag may cost'))),
  taxText: OnlyForOurPage(
    Type.Optional(ShopperText(200, 'a sentence about taxes, shown below the total', { name: 'taxText' }))
  ),
  appInjectsStyles: Flag('whether apps may add <style> elements to the pages')
}

/** The schema of `checkout`, whose pages have an address only if they are ours. */
export function checkoutSchema(destinations: Destination[], leadsTo: LeadsTo) {
  const path = OnlyForOurPage(Path('where the checkout pages are, below publicUrl'))
  const destination = Type.Optional(destinationSchema(destinations, leadsTo))
  const required = leadsTo === OWN_PAGE ? 'path, continueShoppingUrl' : 'continueShoppingUrl'
  return Section(
    { path: leadsTo === OWN_PAGE ? path : Type.Optional(path), ...CheckoutKeys, destination },
    `an object with ${required} and what else config/README.md lists`
  )
}

export const DeliverySchema = Section(
  {
    id: Id('a name for orders'),
    label: ShopperText(80, 'the name that shoppers see: 1 to 80 characters'),
    price: AmountsSchema('what it costs'),
    freeFrom: Type.Optional(AmountsSchema('from which subtotal it costs nothing')),
    countries: Type.Optional(
      Type.Array(Type.String({ description: 'an ISO 3166-1 code of two letters such as "GB"' }), {
        minItems: 1,
        uniqueItems: true,
        description: 'a list of those of "countries" that it delivers to, such as ["GB"], each once'
      })
    ),
    days: Type.Optional(Type.Array(Days, { minItems: 2, maxItems: 2, description: DELIVERY_DAYS }))
  },
  'an object with id, label, price and, optionally, freeFrom, countries and days'
)

type Checkout = Static<ReturnType<typeof checkoutSchema>>
type WithDefault = 'expiresAfterMinutes' | 'deleteAfterDays' | 'completeTitle' | 'appInjectsStyles'

/** The settings of the checkout, with every default filled in. */
export type CheckoutSettings = Omit<Checkout, 'destination' | 'path'> & { path: string } & Required<
    Pick<Checkout, WithDefault>
  >

export type DeliverySettings = (Omit<Static<typeof DeliverySchema>, 'days'> & { days?: [number, number] })[]
