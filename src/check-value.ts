// Checks a value against a schema, and completes it. Of JSON Schema, it knows what `schema.ts` makes.
import type { Static, TSchema } from './schema.ts'

export type SchemaError = {
  /** The place, as a JSON pointer. */
  path: string
  /** What is there; undefined if nothing is. */
  value: unknown
  /** What should be there; of an unknown key, the schema of the object that it is in. */
  schema: TSchema
  problem: 'missing' | 'unknown' | 'wrong'
  message: string
}

export function conforms<Schema extends TSchema>(schema: Schema, value: unknown): value is Static<Schema> {
  return errorsOf(schema, value).next().done === true
}

/** Every error, in the order of the schema; those of a missing value are that it is missing, and what it should be. */
export function schemaErrors(schema: TSchema, value: unknown): SchemaError[] {
  return [...errorsOf(schema, value)]
}

/** Fills in what is absent and has a default, in place. @returns the value, or its own default if it is undefined */
export function fillDefaults(schema: TSchema, value: unknown = structuredClone(schema.default)): unknown {
  const kind = (schema.anyOf as TSchema[] | undefined)?.find(kind => conforms(kind, value))
  if (kind) return fillDefaults(kind, value)
  if (Array.isArray(value) && schema.items) return value.map(item => fillDefaults(schema.items, item))
  if (typeof value !== 'object' || value === null || !schema.properties) return value
  const given = value as Record<string, unknown>
  for (const [name, property] of Object.entries<TSchema>(schema.properties)) {
    const filled = fillDefaults(property, given[name])
    if (filled !== undefined) given[name] = filled
  }
  return given
}

function* errorsOf(schema: TSchema, value: unknown, path = ''): Generator<SchemaError> {
  const wrong = (right: string): SchemaError => ({
    path,
    value,
    schema,
    problem: 'wrong',
    message: `Expected ${right}`
  })
  if (schema.anyOf) {
    if (!schema.anyOf.some((kind: TSchema) => conforms(kind, value))) yield wrong('union value')
  } else if ('const' in schema) {
    if (value !== schema.const)
      yield wrong(typeof schema.const === 'string' ? `'${schema.const}'` : String(schema.const))
  } else if (schema.type === 'string') {
    if (typeof value !== 'string') yield wrong('string')
    else {
      const { minLength = 0, maxLength = Infinity, pattern } = schema
      if (value.length < minLength) yield wrong(`string length greater or equal to ${minLength}`)
      if (value.length > maxLength) yield wrong(`string length less or equal to ${maxLength}`)
      if (pattern !== undefined && !new RegExp(pattern).test(value)) yield wrong(`string to match '${pattern}'`)
    }
  } else if (schema.type === 'number' || schema.type === 'integer') {
    const isNumber = schema.type === 'integer' ? Number.isInteger(value) : Number.isFinite(value)
    const { minimum = -Infinity, maximum = Infinity } = schema
    if (!isNumber) yield wrong(schema.type)
    else if (Number(value) > maximum) yield wrong(`${schema.type} to be less or equal to ${maximum}`)
    else if (Number(value) < minimum) yield wrong(`${schema.type} to be greater or equal to ${minimum}`)
  } else if (schema.type === 'boolean') {
    if (typeof value !== 'boolean') yield wrong('boolean')
  } else if (schema.type === 'null') {
    if (value !== null) yield wrong('null')
  } else if (schema.type === 'array') {
    if (!Array.isArray(value)) yield wrong('array')
    else {
      const { minItems = 0, maxItems = Infinity } = schema
      if (value.length < minItems) yield wrong(`array length to be greater or equal to ${minItems}`)
      if (value.length > maxItems) yield wrong(`array length to be less or equal to ${maxItems}`)
      for (const [i, item] of value.entries()) yield* errorsOf(schema.items, item, `${path}/${i}`)
      const isRepeated = schema.uniqueItems && new Set(value.map(item => JSON.stringify(item))).size < value.length
      if (isRepeated) yield wrong('array elements to be unique')
    }
  } else if (schema.type === 'object') {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) yield wrong('object')
    else yield* errorsOfMembers(schema, value as Record<string, unknown>, path)
  }
}

function* errorsOfMembers(schema: TSchema, value: Record<string, unknown>, path: string): Generator<SchemaError> {
  const { properties = {}, required = [], patternProperties = {} } = schema
  const placeOf = (name: string) => `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
  for (const name of required) {
    if (Object.hasOwn(value, name)) continue
    const message = 'Expected required property'
    yield { path: placeOf(name), value: undefined, schema: properties[name], problem: 'missing', message }
  }
  const patterns = Object.entries<TSchema>(patternProperties).map(([pattern, inner]) => ({
    pattern: new RegExp(pattern),
    inner
  }))
  for (const [name, member] of Object.entries(value)) {
    const matching = patterns.find(({ pattern }) => pattern.test(name))
    if (matching) yield* errorsOf(matching.inner, member, placeOf(name))
    else if (schema.additionalProperties === false && !Object.hasOwn(properties, name)) {
      yield { path: placeOf(name), value: member, schema, problem: 'unknown', message: 'Unexpected property' }
    }
  }
  for (const [name, inner] of Object.entries<TSchema>(properties)) {
    if (required.includes(name) || value[name] !== undefined) yield* errorsOf(inner, value[name], placeOf(name))
  }
}
