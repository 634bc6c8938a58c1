// The schema of `checkout` in merchant files: our own page, a payment taken there, or a shop into which carts lead.
import { type Static, type TObject, type TProperties, type TSchema, Type } from '@sinclair/typebox'
import type { Destination } from '../integrations/destination/destination.ts'
import type { ShopLimits } from '../integrations/destination/shop-call.ts'
import type { PaymentProvider } from '../integrations/payment/provider.ts'
import { webhookSecret } from '../secrets.ts'
import { OnlyForOurPage } from '../transfer/option.ts'
import { partOf } from './json-file.ts'
import {
  AmountsSchema,
  Flag,
  Path,
  Section,
  SectionOfKinds,
  ShopperText,
  ShortText,
  VariableName,
  Whole,
  WithDefault
} from './setting-types.ts'
import { continueUrlProblem, dayOffProblem, shopAddressProblem, timeZoneProblem } from './value-checks.ts'

/** Our own page, as the `type` of a destination. It is not one of them: it needs no handover, but a catalogue and a store. */
export const OWN_PAGE = 'page'

export const OptionalForOurPage = <Schema extends TSchema>(schema: Schema) => OnlyForOurPage(Type.Optional(schema))

/** In seconds: a stop waits 15 for what is in progress, and a connection that makes no progress for 30 is closed. */
const MAX_TIMEOUT = 10

const DayOff = Type.String({
  pattern: '^(sun|mon|tue|wed|thu|fri|sat|(\\d{4}-)?\\d{2}-\\d{2})$',
  description: 'a weekday such as "sun", a date of every year such as "12-25", or of one such as "2026-12-28"',
  problemOf: dayOffProblem
})

/** How working days become dates. */
const DeliveryDates = Section(
  {
    timeZone: Type.String({
      description:
        'the time zone of delivery dates, such as "Europe/London": "days" are counted from the order there, or from the next day that counts',
      problemOf: timeZoneProblem
    }),
    daysOff: WithDefault(
      Type.Array(DayOff, {
        default: ['sat', 'sun'],
        maxItems: 100,
        description:
          'a list of up to 100 days that do not count: weekdays, yearly dates and single ones, such as ["sun", "12-25", "2026-12-28"]'
      })
    )
  },
  'an object with timeZone and, optionally, daysOff'
)

const CheckoutKeys = {
  continueShoppingUrl: ShortText(
    2048,
    'the address that takes the shopper back to the app, such as "harbour://continue": the app closes its web view there',
    { problemOf: continueUrlProblem }
  ),
  shopUrl: Type.Optional(
    ShortText(
      2048,
      'the address of your shop, such as "https://harbour.example/", to which shoppers who come by a link or UCP are led back; by default continueShoppingUrl, if it begins with http',
      { problemOf: shopAddressProblem }
    )
  ),
  expiresAfterMinutes: Whole(1440, 1, 525_600, 'the minutes after which a checkout expires', ' (a year)'),
  deleteAfterDays: Whole(30, 0, 3650, 'the days that an expired checkout without an order is kept'),
  completeTitle: OnlyForOurPage(
    WithDefault(
      ShortText(
        80,
        'text in the title of the confirmation page and of no other, the same in every language: apps recognise an order by it',
        {
          default: 'Order complete'
        }
      )
    )
  ),
  maxTotal: OptionalForOurPage(AmountsSchema('the most that the goods in a cart may cost; more is refused with 422')),
  trustText: OptionalForOurPage(
    ShopperText(200, 'a sentence below the order button, such as "30 days to return"', { name: 'trustText' })
  ),
  taxText: OptionalForOurPage(
    ShopperText(200, 'a sentence below the total, such as "Prices include VAT"', { name: 'taxText' })
  ),
  deliveryDates: OptionalForOurPage(DeliveryDates),
  giftNote: OnlyForOurPage(Flag('whether shoppers may add a gift note, which is sent with the order')),
  appInjectsStyles: Flag(
    'whether the app may add <style> elements, which weakens the content security policy; set it if the console of the web view reports refused styles'
  )
}

const PaymentKeys = {
  secretVariable: VariableName('ACME_PAYMENT_KEY', 'the secret key of your account with the provider'),
  webhookSecretVariable: VariableName(
    'ACME_PAYMENT_WEBHOOK_SECRET',
    'the secret of its notifications, or two with a space between them while it changes'
  ),
  expiresAfterMinutes: Whole(60, 35, 1435, 'the minutes that a shopper has to pay'),
  methods: WithDefault(
    Type.Array(ShortText(40, 'a method by its name, such as "PayPal"; "card" is translated'), {
      default: ['card'],
      minItems: 1,
      maxItems: 8,
      uniqueItems: true,
      description:
        'the methods that your account has switched on, as the page names them before the order button, such as ["card", "Apple Pay"]'
    })
  )
}

/** @param sent `checkout` in a file, whose schema is made; see `SectionOfKinds` */
export function checkoutSchema(
  destinations: Destination[],
  providers: PaymentProvider[],
  isForOurPage: boolean,
  sent?: unknown
) {
  const path = OnlyForOurPage(Path('where the checkout pages are, below publicUrl'))
  const payment = SectionOfKinds(
    {
      by: 'provider',
      about: 'on whose page shoppers pay',
      shared: PaymentKeys,
      kinds: providers.map(({ name, title, settings }) => ({ name, title, keys: settings.properties })),
      right: 'an object with provider, secretVariable and webhookSecretVariable'
    },
    partOf(sent, ['payment'])
  )
  const page = { name: OWN_PAGE, title: 'our own page', keys: {} }
  const destination = SectionOfKinds(
    {
      by: 'type',
      about: 'where a cart leads',
      shared: {},
      kinds: [page, ...destinations.map(({ name, title, ...shop }) => ({ name, title, keys: destinationKeys(shop) }))],
      right: 'an object with type and what else src/integrations/destination/README.md lists'
    },
    partOf(sent, ['destination'])
  )
  const required = isForOurPage ? 'path, continueShoppingUrl' : 'continueShoppingUrl'
  return Section(
    {
      path: isForOurPage ? path : Type.Optional(path),
      ...CheckoutKeys,
      payment: OptionalForOurPage(payment),
      destination: Type.Optional(destination)
    },
    `an object with ${required} and what else config/README.md lists`
  )
}

function destinationKeys({ needsSecret, settings }: Pick<Destination, 'needsSecret' | 'settings'>): TProperties {
  const secretVariable = VariableName('ACME_SHOP_SECRET', `the secret shared with your shop (${webhookSecret.right})`)
  const time = 'the seconds that your shop has to answer'
  const most = 'the most carts that your shop gets at a time, each 100 lines counting as one more'
  return {
    timeoutSeconds: Whole(5, 1, MAX_TIMEOUT, time, '; each 100 lines add one, up to 14 in all'),
    maxInProgress: Whole(100, 1, 900, most, '; others are answered 503'),
    secretVariable: needsSecret ? secretVariable : Type.Optional(secretVariable),
    ...settings.properties
  }
}

export type DestinationSettings = ShopLimits & { type: string; secretVariable?: string }

/** Also has the keys of its provider. */
export type PaymentSettings = Static<TObject<typeof PaymentKeys>> & { provider: string }

export type CheckoutSettings = Static<TObject<typeof CheckoutKeys>> & {
  path?: string
  payment?: PaymentSettings
  destination?: DestinationSettings
}
