// Values of a file checked against a schema. Every mistake says what is wrong and what would be right, in the words of the
// schema's descriptions.
import { type TSchema, Type } from '@sinclair/typebox'
import { Value, type ValueError, ValueErrorType, ValuePointer } from '@sinclair/typebox/value'
import { type JsonFile, type Key, partOf, type ReportMistake, withdraw } from './json-file.ts'
import { nearestName } from './nearest-name.ts'

export type Setting = { key: Key; schema: TSchema }

/**
 * Checks a file against a schema, and reports every mistake.
 * @param manual the document that lists the keys
 * @param whyUnwanted why a setting with this schema has to be left out, whatever is in it
 * @returns `settings`: the whole, with defaults filled in, and without unknown keys; absent if the file is no object.
 * Reading a setting that has been reported throws: whatever may depend on one is read in an `attempt`. `each`: every
 * setting in the file, valid or not: sections, what is in them, items of lists
 */
export function checkValue(
  anySchema: TSchema,
  { value, report }: JsonFile,
  manual: string,
  whyUnwanted: (schema: TSchema) => string | undefined = () => undefined
) {
  const schema = narrow(anySchema, value)
  const errors = new Map<string, ValueError>()
  for (const error of Value.Errors(schema, value)) {
    // The first error of a place is the most specific: a missing key is not also of the wrong type.
    if (!errors.has(error.path)) errors.set(error.path, error)
  }
  const each = settingsIn(schema, value, [])
  const unwanted = each.flatMap(({ key, schema }) => {
    const problem = whyUnwanted(schema)
    return problem === undefined ? [] : [{ key, problem }]
  })
  const isUnwanted = (path: string) =>
    unwanted.some(({ key }) => key.every((part, i) => part === toKey(path, value)[i]))
  for (const error of errors.values()) {
    if (!isUnwanted(error.path)) report(...mistakeOf(error, schema, value, manual))
  }
  if (errors.has('')) return { each, report }
  const settings = Value.Default(schema, Value.Clean(schema, structuredClone(value)))
  for (const { type, path } of errors.values()) {
    if (type !== ValueErrorType.ObjectAdditionalProperties) withdraw(settings, toKey(path, value))
  }
  const reportAndWithdraw: ReportMistake = (key, problem) => {
    report(key, problem)
    withdraw(settings, key)
  }
  for (const { key, problem } of unwanted) reportAndWithdraw(key, problem)
  return { settings, each, report: reportAndWithdraw }
}

/**
 * Replaces every choice between kinds of object, also in a list, by the kind that the value is. If that cannot be told, only
 * what all kinds share is checked and kept.
 */
function narrow(schema: TSchema, value: unknown): TSchema {
  if (typeof value !== 'object' || value === null) return schema
  if (Array.isArray(value)) {
    const list = [schema, ...(schema.anyOf ?? [])].find(({ items }) => items?.anyOf)
    return list && value.length > 0 ? Type.Tuple(value.map(part => narrow(list.items, part))) : schema
  }
  const parts = value as Record<string, unknown>
  const kinds = ((schema.anyOf ?? []) as TSchema[]).filter(({ properties }) => properties !== undefined)
  if (kinds.length > 0) {
    const { name, known } = kindsOf(kinds)
    const kind = kinds.length === 1 ? kinds[0] : kinds[known.indexOf(parts[name])]
    return { ...narrow(kind ?? sharedBy(kinds), value), kinds }
  }
  const properties = Object.entries<TSchema>(schema.properties ?? {})
  return { ...schema, properties: Object.fromEntries(properties.map(([key, part]) => [key, narrow(part, parts[key])])) }
}

/** The name of the key that tells kinds of object apart, and its value in each. */
function kindsOf(kinds: TSchema[]): { name: string; known: unknown[] } {
  const [name = ''] = Object.entries<TSchema>(kinds[0]?.properties).find(([, part]) => 'const' in part) ?? []
  return { name, known: kinds.map(({ properties }) => properties?.[name]?.const) }
}

/** What is the same in all kinds of an object, and the key that tells them apart. */
function sharedBy(kinds: TSchema[]): TSchema {
  const { name, known } = kindsOf(kinds)
  const isSame = (key: string) => new Set(kinds.map(({ properties }) => JSON.stringify(properties[key]))).size === 1
  const shared = Object.entries<TSchema>(kinds[0]?.properties).filter(([key]) => isSame(key))
  const description = `one of ${known.map(one => JSON.stringify(one)).join(', ')}`
  const literals = known.map(one => Type.Literal(one as string))
  return Type.Object({ ...Object.fromEntries(shared), [name]: Type.Union(literals, { description }) })
}

