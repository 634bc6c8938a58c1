// The schema of merchant files. Error messages and editors show its descriptions; `npm run schema` writes it to
// config/merchant.schema.json.
import { type Static, Type } from '@sinclair/typebox'
import type { Destination } from '../destination/destination.ts'
import type { MessageOverrides } from '../messages/translator.ts'
import type { AuthenticationSetting } from '../transfer/authentication.ts'
import { OnlyForOurPage, type TransferOption } from '../transfer/option.ts'
import { CatalogueSchema, type CatalogueSettings } from './catalogue-schema.ts'
import { type CheckoutSettings, checkoutSchema, DeliverySchema, type DeliverySettings } from './checkout-schema.ts'
import { type DestinationSettings, type LeadsTo, OWN_PAGE } from './destination-schema.ts'
import { type Links, LinksSchema } from './links.ts'
import { Id, Path, Section, ShopperText, ShortText, Whole } from './setting-types.ts'
import { ThemeSchema } from './theme-schema.ts'

const PaymentSchema = Section(
  { text: ShopperText(200, 'a sentence such as "Pay on delivery"', { name: 'paymentText' }) },
  'an object with text'
)

const OrdersSchema = Section(
  {
    eraseAfterDays: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 3650,
        description: 'after how many days the personal data of an order is erased: whole days from 1 to 3650'
      })
    )
  },
  'an object with eraseAfterDays'
)

const WebhookSchema = Section(
  {
    url: ShortText(2048, 'the address that each order is sent to'),
    secretVariable: Type.String({
      pattern: '^[A-Z][A-Z0-9_]*$',
      description: 'the name of the environment variable that holds the secret, such as "ACME_WEBHOOK_SECRET"'
    })
  },
  'an object with url and secretVariable'
)

/**
 * The schema of a merchant file for these options and destinations; each of them brings its own keys.
 * @param leadsTo if it is known; then that alone is allowed
 */
export function merchantSchema(options: TransferOption[], destinations: Destination[], leadsTo?: LeadsTo) {
  const names = options.map(({ name }) => JSON.stringify(name)).join(', ')
  const transfers = options.map(({ name, title, settings }) =>
    Section(
      {
        option: Type.Literal(name, { description: `how a cart arrives: ${names}` }),
        path: Path('where the platform sends carts, below publicUrl'),
        maxItems: Whole(500, 1, 900, 'the maximum number of lines in a cart: a whole number from 1 to 900'),
        maxQuantity: Whole(9999, 1, 9999, 'the maximum number of units in a line: a whole number from 1 to 9999'),
        keepRecordsDays: Whole(
          90,
          0,
          3650,
          'how long the outcome of each transfer is kept: whole days from 0 (not at all) to 3650'
        ),
        ...settings.properties
      },
      'an object with option, path and what else config/README.md lists',
      { title: `${name}: ${title}` }
    )
  )
  const [only] = transfers
  return Section(
    {
      $schema: Type.Optional(Type.String({ description: 'the path of merchant.schema.json, for editors' })),
      id: Id('a name for logs and tables'),
      name: ShortText(80, 'the name that shoppers know: 1 to 80 characters'),
      publicUrl: Type.String({
        description: 'the address that the app sees, such as "https://shop.example/app", or a path such as "/harbour"'
      }),
      locale: Type.String({ description: 'a language tag such as "en-GB"' }),
      locales: Type.Optional(
        Type.Array(Type.String({ description: 'a language tag such as "de-DE"' }), {
          uniqueItems: true,
          description: 'a list of the other languages offered, such as ["de-DE", "fr"], each once'
        })
      ),
      messages: Type.Optional(
        Type.Record(
          Type.String(),
          Type.Record(Type.String(), ShortText(500, 'an ICU message'), {
            description: 'messages by name, such as { "place-order": "Pay now" }'
          }),
          { description: 'messages worded differently, by language: { "en": { "place-order": "Pay now" } }' }
        )
      ),
      currencies: Type.Array(Type.String({ description: 'an ISO 4217 code such as "GBP"' }), {
        minItems: 1,
        uniqueItems: true,
        description: 'a list of ISO 4217 codes such as ["GBP"], each once'
      }),
      transfer:
        transfers.length === 1 && only
          ? only
          : Type.Union(transfers, { description: `an object with "option": ${names}` }),
      catalogue: leadsTo === OWN_PAGE ? CatalogueSchema : Type.Optional(CatalogueSchema),
      checkout: checkoutSchema(destinations, leadsTo),
      countries: OnlyForOurPage(
        Type.Optional(
          Type.Array(Type.String({ description: 'an ISO 3166-1 code of two letters such as "GB"' }), {
            minItems: 1,
            uniqueItems: true,
            description: 'a list of the countries delivered to, such as ["GB", "IE"], each once'
          })
        )
      ),
      delivery: OnlyForOurPage(
        Type.Optional(
          Type.Array(DeliverySchema, {
            description: 'a list of { "id": …, "label": …, "price": … }; the first is preselected'
          })
        )
      ),
      payment: OnlyForOurPage(Type.Optional(PaymentSchema)),
      orders: OnlyForOurPage(Type.Optional(OrdersSchema)),
      webhook: OnlyForOurPage(Type.Optional(WebhookSchema)),
      look: Type.Optional(ThemeSchema),
      links: Type.Optional(LinksSchema),
      views: Type.Optional(
        Type.String({ minLength: 1, description: 'a folder of templates that override ours, relative to this file' })
      )
    },
    'an object with id, name, publicUrl, locale, currencies, transfer, catalogue and checkout',
    { $schema: 'http://json-schema.org/draft-07/schema#', title: 'A merchant of cart-transfer' }
  )
}

/** The contents of a valid merchant file; `transfer` also has the keys of its option. */
export type MerchantSettings = {
  id: string
  name: string
  publicUrl: string
  locale: string
  locales?: string[]
  messages?: MessageOverrides
  currencies: string[]
  transfer: {
    option: string
    path: string
    maxItems: number
    maxQuantity: number
    keepRecordsDays: number
    authentication?: AuthenticationSetting
  }
  /** Left out only where a destination does without. */
  catalogue?: CatalogueSettings
  checkout: Omit<CheckoutSettings, 'path'> & { path?: string; destination?: DestinationSettings }
  countries?: string[]
  delivery?: DeliverySettings
  payment?: Static<typeof PaymentSchema>
  orders?: Static<typeof OrdersSchema>
  webhook?: Static<typeof WebhookSchema>
  look?: Static<typeof ThemeSchema>
  links?: Links
  views?: string
}
