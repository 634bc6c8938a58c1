// The types that settings are made of. Descriptions say what would be right: error messages and editors show them.
import { type Static, type TProperties, type TSchema, Type } from '@sinclair/typebox'
import type { Text } from '../messages/translator.ts'

/** An object without other keys. */
export const Section = <Properties extends TProperties>(properties: Properties, description: string, more = {}) =>
  Type.Object(properties, { additionalProperties: false, description, ...more })

export const NonEmpty = (description: string, more = {}) => Type.String({ minLength: 1, description, ...more })

export const ShortText = (maxLength: number, description: string, more = {}) =>
  NonEmpty(description, { maxLength, ...more })

export const Id = (description: string) =>
  Type.String({ pattern: '^[a-z0-9-]{1,40}$', description: `${description}: 1 to 40 of a to z, 0 to 9 and "-"` })

export const Path = (description: string) =>
  Type.String({
    pattern: '^(/(?!\\.{1,2}(/|$))[A-Za-z0-9._~-]+)+$',
    maxLength: 1024,
    description: `${description}: a path such as "/cart", without a slash at the end, of letters, digits, ".", "_", "~" and "-"`
  })

const SHOPPER_TEXT = Symbol('shopper text')

type ShopperTextMark = {
  /** Its name in templates; absent if it is shown as a part of something else. */
  name?: string
  /** What messages call it. */
  noun?: string
  /** What is wrong with one in any language and what would be right, if anything is. */
  problemOf?: (text: string) => string | undefined
}

/** A text that shoppers read: one for all, or one for each language. With a name, every template has it in its language. */
export const ShopperText = (maxLength: number, description: string, mark: ShopperTextMark = {}) => {
  const text = ShortText(maxLength, description)
  const byLanguage = Type.Record(Type.String({ pattern: '^[a-z]{2}$' }), text, { additionalProperties: false })
  const each = `${description} (up to ${maxLength} characters), or one for each language such as { "en": …, "de": … }`
  return Type.Unsafe<Text>({ ...Type.Union([text, byLanguage], { description: each }), [SHOPPER_TEXT]: mark })
}

export function shopperTextMark(schema: TSchema): ShopperTextMark | undefined {
  return (schema as { [SHOPPER_TEXT]?: ShopperTextMark })[SHOPPER_TEXT]
}

const AMOUNT = 'an amount such as "4.50", or one for each currency such as { "GBP": "4.50", "EUR": "5.20" }'

/** Money: one amount in a shop with one currency, or one for each currency. */
export const AmountsSchema = (description: string) =>
  Type.Union([Type.String(), Type.Record(Type.String(), Type.String())], { description: `${description}: ${AMOUNT}` })

export type Amounts = Static<ReturnType<typeof AmountsSchema>>

/** Optional in the file. The default is filled in, so readers always find a value. */
export const WithDefault = <Schema extends TSchema>(schema: Schema) =>
  Type.Unsafe<Static<Schema>>(Type.Optional(schema))

export const Whole = (byDefault: number, minimum: number, maximum: number, description: string) =>
  WithDefault(Type.Integer({ default: byDefault, minimum, maximum, description }))

export const Flag = (description: string) =>
  WithDefault(Type.Boolean({ default: false, description: `true or false: ${description}` }))

/** The name of an environment variable: a secret is not in the file. */
export const VariableName = (example: string, what: string) =>
  Type.String({
    pattern: '^[A-Z][A-Z0-9_]*$',
    description: `the name of the environment variable that holds ${what}, such as "${example}"`
  })

/** Lists of country codes: one, or one for each currency. */
export const CountryLists = (description: string) => {
  const each = `${description}, or one for each currency such as { "EUR": ["DE", "AT"], "CHF": ["CH"] }; by default that of locale`
  return Type.Union([CountryCodes(description), Type.Record(Type.String(), CountryCodes(description))], {
    description: each
  })
}

export const CountryCodes = (description: string) =>
  Type.Array(Type.String({ description: 'an ISO 3166-1 code of two letters such as "GB"' }), {
    minItems: 1,
    uniqueItems: true,
    description
  })

const DayOff = Type.String({
  pattern: '^(sun|mon|tue|wed|thu|fri|sat|(\\d{4}-)?\\d{2}-\\d{2})$',
  description: 'a weekday such as "sun", a date of every year such as "12-25", or of one such as "2026-12-28"'
})

/** How working days become dates. */
export const DeliveryDates = Section(
  {
    timeZone: Type.String({
      description:
        'the time zone of delivery dates, such as "Europe/London": "days" are counted from the order there, or from the next day that counts'
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
