// The part of the merchant file's schema about the checkout page: its address and lifetime, delivery, texts.
import { type Static, Type } from '@sinclair/typebox'
import type { Text } from '../messages/translator.ts'

const closed = { additionalProperties: false }

/** A path of at least one segment, below publicUrl. */
export const Path = (description: string) =>
  Type.String({
    pattern: '^(/(?!\\.{1,2}(/|$))[A-Za-z0-9._~-]+)+$',
    maxLength: 1024,
    description: `${description}: a path such as "/cart", without a slash at the end, of letters, digits, ".", "_", "~" and "-"`
  })

/** A text that shoppers read: one for all, or one for each language. */
export const ShopText = (maxLength: number, description: string) => {
  const text = Type.String({ minLength: 1, maxLength, description })
  const each = `${description}, or one for each language such as { "en": …, "de": … }`
  return Type.Union([text, Type.Record(Type.String({ pattern: '^[a-z]{2}$' }), text, closed)], { description: each })
}

export const CheckoutSchema = Type.Object(
  {
    path: Path('where the checkout pages are, below publicUrl'),
    continueShoppingUrl: Type.String({
      minLength: 1,
      maxLength: 2048,
      description: 'the address that takes the shopper back to the app, such as "harbour://continue"'
    }),
    expiresAfterMinutes: Type.Optional(
      Type.Integer({
        default: 1440,
        minimum: 1,
        maximum: 525_600,
        description: 'how long a checkout lives: whole minutes from 1 to 525600 (a year)'
      })
    ),
    deleteAfterDays: Type.Optional(
      Type.Integer({
        default: 30,
        minimum: 0,
        maximum: 3650,
        description: 'how long an expired checkout is kept: whole days from 0 to 3650'
      })
    ),
    completeTitle: Type.Optional(
      Type.String({
        default: 'Order complete',
        minLength: 1,
        maxLength: 80,
        description: 'text that only the title of the confirmation page contains; apps look for it'
      })
    ),
    taxText: Type.Optional(ShopText(200, 'a sentence about taxes, shown below the total')),
    appInjectsStyles: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'true or false: whether apps may add <style> elements to the pages'
      })
    )
  },
  { ...closed, description: 'an object with path, continueShoppingUrl and what else config/README.md lists' }
)

const DELIVERY_PRICE = 'an amount such as "4.50", or one for each currency such as { "GBP": "4.50", "EUR": "5.20" }'

export const DeliverySchema = Type.Object(
  {
    id: Type.String({
      pattern: '^[a-z0-9-]{1,40}$',
      description: 'a name for orders: 1 to 40 of a to z, 0 to 9 and "-"'
    }),
    label: ShopText(80, 'the name that shoppers see: 1 to 80 characters'),
    price: Type.Union([Type.String(), Type.Record(Type.String(), Type.String())], { description: DELIVERY_PRICE })
  },
  { ...closed, description: 'an object with id, label and price' }
)

/** The settings of the checkout, with every default filled in. */
export type CheckoutSettings = Omit<Static<typeof CheckoutSchema>, 'taxText'> & { taxText?: Text } & Required<
    Pick<
      Static<typeof CheckoutSchema>,
      'expiresAfterMinutes' | 'deleteAfterDays' | 'completeTitle' | 'appInjectsStyles'
    >
  >

export type DeliverySettings = (Omit<Static<typeof DeliverySchema>, 'label'> & { label: Text })[]
