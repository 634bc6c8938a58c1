// The types that settings are made of. Descriptions say what would be right: error messages and editors show them.
import { type Static, type TProperties, type TSchema, Type } from '@sinclair/typebox'
import type { Text } from '../messages/translator.ts'

/** A key that does not belong there. @param refusal what is told of it, whatever is in it */
export const Refused = (refusal: string, more = {}) => Type.Optional(Type.Never({ refusal, ...more }))

/** An object without other keys. */
export const Section = <Properties extends TProperties>(properties: Properties, description: string, more = {}) =>
  Type.Object(properties, { additionalProperties: false, description, ...more })

type Kinds = {
  /** The key that tells the kinds apart, and what it says. */
  by: string
  about: string
  /** Keys that all kinds have. */
  shared: TProperties
  kinds: { name: string; title: string; keys: TProperties }[]
  right: string
}

/**
 * A section of which there are several kinds, told apart by one key.
 * @param sent the section of a file, if the schema is to be the one for that: a key of another kind is refused then, and if it is
 * of no kind among several, only the shared keys are checked
 */
export function SectionOfKinds({ by, about, shared, kinds, right }: Kinds, sent?: unknown): TSchema {
  const listed = (some: Kinds['kinds']) => some.map(({ name }) => JSON.stringify(name))
  const names = listed(kinds).join(', ')
  const description = `an object with "${by}": ${names}`
  const sections = kinds.map(({ name, title, keys }) =>
    Section({ [by]: Type.Literal(name, { description: `${about}: ${names}` }), ...shared, ...keys }, right, {
      title: `${name}: ${title}`
    })
  )
  if (typeof sent !== 'object' || sent === null) return Type.Union(sections, { description })
  const name = (sent as Record<string, unknown>)[by]
  const section = sections[sections.length > 1 ? kinds.findIndex(kind => kind.name === name) : 0]
  if (!section) {
    const literals = kinds.map(kind => Type.Literal(kind.name))
    return Type.Object({ ...shared, [by]: Type.Union(literals, { description: `one of ${names}` }) }, { description })
  }
  const others = kinds.flatMap(({ keys }) => Object.keys(keys)).filter(key => !Object.hasOwn(section.properties, key))
  const refused = others.map(key => {
    const having = listed(kinds.filter(({ keys }) => key in keys)).join(' or ')
    return [key, Refused(`it is for ${by} ${having} only, and this is ${JSON.stringify(name)}; leave it out`)]
  })
  return { ...section, properties: { ...section.properties, ...Object.fromEntries(refused) } }
}

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
  /** Of the text in any language; see `checkValue`. */
  problemOf?: (text: string) => string | undefined
}

/** A text that shoppers read: one for all, or one for each language. With a name, every template has it in its language. */
export const ShopperText = (maxLength: number, description: string, mark: ShopperTextMark = {}) => {
  const text = ShortText(maxLength, description, { problemOf: mark.problemOf })
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

/** @param more what follows the limits in its description */
export const Whole = (byDefault: number, minimum: number, maximum: number, what: string, more = '') => {
  const description = `${what}: a whole number from ${minimum} to ${maximum}${more}`
  return WithDefault(Type.Integer({ default: byDefault, minimum, maximum, description }))
}

export const Flag = (description: string) =>
  WithDefault(Type.Boolean({ default: false, description: `true or false: ${description}` }))

/** The name of an environment variable: a secret is not in the file. */
export const VariableName = (example: string, what: string) =>
  Type.String({
    pattern: '^[A-Z][A-Z0-9_]*$',
    description: `the name of the environment variable that holds ${what}, such as "${example}"`
  })