/** The key of a mistake, what is wrong there, and what would be right. */
function mistakeOf(error: ValueError, root: TSchema, value: unknown, manual: string): Parameters<ReportMistake> {
  const { type, value: sent, schema } = error
  const key = toKey(error.path, value)
  const right = String(schema.description)
  if (type === ValueErrorType.ObjectAdditionalProperties) return [key, unknownKey(key, schema, root, value, manual)]
  if (type === ValueErrorType.ObjectRequiredProperty) return [key, `missing; give ${right}`]
  if (isPerhapsSecret(key, sent)) {
    return [key, `it is not the name of an environment variable; put the secret into one, and give ${right}`]
  }
  // The name of a kind, written as a number.
  const isUnquoted = typeof sent === 'number' && schema.anyOf?.some((one: TSchema) => one.const === `${sent}`)
  return [key, wrongValue(sent, isUnquoted ? `"${sent}", with its quotation marks` : right)]
}

function settingsIn(schema: TSchema, value: unknown, key: Key): Setting[] {
  const { properties = {}, items } = schema
  const isList = Array.isArray(value)
  const isObject = typeof value === 'object' && value !== null
  const parts = Object.entries(isObject ? value : {}).flatMap(([name, part]) => {
    const listed = Array.isArray(items) ? items[Number(name)] : items
    const named = Object.hasOwn(properties, name) ? properties[name] : undefined
    const known: TSchema | undefined = isList ? listed : named
    return known ? settingsIn(known, part, [...key, isList ? Number(name) : name]) : []
  })
  return [{ key, schema }, ...parts]
}

function toKey(pointer: string, root: unknown): Key {
  const key: Key = []
  for (const name of ValuePointer.Format(pointer)) key.push(Array.isArray(partOf(root, key)) ? Number(name) : name)
  return key
}

/**
 * Says which kinds of this object have the key, or suggests a missing one: the same place at the top, a similar name here, or
 * the same name elsewhere, unless it is that of several keys and nothing tells which is meant.
 */
function unknownKey(key: Key, schema: TSchema, root: TSchema, value: unknown, manual: string): string {
  const name = String(key.at(-1))
  const others = ((schema.kinds ?? []) as TSchema[]).filter(({ properties }) => Object.hasOwn(properties, name))
  if (others.length > 0) {
    const { name: by, known } = kindsOf(others)
    const having = known.map(one => JSON.stringify(one)).join(' or ')
    const own = JSON.stringify(partOf(value, [...key.slice(0, -1), by]))
    return `it is for ${by} ${having} only, and this is ${own}; leave it out`
  }
  const isFree = (path: Key) => partOf(value, path) === undefined
  const siblings = Object.keys(schema.properties).filter(known => isFree([...key.slice(0, -1), known]))
  const written = `.${key.join('.')}`
  const named = [...new Set(namesIn(root))].filter(known => `.${known}`.endsWith(`.${name}`))
  const free = named.filter(known => isFree(known.split('.')))
  const atTop = free.find(known => written.endsWith(`.${known}`) && (known.includes('.') || named.length === 1))
  if (atTop !== undefined) return `unknown key; did you mean "${atTop}", at the top of the file?`
  const elsewhere =
    free.find(known => key.length > 1 && `.${known}`.endsWith(written)) ??
    free.find(known => known.startsWith(`${key[0]}.`) || named.length === 1)
  const meant = nearestName(name, siblings) ?? elsewhere
  return `unknown key; ${meant === undefined ? `leave it out, or look it up in ${manual}` : `did you mean "${meant}"?`}`
}

/** The names of all keys that are not in a list: `checkout.taxText`. */
function namesIn({ properties = {}, anyOf = [] }: TSchema): string[] {
  const here = Object.entries(properties as Record<string, TSchema>).flatMap(([name, schema]) => [
    name,
    ...namesIn(schema).map(inner => `${name}.${inner}`)
  ])
  return [...here, ...(anyOf as TSchema[]).flatMap(namesIn)]
}

/** A value that should name a variable, but does not look like a name, may be the secret itself. */
function isPerhapsSecret(key: Key, value: unknown): boolean {
  const isForNames = key.some(part => /Variables?$/.test(String(part)))
  return isForNames && !/^\[?("[A-Z][A-Z0-9_]*",?)*\]?$/.test(JSON.stringify(value))
}

const LOGIN = /^(\s*(?:https?:[/\\]*|[a-z][\w+.-]*:\/\/))(?:.*:.*|[^/?#]*)@/is

/** A value as messages show it: without a login in an address, and not all of a long one. */
export function shown(value: unknown): string {
  const hide = (_: string, part: unknown) => (typeof part === 'string' ? part.replace(LOGIN, '$1…@') : part)
  return JSON.stringify(value, hide).replace(/^(.{79})..+/su, '$1…')
}

export function wrongValue(value: unknown, right: string): string {
  return `it is ${shown(value)}; give ${right}`
}
