// Values of a file checked against a schema. Every mistake says what is wrong and what would be right, in the words of the
// schema's descriptions.
import type { Static, TSchema } from '@sinclair/typebox'
import { Value, type ValueError, ValueErrorType, ValuePointer } from '@sinclair/typebox/value'
import type { Key } from '../transfer/option.ts'
import { type JsonFile, partOf } from './json-file.ts'
import { nearestName } from './nearest-name.ts'

export type Setting = { key: Key; schema: TSchema; value: unknown }

/**
 * Checks a file against a schema, and reports every mistake. What a schema cannot express is in its `problemOf`: a function that
 * gets a value of the right type, and its key, and returns what is wrong and what would be right, if anything is.
 * @param manual the document that lists the keys
 * @returns the settings with defaults filled in; undefined if anything is wrong
 */
export function checkValue<Schema extends TSchema>(
  schema: Schema,
  { value, report }: JsonFile,
  manual: string
): Static<Schema> | undefined {
  const wrong = new Set<string>()
  /** The first mistake of a place is the most specific: a missing key is not also of the wrong type. */
  const tell = (key: Key, find: () => string | undefined) => {
    const place = JSON.stringify(key)
    const problem = wrong.has(place) ? undefined : find()
    if (problem === undefined) return
    wrong.add(place)
    report(key, problem)
  }
  for (const error of innermost(Value.Errors(schema, value))) {
    const key = toKey(error.path, value)
    tell(key, () => problemOf(error, key, schema, value, manual))
  }
  for (const { key, schema: part, value: sent } of settingsIn(schema, value)) {
    if (part.problemOf && Value.Check(part, sent)) tell(key, () => part.problemOf(sent, key))
  }
  return wrong.size === 0 ? (Value.Default(schema, value) as Static<Schema>) : undefined
}

/** In a choice, an object is meant as the kind that is one, and a list as the list of kinds: what is wrong there. */
function* innermost(errors: Iterable<ValueError>): Iterable<ValueError> {
  for (const error of errors) {
    const { value, schema } = error
    const isMeant = (kind: TSchema) =>
      Array.isArray(value) ? value.length > 0 && kind.items : isObject(value) && kind.properties
    const inner = error.errors[((schema.anyOf ?? []) as TSchema[]).findIndex(isMeant)]
    if (inner) yield* innermost(inner)
    else yield error
  }
}

/** Every setting in a file that has a schema, valid or not: sections, what is in them, items of lists. */
export function* settingsIn(schema: TSchema, value: unknown, key: Key = []): Iterable<Setting> {
  yield { key, schema, value }
  for (const kind of (schema.anyOf ?? []) as TSchema[]) {
    if (Value.Check(kind, value)) yield* settingsIn(kind, value, key)
  }
  const { properties = {}, patternProperties = {}, items } = schema
  const [anyNamed] = Object.values<TSchema>(patternProperties)
  if (Array.isArray(value)) {
    // A list has a schema for all of it, or one for each place.
    const all = [items ?? []].flat()
    for (const [i, item] of value.entries()) {
      const part = all[i] ?? all[0]
      if (part) yield* settingsIn(part, item, [...key, i])
    }
  } else if (isObject(value)) {
    for (const [name, part] of Object.entries(value)) {
      const known: TSchema | undefined = Object.hasOwn(properties, name) ? properties[name] : anyNamed
      if (known) yield* settingsIn(known, part, [...key, name])
    }
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/** What is wrong there, and what would be right. */
function problemOf({ type, value: sent, schema }: ValueError, key: Key, root: TSchema, value: unknown, manual: string) {
  const right = String(schema.description)
  if (schema.refusal !== undefined) return String(schema.refusal)
  if (type === ValueErrorType.ObjectAdditionalProperties) return unknownKey(key, schema, root, value, manual)
  if (type === ValueErrorType.ObjectRequiredProperty) return `missing; give ${right}`
  if (isPerhapsSecret(key, sent)) {
    return `it is not the name of an environment variable; put the secret into one, and give ${right}`
  }
  // The name of a kind, written as a number.
  const isUnquoted = typeof sent === 'number' && schema.anyOf?.some((one: TSchema) => one.const === `${sent}`)
  return wrongValue(sent, isUnquoted ? `"${sent}", with its quotation marks` : right)
}

function toKey(pointer: string, root: unknown): Key {
  const key: Key = []
  for (const name of ValuePointer.Format(pointer)) key.push(Array.isArray(partOf(root, key)) ? Number(name) : name)
  return key
}

/**
 * Suggests a missing key: the same place at the top, a similar name here, or the same name elsewhere, unless it is that of
 * several keys and nothing tells which is meant.
 */
function unknownKey(key: Key, schema: TSchema, root: TSchema, value: unknown, manual: string): string {
  const name = String(key.at(-1))
  const isFree = (path: Key) => partOf(value, path) === undefined
  const siblings = partsOf(schema)
    .map(([known]) => known)
    .filter(known => isFree([...key.slice(0, -1), known]))
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
function namesIn(schema: TSchema): string[] {
  const here = partsOf(schema).flatMap(([name, part]) => [name, ...namesIn(part).map(inner => `${name}.${inner}`)])
  return [...here, ...((schema.anyOf ?? []) as TSchema[]).flatMap(namesIn)]
}

/** The keys that an object may have. */
function partsOf({ properties = {} }: TSchema): [name: string, part: TSchema][] {
  return Object.entries<TSchema>(properties).filter(([, { refusal }]) => refusal === undefined)
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
