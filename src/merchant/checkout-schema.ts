// The schema of `checkout` in merchant files: our own page, a payment taken there, or a shop into which carts lead.
import { type Static, type TObject, type TSchema, Type } from '@sinclair/typebox'
import type { Destination } from '../integrations/destination/destination.ts'
import type { ShopLimits } from '../integrations/destination/shop-call.ts'
import type { PaymentProvider } from '../integrations/payment/provider.ts'
import { webhookSecret } from '../secrets.ts'
import { OnlyForOurPage } from '../transfer/option.ts'
import {
  AmountsSchema,
  DeliveryDates,
  Flag,
  Path,
  Section,
  ShopperText,
  ShortText,
  VariableName,
  Whole,
  WithDefault
} from './setting-types.ts'

/** Our own page, as the `type` of a destination. It is not one of them: it needs no handover, but a catalogue and a store. */
export const OWN_PAGE = 'page'

export const OptionalForOurPage = <Schema extends TSchema>(schema: Schema) => OnlyForOurPage(Type.Optional(schema))

/** In seconds: a stop waits 15 for what is in progress, and a connection that makes no progress for 30 is closed. */
const MAX_TIMEOUT = 10

const CheckoutKeys = {
  continueShoppingUrl: ShortText(
    2048,
    'the address that takes the shopper back to the app, such as "harbour://continue": the app closes its web view there'
  ),
  expiresAfterMinutes: Whole(
    1440,
    1,
    525_600,
    'the minutes after which a checkout expires: a whole number from 1 to 525600 (a year)'
  ),
  deleteAfterDays: Whole(
    30,
    0,
    3650,
    'the days that an expired checkout without an order is kept: a whole number from 0 to 3650'
  ),
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
  expiresAfterMinutes: Whole(60, 35, 1435, 'the minutes that a shopper has to pay: a whole number from 35 to 1435')
}

function paymentSchema(providers: PaymentProvider[]) {
  const names = providers.map(({ name }) => JSON.stringify(name)).join(', ')
  const sections = providers.map(({ name, title, settings }) =>
    Section(
      {
        provider: Type.Literal(name, { description: `on whose page shoppers pay: ${names}` }),
        ...PaymentKeys,
        ...settings.properties
      },
      'an object with provider, secretVariable and webhookSecretVariable',
      { title: `${name}: ${title}` }
    )
  )
  return Type.Union(sections, { description: `an object with "provider": ${names}` })
}

export function checkoutSchema(destinations: Destination[], providers: PaymentProvider[], isForOurPage: boolean) {
  const path = OnlyForOurPage(Path('where the checkout pages are, below publicUrl'))
  const destination = Type.Optional(destinationSchema(destinations))
  const payment = OptionalForOurPage(paymentSchema(providers))
  const required = isForOurPage ? 'path, continueShoppingUrl' : 'continueShoppingUrl'
  return Section(
    { path: isForOurPage ? path : Type.Optional(path), ...CheckoutKeys, payment, destination },
    `an object with ${required} and what else config/README.md lists`
  )
}

function destinationSchema(destinations: Destination[]) {
  const names = [OWN_PAGE, ...destinations.map(({ name }) => name)].map(name => JSON.stringify(name)).join(', ')
  const about = `where a cart leads: ${names}`
  const page = Section({ type: Type.Literal(OWN_PAGE, { description: about }) }, 'an object with type', {
    title: `${OWN_PAGE}: our own page`
  })
  const sections = destinations.map(({ name, title, settings, needsSecret }) => {
    const secretVariable = VariableName('ACME_SHOP_SECRET', `the secret shared with your shop (${webhookSecret.right})`)
    const time = `the seconds that your shop has to answer: a whole number from 1 to ${MAX_TIMEOUT}; each 100 lines add one, up to 14 in all`
    const most =
      'the most carts that your shop gets at a time, each 100 lines counting as one more: a whole number from 1 to 900; others are answered 503'
    return Section(
      {
        type: Type.Literal(name, { description: about }),
        timeoutSeconds: Whole(5, 1, MAX_TIMEOUT, time),
        maxInProgress: Whole(100, 1, 900, most),
        secretVariable: needsSecret ? secretVariable : Type.Optional(secretVariable),
        ...settings.properties
      },
      'an object with type and what else src/integrations/destination/README.md lists',
      { title: `${name}: ${title}` }
    )
  })
  return Type.Union([page, ...sections], { description: `an object with "type": ${names}` })
}

export type DestinationSettings = ShopLimits & { type: string; secretVariable?: string }

/** Also has the keys of its provider. */
export type PaymentSettings = Static<TObject<typeof PaymentKeys>> & { provider: string }

export type CheckoutSettings = Static<TObject<typeof CheckoutKeys>> & {
  path?: string
  payment?: PaymentSettings
  destination?: DestinationSettings
}
