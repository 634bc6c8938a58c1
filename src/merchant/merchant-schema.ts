// The schema of merchant files; `npm run schema` writes it to config/merchant.schema.json.
import { type Static, type TObject, type TSchema, Type } from '@sinclair/typebox'
import type { Destination } from '../integrations/destination/destination.ts'
import type { PaymentProvider } from '../integrations/payment/provider.ts'
import type { MessageOverrides, Text } from '../messages/translator.ts'
import { webhookSecret } from '../secrets.ts'
import { isOnlyForOurPage, type TransferOption } from '../transfer/option.ts'
import { type CheckoutSettings, checkoutSchema, OptionalForOurPage, OWN_PAGE } from './checkout-schema.ts'
import { partOf } from './json-file.ts'
import { messagesProblem, ownMessageProblem } from './message-problem.ts'
import {
  AmountsSchema,
  Flag,
  Id,
  NonEmpty,
  Refused,
  Section,
  ShopperText,
  ShortText,
  VariableName,
  Whole
} from './setting-types.ts'
import { ThemeSchema } from './theme.ts'
import { type TransferSettings, transferSchema } from './transfer-schema.ts'
import {
  countryProblem,
  currencyProblem,
  daysProblem,
  linkProblem,
  localeProblem,
  otherLocaleProblem,
  publicUrlProblem,
  webhookUrlProblem
} from './value-checks.ts'

const FEED = 'the path of the product feed, relative to this file, or its address such as "https://…"'

const FEEDS = `${FEED}, or a list of several`

const FeedEntry = Type.Union(
  [
    NonEmpty(FEED),
    Section(
      {
        feed: NonEmpty(FEED),
        language: Type.Optional(
          Type.String({ description: 'the language of its titles, such as "de"; by default that of locale' })
        )
      },
      'an object with feed and, optionally, language'
    )
  ],
  { description: 'a path, an address, or { "feed": …, "language": "de" }' }
)

export const CatalogueSchema = Section(
  {
    feed: Type.Union([NonEmpty(FEED), Type.Array(FeedEntry, { minItems: 1, description: FEEDS })], {
      description: FEEDS
    }),
    credentialsVariable: Type.Optional(
      VariableName('ACME_FEED_LOGIN', 'the login for feeds at addresses (user:password)')
    ),
    refreshMinutes: Whole(15, 1, 1440, 'the minutes between requests for a newer feed'),
    timeoutSeconds: Whole(300, 1, 3600, 'the seconds that fetching a feed may take, with one retry'),
    maxMegabytes: Whole(1024, 1, 65_536, 'the maximum size of a feed, unpacked, in megabytes'),
    maxShrink: Whole(
      50,
      0,
      100,
      'the percentage of available products that a changed feed may lose, or leave without a price',
      '; one that loses more is not loaded'
    ),
    freeProducts: Flag('products whose price is 0 are free; otherwise they are not served')
  },
  'an object with feed and what else config/README.md lists'
)

const CountryCodes = (description: string) =>
  Type.Array(
    Type.String({ description: 'an ISO 3166-1 code of two letters such as "GB"', problemOf: countryProblem }),
    {
      minItems: 1,
      uniqueItems: true,
      description
    }
  )

/** Lists of country codes: one, or one for each currency. */
const CountryLists = (description: string) => {
  const each = `${description}, or one for each currency such as { "EUR": ["DE", "AT"], "CHF": ["CH"] }; by default that of locale`
  return Type.Union([CountryCodes(description), Type.Record(Type.String(), CountryCodes(description))], {
    description: each
  })
}

const Days = Type.Integer({ minimum: 0, maximum: 99, description: 'whole working days from 0 to 99' })

const DeliverySchema = Section(
  {
    id: Id('a name for orders'),
    label: ShopperText(80, 'the name that shoppers see'),
    price: AmountsSchema('the charge, "0" if it is free'),
    freeFrom: Type.Optional(AmountsSchema('the subtotal from which it is free')),
    countries: Type.Optional(
      CountryCodes('a list of those of "countries" that it delivers to, such as ["GB"], each once; all by default')
    ),
    days: Type.Optional(
      Type.Tuple([Days, Days], {
        description: 'the fewest and the most working days it takes: [3, 5], or [0, 0] for the same day',
        problemOf: daysProblem
      })
    )
  },
  'an object with id, label, price and, optionally, freeFrom, countries and days'
)

/** The pages of the shop's own site that every page of ours links to, in this order: what each address leads to. */
const LINKS = {
  contact: 'where shoppers get help, such as "mailto:help@shop.example", "tel:+441234567890" or an https address',
  shipping: 'the https address of delivery costs and times',
  returns: 'the https address of the returns policy',
  withdrawal: 'the https address of the right of withdrawal',
  terms: 'the https address of the terms, which the order button links to as well',
  privacy: 'the https address of the privacy policy',
  imprint: 'the https address of the legal notice'
}

export type LinkName = keyof typeof LINKS

export const LINK_NAMES = Object.keys(LINKS) as LinkName[]

export type Links = Partial<Record<LinkName, Text>>

const LinksSchema = Section(
  Object.fromEntries(
    LINK_NAMES.map(name => {
      const mark = { noun: 'address', problemOf: (address: string) => linkProblem(address, name) }
      return [name, Type.Optional(ShopperText(2048, LINKS[name], mark))]
    })
  ),
  `an object with any of ${LINK_NAMES.join(', ')}`
)

const EraseAfterDays = Type.Integer({
  minimum: 1,
  maximum: 3650,
  description: "the days after which an order's personal data is erased: a whole number from 1 to 3650"
})

const MessagesOfLanguage = Type.Record(
  Type.String(),
  ShortText(500, 'an ICU message', { problemOf: ownMessageProblem }),
  { description: 'messages by name, such as { "place-order": "Pay now" }', problemOf: messagesProblem }
)

