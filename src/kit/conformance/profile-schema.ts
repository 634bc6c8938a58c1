// The profile of a merchant site as a schema: all that the kit has to be told of a site, as data. `npm run schema`
// writes it to config/conform.schema.json.
import { type Static, Type } from '@sinclair/typebox'
import type { TransferOption } from '../../transfer/option.ts'
import { OWN_SELECTORS } from '../browser/shown-lines.ts'

const closed = { additionalProperties: false }

const StatusClass = (of: string, byDefault: string) =>
  Type.Optional(
    Type.String({
      pattern: '^[245](xx|\\d\\d)$',
      default: byDefault,
      description: `the status that answers ${of}: a class ("2xx", "4xx" or "5xx") or a status such as "422"`
    })
  )

/** What the contract leaves open, and what our own site answers. */
const Expect = Type.Object(
  {
    malformed: StatusClass('a request that breaks the contract', '4xx'),
    method: StatusClass('another method', '4xx'),
    contentType: StatusClass('another Content-Type', '4xx'),
    indexGap: StatusClass('a bag with an index left out (2A, 2B)', '4xx'),
    currency: StatusClass('a currency that is not sold in', '4xx'),
    referenceTooLong: StatusClass('a reference of 33 characters', '4xx'),
    otherCart: StatusClass('another bag under a reference used before', '2xx'),
    unknownSku: StatusClass('an unknown SKU', '4xx'),
    outOfStock: StatusClass('a SKU that is out of stock', '4xx'),
    describedMethod: Type.Optional(
      Type.Union([Type.Literal('POST'), Type.Literal('GET')], {
        default: 'POST',
        description: 'the method that option 1 describes: "POST", or "GET" where that is meant'
      })
    )
  },
  { ...closed, default: {}, description: 'an object of statuses, as src/kit/README.md lists them' }
)

const Selector = (of: string, byDefault: string) =>
  Type.Optional(
    Type.String({
      minLength: 1,
      default: byDefault,
      description: `where ${of} stands, such as "@data-sku" (an attribute of the line) or ".sku" (the text in it)`
    })
  )

const Page = Type.Object(
  {
    line: Type.Optional(
      Type.String({
        minLength: 1,
        default: OWN_SELECTORS.line,
        description: 'a CSS selector that finds one element per line'
      })
    ),
    sku: Selector('the SKU', OWN_SELECTORS.sku),
    quantity: Selector('the quantity', OWN_SELECTORS.quantity),
    settleSeconds: Type.Optional(
      Type.Number({
        default: 0,
        minimum: 0,
        maximum: 60,
        description: 'how long scripts may take to write the lines: seconds from 0 (the lines stand in the HTML) to 60'
      })
    )
  },
  { ...closed, default: {}, description: 'an object with line, sku and quantity' }
)

const Sku = Type.String({ minLength: 1, maxLength: 128, description: 'a SKU: text of 1 to 128 characters' })

const Skus = Type.Object(
  {
    exist: Type.Array(Sku, {
      minItems: 3,
      uniqueItems: true,
      description: 'a list of at least three SKUs that can be bought, each once'
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
          description: 'a list of other origins that the page may ask for pictures and the like'
        })
      ),
      completeTitle: Type.Optional(
        Type.String({ minLength: 1, description: 'the words by which the app knows the title of a completed order' })
      ),
      completeUrl: Type.Optional(
        Type.String({ minLength: 1, description: 'the text by which the app knows the URL of a completed order' })
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
          description: 'how long an answer may take: seconds, at most 600'
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

type File = Static<ReturnType<typeof profileSchema>>

/** A profile once it is checked, with every default filled in. */
export type Profile = Pick<File, 'name' | 'url' | 'currency' | 'completeTitle' | 'completeUrl'> &
  Required<Pick<File, 'reference' | 'origins' | 'bigBag' | 'timeoutSeconds'>> & {
    option: string
    /** The way of naming fields that is not the option's own first one. */
    names: string
    skus: Required<Static<typeof Skus>>
    expect: Required<Static<typeof Expect>>
    page: Required<Static<typeof Page>>
  }

/** What a profile says of statuses; the described method is none. */
export type Expected = Exclude<keyof Profile['expect'], 'describedMethod'>
