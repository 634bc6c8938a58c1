// The schema of a profile: everything that the kit has to know about a merchant site. `npm run schema` writes it to
// config/conform.schema.json.
import { type Static, Type } from '@sinclair/typebox'
import type { TransferOption } from '../../transfer/option.ts'
import { DEFAULT_SELECTORS } from '../browser/page-lines.ts'

const closed = { additionalProperties: false }

const Status = (of: string, defaultValue: string) =>
  Type.Optional(
    Type.String({
      pattern: '^[245](xx|\\d\\d)$',
      default: defaultValue,
      description: `the expected status for ${of}: a class ("2xx", "4xx" or "5xx") or a status such as "422"`
    })
  )

/** Where the contract leaves the status open; the defaults are those of our own server. */
const Expect = Type.Object(
  {
    malformed: Status('a request that breaks the contract', '4xx'),
    method: Status('another method', '4xx'),
    contentType: Status('another Content-Type', '4xx'),
    indexGap: Status('a bag with a missing index (2A, 2B)', '4xx'),
    currency: Status('a currency that the shop does not sell in', '4xx'),
    referenceTooLong: Status('a reference of 33 characters', '4xx'),
    otherCart: Status('another bag under the same reference', '2xx'),
    unknownSku: Status('an unknown SKU', '4xx'),
    outOfStock: Status('a SKU that is out of stock', '4xx'),
    describedMethod: Type.Optional(
      Type.Union([Type.Literal('POST'), Type.Literal('GET')], {
        default: 'POST',
        description: 'the method that option 1 describes: "POST", or "GET" if that is intended'
      })
    )
  },
  { ...closed, default: {}, description: 'an object with the expected statuses, as listed in the README' }
)

const Selector = (of: string, defaultValue: string) =>
  Type.Optional(
    Type.String({
      minLength: 1,
      default: defaultValue,
      description: `where ${of} is, such as "@data-sku" (an attribute of the line) or ".sku" (the text of an element)`
    })
  )

const Page = Type.Object(
  {
    line: Type.Optional(
      Type.String({
        minLength: 1,
        default: DEFAULT_SELECTORS.line,
        description: 'a CSS selector that matches one element per line'
      })
    ),
    sku: Selector('the SKU', DEFAULT_SELECTORS.sku),
    quantity: Selector('the quantity', DEFAULT_SELECTORS.quantity),
    settleSeconds: Type.Optional(
      Type.Number({
        default: 0,
        minimum: 0,
        maximum: 60,
        description: 'how long scripts may take to write the lines: seconds from 0 (the lines are in the HTML) to 60'
      })
    )
  },
  { ...closed, default: {}, description: 'an object with line, sku and quantity' }
)

const Sku = Type.String({ minLength: 1, maxLength: 128, description: 'a SKU: a string of 1 to 128 characters' })

const Skus = Type.Object(
  {
    exist: Type.Array(Sku, {
      minItems: 3,
      uniqueItems: true,
      description: 'a list of at least three SKUs that can be bought, without duplicates'
    }),
    unknown: Type.Array(Sku, { minItems: 1, description: 'a list of at least one SKU that the site does not know' }),
    outOfStock: Type.Optional(
      Type.Array(Sku, { default: [], description: 'a list of SKUs that are out of stock; it may be empty' })
    )
  },
  { ...closed, description: 'an object with exist, unknown and outOfStock' }
)

export function profileSchema(options: TransferOption[]) {
  const names = options.map(({ name }) => JSON.stringify(name)).join(', ')
  return Type.Object(
    {
      $schema: Type.Optional(Type.String({ description: 'the path of conform.schema.json, for editors' })),
      name: Type.String({ minLength: 1, maxLength: 80, description: 'a name for reports: 1 to 80 characters' }),
      option: Type.Union(
        options.map(({ name }) => Type.Literal(name)),
        { description: `how a cart arrives: ${names}` }
      ),
      url: Type.String({ description: 'the address that carts are sent to, such as "https://shop.example/cart"' }),
      currency: Type.String({ pattern: '^[A-Z]{3}$', description: 'an ISO 4217 code such as "GBP"' }),
      skus: Skus,
      names: Type.Optional(
        Type.String({ description: 'how the platform is configured to name fields: "indexed", or "index-free" for 2A' })
      ),
      reference: Type.Optional(
        Type.Union([Type.Literal('plain'), Type.Literal('hyphenated')], {
          default: 'plain',
          description: 'how a UUID is written: "plain" (32 characters) or "hyphenated" (36, over the limit of 32)'
        })
      ),
      expect: Type.Optional(Expect),
      page: Type.Optional(Page),
      origins: Type.Optional(
        Type.Array(Type.String({ description: 'an origin such as "https://pictures.example"' }), {
          default: [],
          description: 'a list of other origins that the page may load resources from, such as pictures'
        })
      ),
      completeTitle: Type.Optional(
        Type.String({ minLength: 1, description: 'a phrase that only the title of a completed order contains' })
      ),
      completeUrl: Type.Optional(
        Type.String({ minLength: 1, description: 'a string that only the URL of a completed order contains' })
      ),
      bigBag: Type.Optional(
        Type.Integer({
          default: 50,
          minimum: 4,
          maximum: 900,
          description: 'how many lines the big bag has: a whole number from 4 to 900'
        })
      ),
      timeoutSeconds: Type.Optional(
        Type.Number({
          default: 30,
          minimum: 0.1,
          maximum: 600,
          description: 'how long a response may take: seconds, at most 600'
        })
      )
    },
    {
      ...closed,
      $schema: 'http://json-schema.org/draft-07/schema#',
      title: 'A profile for the conformance kit of cart-transfer',
      description: 'an object with name, option, url, currency and skus'
    }
  )
}

type ProfileFile = Static<ReturnType<typeof profileSchema>>

/** A valid profile, with every default filled in. */
export type Profile = Pick<ProfileFile, 'name' | 'url' | 'currency' | 'completeTitle' | 'completeUrl'> &
  Required<Pick<ProfileFile, 'reference' | 'origins' | 'bigBag' | 'timeoutSeconds'>> & {
    option: string
    /** How fields are named: indexed, or a variant of the option. */
    names: string
    skus: Required<Static<typeof Skus>>
    expect: Required<Static<typeof Expect>>
    page: Required<Static<typeof Page>>
  }

/** The keys of `expect` whose value is a status. */
export type ExpectKey = Exclude<keyof Profile['expect'], 'describedMethod'>
