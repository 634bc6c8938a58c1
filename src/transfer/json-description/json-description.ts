// Option 1 (contract 2.1, 2.2 and 4.1): a JSON POST, answered with the description of a web request. The JSON Schemas of
// both have the merchant's limits; a property test compares them with what `json-cart.ts` reads.
import { type TObject, Type } from '@sinclair/typebox'
import { HYPHENATED_UUID_PATTERN, MAX_REFERENCE, MAX_SKU, SKU_PATTERN, UUID_PATTERN } from '../../cart/cart.ts'
import type { Problem, ValidationErrorCode } from '../../errors.ts'
import { DescribedCookie, DescribedHeader, Description } from '../description.ts'
import { type DescriptionOption, type ExchangeContext, MAX_TOKEN, MAX_URL } from '../option.ts'
import { jsonPointer, readJsonCart } from './json-cart.ts'
import { checkJsonSettings, describeRequest, JsonSettings } from './settings.ts'

const MEDIA_TYPE = 'application/json'

export const jsonDescription: DescriptionOption<JsonSettings> = {
  name: '1',
  title: 'API Endpoint Integration',
  settings: JsonSettings,
  answer: 'description',
  encoding: MEDIA_TYPE,
  sendsPrices: false,
  pointer: jsonPointer,
  check: checkJsonSettings,

  read: readJsonCart,

  describe: (link, { description }) => describeRequest(link, description),

  exchange(context) {
    const { settings, checkoutUrl } = context
    const description = withoutValues(settings.description)
    const link = checkoutUrl === undefined ? undefined : { url: checkoutUrl, token: EXAMPLE_TOKEN, at: EXAMPLE_TIME }
    return {
      request: requestSchema(context),
      response: link ? pageResponse(link.url, description) : ShopResponse,
      answer: link && describeRequest(link, description),
      mistakes: MISTAKES,
      problem: exampleRefusal(context)
    }
  },

  request({ items, currency, reference, attribution }, baseUrl) {
    const sent = { items: items.map(({ sku, quantity }) => ({ sku, quantity })), currency, reference, attribution }
    return {
      method: 'POST',
      url: baseUrl,
      headers: [{ name: 'Content-Type', value: MEDIA_TYPE }],
      body: JSON.stringify(sent)
    }
  }
}

type Context = ExchangeContext<JsonSettings>

const MISTAKES: ValidationErrorCode[] = [
  'json-malformed',
  'encoding-malformed',
  'field-missing',
  'field-type',
  'field-repeated',
  'items-empty',
  'sku-invalid',
  'quantity-invalid',
  'currency-invalid',
  'reference-invalid'
]

/** An example token and its time; fixed, so that every process of a merchant gives the same example. */
const EXAMPLE_TOKEN = 'mi7cvy80Zs0bTq4nXw1LrEo8uJd5kPyG'
const EXAMPLE_TIME = new Date('2026-11-20T10:00:00Z')

function requestSchema({ maxItems, maxQuantity, currencies, settings: { acceptHyphenated = false } }: Context) {
  const patterns = acceptHyphenated ? `${UUID_PATTERN}|${HYPHENATED_UUID_PATTERN}` : UUID_PATTERN
  const item = Type.Object({
    sku: Type.String({
      minLength: 1,
      maxLength: MAX_SKU,
      pattern: SKU_PATTERN,
      description: 'The SKU, compared exactly: case and spaces count.'
    }),
    quantity: Type.Integer({ minimum: 1, maximum: maxQuantity, description: 'The number of units.' })
  })
  return Type.Object(
    {
      items: Type.Array(item, {
        minItems: 1,
        maxItems,
        description: 'The lines of the bag, in their order. The same SKU on two lines stays two lines.'
      }),
      currency: Type.Unsafe<string>({
        type: 'string',
        enum: currencies,
        description: 'The ISO 4217 code, in upper case.'
      }),
      reference: Type.String({
        minLength: MAX_REFERENCE,
        maxLength: acceptHyphenated ? 36 : MAX_REFERENCE,
        pattern: patterns,
        description: 'Unique per order, and random: a version 4 UUID in 32 hexadecimal digits.'
      }),
      attribution: Type.Optional(
        Type.Unsafe<Record<string, string>>({
          description:
            'Where the shopper comes from: an object of texts, such as { "utm_source": "app" }. It is kept with the order, and never a reason to refuse the bag.'
        })
      )
    },
    { description: 'A bag. Other fields are ignored; one of these that stands twice is refused.' }
  )
}

const closed = { additionalProperties: false }

const ShopResponse = Type.Object(
  {
    ...Description.properties,
    url: Type.String({ maxLength: MAX_URL, description: "The page of the merchant's own shop, as it is." })
  },
  { ...closed, description: 'The web request that opens the checkout.' }
)

/** The description that leads to our own page, as `describeRequest` makes it of the settings. */
function pageResponse(
  checkoutUrl: string,
  { httpMethod = 'POST', cookies = [], headers = [] }: NonNullable<JsonSettings['description']>
) {
  const token = `[A-Za-z0-9_-]{1,${MAX_TOKEN}}$`
  return Type.Object(
    {
      url:
        httpMethod === 'POST'
          ? Type.Literal(checkoutUrl, { description: 'The checkout page.' })
          : Type.String({
              pattern: `^${checkoutUrl.replace(/[.+*?^${}()|[\]\\]/g, '\\$&')}/${token}`,
              description: 'The checkout page.'
            }),
      httpMethod: Type.Literal(httpMethod),
      ...(httpMethod === 'POST' && {
        body: Type.String({
          pattern: `^token=${token}`,
          description: 'The body, as it is: the app sends it as a form.'
        })
      }),
      ...(cookies.length > 0 && { cookies: allOf(cookies, DescribedCookie) }),
      ...(headers.length > 0 && { headers: allOf(headers, DescribedHeader) })
    },
    { ...closed, description: 'The web request that opens the checkout: the app sends it as it is described.' }
  )
}

/** The schema of a list of this length, with these names. */
function allOf(named: { name: string }[], { properties }: TObject) {
  const name = Type.Unsafe<string>({ type: 'string', enum: [...new Set(named.map(({ name }) => name))] })
  return Type.Array(Type.Object({ ...properties, name }, closed), { minItems: named.length, maxItems: named.length })
}

/** For examples, as a merchant may have put a secret into a value. */
function withoutValues(description: JsonSettings['description'] = {}): NonNullable<JsonSettings['description']> {
  const { cookies = [], headers = [], ...others } = description
  const withoutValue = <Field>(field: Field) => ({ ...field, value: 'value' })
  return { ...others, cookies: cookies.map(withoutValue), headers: headers.map(withoutValue) }
}

/** The refusal of a cart with common first errors: a quantity as text, a UUID with hyphens. */
function exampleRefusal(context: Context): Problem {
  const { items, currency } = context.cart
  const broken = {
    items: items.map(({ sku, quantity }) => ({ sku, quantity: String(quantity) })),
    currency,
    reference: '0f8fad5b-d9cb-469f-a165-70867728950e'
  }
  try {
    return readJsonCart(Buffer.from(JSON.stringify(broken)), context) as never
  } catch (error) {
    return error as Problem
  }
}