/** The keys that no option and no destination changes. */
const MerchantKeys = {
  $schema: Type.Optional(Type.String({ description: 'the path of merchant.schema.json, for editors' })),
  id: Id('a name for logs and the store'),
  name: ShortText(80, 'the name that shoppers see: 1 to 80 characters'),
  publicUrl: Type.String({
    description:
      'the address that the app uses, such as "https://shop.example/app" (https unless it is loopback or private), or a path on the address that the server listens on, such as "/harbour"',
    problemOf: publicUrlProblem
  }),
  locale: Type.String({
    description: 'the default language and region: a language tag such as "en-GB"',
    problemOf: localeProblem
  }),
  locales: Type.Optional(
    Type.Array(Type.String({ description: 'a language tag such as "de-DE"', problemOf: otherLocaleProblem }), {
      uniqueItems: true,
      description: 'a list of the other languages offered, such as ["de-DE", "fr"], each once'
    })
  ),
  messages: Type.Optional(
    Type.Unsafe<MessageOverrides>(
      Type.Record(Type.String(), MessagesOfLanguage, {
        description:
          'your own wording, by language and by name in src/messages/en.json: { "en": { "place-order": "Pay now" } }'
      })
    )
  ),
  texts: Type.Optional(
    Type.Record(Type.String(), ShopperText(500, 'a sentence'), {
      description:
        'sentences that your own templates print, by name: { "promise": { "en": "Packed by hand", "de": "Von Hand gepackt" } }'
    })
  ),
  currencies: Type.Array(Type.String({ description: 'an ISO 4217 code such as "GBP"', problemOf: currencyProblem }), {
    minItems: 1,
    uniqueItems: true,
    description: 'a list of the currencies you sell in: ISO 4217 codes such as ["GBP"], each once'
  }),
  countries: OptionalForOurPage(
    CountryLists('a list of the countries delivered to, such as ["GB", "IE"], each once and the first preselected')
  ),
  delivery: OptionalForOurPage(
    Type.Array(DeliverySchema, {
      description:
        'a list of delivery methods, { "id": …, "label": …, "price": … }; the first is preselected. Without any, delivery is free and there is nothing to choose'
    })
  ),
  payment: OptionalForOurPage(
    Section(
      { text: ShopperText(200, 'a note on payment such as "Pay on delivery"', { name: 'paymentText' }) },
      'an object with text'
    )
  ),
  orders: OptionalForOurPage(
    Section({ eraseAfterDays: Type.Optional(EraseAfterDays) }, 'an object with eraseAfterDays')
  ),
  webhook: OptionalForOurPage(
    Section(
      {
        url: ShortText(2048, 'the address that each order is sent to: https, or http if it is loopback or private', {
          problemOf: webhookUrlProblem
        }),
        secretVariable: VariableName('ACME_WEBHOOK_SECRET', `its secret (${webhookSecret.right})`)
      },
      'an object with url and secretVariable'
    )
  ),
  theme: Type.Optional(ThemeSchema),
  links: Type.Optional(LinksSchema),
  views: Type.Optional(NonEmpty('a folder of templates and style sheets that override ours, relative to this file'))
}

/**
 * Options, destinations and providers bring keys.
 * @param file the contents of a file, whose schema is made: that of its option, destination and provider, as far as it names any
 */
export function merchantSchema(
  options: TransferOption[],
  destinations: Destination[],
  providers: PaymentProvider[],
  file?: unknown
): TObject {
  // Also at the top level, where it does not belong: whoever names a destination there does not miss the keys of our page.
  const destination = partOf(file, ['checkout', 'destination']) ?? partOf(file, ['destination'])
  const type = file !== undefined && destination === undefined ? OWN_PAGE : partOf(destination, ['type'])
  const isForOurPage = type === OWN_PAGE
  const schema = Section(
    {
      ...MerchantKeys,
      transfer: transferSchema(options, file !== undefined, partOf(file, ['transfer'])),
      catalogue: isForOurPage ? CatalogueSchema : Type.Optional(CatalogueSchema),
      checkout: checkoutSchema(destinations, providers, isForOurPage, partOf(file, ['checkout'])),
      // Its name before version 1.0; editors only hear of the new one.
      ...(file !== undefined && { look: Refused('it is called "theme" now; rename it') })
    },
    'an object with id, name, publicUrl, locale, currencies, transfer, catalogue and checkout',
    { $schema: 'http://json-schema.org/draft-07/schema#', title: 'A merchant of cart-transfer' }
  )
  return destinations.some(({ name }) => name === type) ? withoutOurPage(schema, String(type)) : schema
}

/** Refuses the settings that only our page uses. */
function withoutOurPage<Schema extends TSchema>(schema: Schema, type: string): Schema {
  if (Array.isArray(schema.items)) {
    return { ...schema, items: schema.items.map((item: TSchema) => withoutOurPage(item, type)) }
  }
  const parts = Object.entries<TSchema>(schema.properties ?? {}).map(([name, part]) => {
    const refusal = `it is about our own page, and bags go to "${type}"; leave it out`
    return [name, isOnlyForOurPage(part) ? Refused(refusal, { default: part.default }) : withoutOurPage(part, type)]
  })
  return parts.length > 0 ? { ...schema, properties: Object.fromEntries(parts) } : schema
}

/** The contents of a valid merchant file, with every default filled in. */
export type MerchantSettings = Static<TObject<typeof MerchantKeys>> & {
  transfer: TransferSettings | TransferSettings[]
  /** Left out only where a destination does without. */
  catalogue?: Static<typeof CatalogueSchema>
  checkout: CheckoutSettings
}
