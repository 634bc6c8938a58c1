// A JSON file that a person writes, checked against a schema. Every mistake is reported with file, line, key, what is
// wrong and what would be right.
import { readFileSync } from 'node:fs'
import { type LocationRange, parse, type StringNode, type ValueNode } from '@humanwhocodes/momoa'
import type { TSchema } from '@sinclair/typebox'
import { Value, type ValueError, ValueErrorType, ValuePointer } from '@sinclair/typebox/value'

export type Key = (string | number)[]

/** @throws SyntaxError if it is not JSON, with the position in its message */
export function readJsonSource(text: string) {
  const value: unknown = JSON.parse(text)
  const lines = new Map<string, number>()
  const repeated: Key[] = []
  const visit = (node: ValueNode, { start }: LocationRange, key: Key): void => {
    const path = JSON.stringify(key)
    if (lines.has(path)) return void repeated.push(key)
    lines.set(path, start.line)
    if (node.type === 'Array') {
      for (const [i, { value }] of node.elements.entries()) visit(value, value.loc, [...key, i])
    } else if (node.type === 'Object') {
      for (const { name, value, loc } of node.members) visit(value, loc, [...key, (name as StringNode).value])
    }
  }
  const { body } = parse(text, { mode: 'json' })
  visit(body, body.loc, [])
  /** The line, counted from 1, of the deepest part of a key that exists. */
  const lineOf = (key: Key): number => lines.get(JSON.stringify(key)) ?? lineOf(key.slice(0, -1))
  return { value, lineOf, repeated }
}

export type ReportMistake = (key: Key, problem: string) => void

/** Why a file cannot be read or written, by the code of the error. */
export const NOT_OPENED: Record<string, string> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'this user may not open it'
}

export type JsonFile = {
  value: unknown
  placeOf: (key: Key) => string
  report: ReportMistake
}

/**
 * Duplicate keys are added to the problems, and so is why a file cannot be read.
 * @param what what the file should be
 */
export function openJsonFile(file: string, what: string, problems: string[]): JsonFile | undefined {
  try {
    const { value, lineOf, repeated } = readJsonSource(
      new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file))
    )
    const placeOf = (key: Key) => `${file}:${lineOf(key)}`
    const report: ReportMistake = (key, problem) => {
      const name = key.map((part, i) => (typeof part === 'number' ? `[${part}]` : `${i ? '.' : ''}${part}`)).join('')
      problems.push(`${placeOf(key)}: ${name || 'the file'}: ${problem}`)
    }
    for (const key of repeated) report(key, 'duplicate key; keep one')
    return { value, placeOf, report }
  } catch (error) {
    const notOpened = NOT_OPENED[String((error as { code?: string }).code)]
    // JSON.parse quotes the text that it fails on, line breaks included.
    const reason = (error as Error).message.replace(/\s+/g, ' ')
    const problem = notOpened
      ? `${notOpened}; give the path of ${what}`
      : `${reason}; give ${what} in plain JSON, without comments`
    problems.push(`${file}: ${problem}`)
    return undefined
  }
}

export type Setting = { key: Key; schema: TSchema; value: unknown }

/**
 * Checks a file against a schema, and reports every mistake. `each` has every setting in the file, valid or not: sections, what
 * is in them, items of lists. `settings` is the whole, with defaults filled in. Unknown keys are left out of it, so that what
 * else is wrong can still be found; with any other mistake it is absent.
 * @param manual the document that lists the keys
 */
export function checkValue(
  anySchema: TSchema,
  { value, report }: JsonFile,
  manual: string
): { settings?: unknown; each: Setting[] } {
  const schema = narrow(anySchema, value)
  const errors = new Map<string, ValueError>()
  for (const error of Value.Errors(schema, value)) {
    // The first error of a place is the most specific: a missing key is not also of the wrong type.
    if (!errors.has(error.path)) errors.set(error.path, error)
  }
  for (const error of errors.values()) report(...mistakeOf(error, schema, value, manual))
  const each = settingsIn(schema, value, [])
  const isUsable = errors.values().every(({ type }) => type === ValueErrorType.ObjectAdditionalProperties)
  return { each, ...(isUsable && { settings: Value.Default(schema, Value.Clean(schema, structuredClone(value))) }) }
}

/** Replaces every choice between kinds of object by the kind that the value is, if that can be told. */
function narrow(schema: TSchema, value: unknown): TSchema {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return schema
  const parts = value as Record<string, unknown>
  if (schema.anyOf) {
    const sections = (schema.anyOf as TSchema[]).filter(({ properties }) => properties !== undefined)
    const { name, known } = kindsOf(sections)
    const section = sections.length === 1 ? sections[0] : sections[known.indexOf(parts[name])]
    return section ? narrow(section, value) : schema
  }
  const properties = Object.entries<TSchema>(schema.properties ?? {})
  return { ...schema, properties: Object.fromEntries(properties.map(([key, part]) => [key, narrow(part, parts[key])])) }
}

/** The name of the key that tells kinds of object apart, and its value in each. */
function kindsOf(sections: TSchema[]): { name: string; known: unknown[] } {
  const [name = ''] = Object.entries<TSchema>(sections[0]?.properties ?? {}).find(([, part]) => 'const' in part) ?? []
  return { name, known: sections.map(({ properties }) => properties?.[name]?.const) }
}

/** The key of a mistake, what is wrong there, and what would be right, in the words of the schema's descriptions. */
function mistakeOf(error: ValueError, root: TSchema, value: unknown, manual: string): Parameters<ReportMistake> {
  const { type, value: sent, schema } = error
  const key = toKey(error.path, value)
  const right = String(schema.description)
  const { name, known } = kindsOf(schema.anyOf ?? [])
  const kind = partOf(sent, [name])
  if (type === ValueErrorType.ObjectAdditionalProperties) return [key, unknownKey(key, schema, root, value, manual)]
  if (type === ValueErrorType.ObjectRequiredProperty) return [key, `missing; give ${right}`]
  if (name !== '' && kind !== undefined) return [[...key, name], wrongName(kind, known)]
  if (!isPerhapsSecret(key, sent)) return [key, wrongValue(sent, right)]
  return [key, `it is no name of an environment variable; put the secret into one, and give ${right}`]
}

function settingsIn(schema: TSchema, value: unknown, key: Key): Setting[] {
  const { properties = {}, items } = schema
  const isList = Array.isArray(value)
  const isObject = typeof value === 'object' && value !== null
  const parts = Object.entries(isObject ? value : {}).flatMap(([name, part]) => {
    const known: TSchema | undefined = isList ? items : Object.hasOwn(properties, name) ? properties[name] : undefined
    return known ? settingsIn(known, part, [...key, isList ? Number(name) : name]) : []
  })
  return [{ key, schema, value }, ...parts]
}

/** @returns undefined if there is nothing at this key */
export function partOf(value: unknown, key: Key): unknown {
  return key.reduce((at, part) => (at as Record<string, unknown> | undefined)?.[part], value)
}

function toKey(pointer: string, root: unknown): Key {
  const key: Key = []
  for (const name of ValuePointer.Format(pointer)) key.push(Array.isArray(partOf(root, key)) ? Number(name) : name)
  return key
}

/** Suggests a missing key of this object with a similar name, or one elsewhere with the same name. */
function unknownKey(key: Key, { properties }: TSchema, root: TSchema, value: unknown, manual: string): string {
  const name = String(key.at(-1))
  const isFree = (path: Key) => partOf(value, path) === undefined
  const siblings = Object.keys(properties).filter(known => isFree([...key.slice(0, -1), known]))
  const elsewhere = namesIn(root).find(known => known.endsWith(`.${name}`) && isFree(known.split('.')))
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

export function wrongValue(value: unknown, right: string): string {
  return `it is ${JSON.stringify(value).slice(0, 80)}; give ${right}`
}

/** A name that is none of these, or is one without its quotation marks. */
function wrongName(sent: unknown, known: unknown[]): string {
  const names = known.map(name => JSON.stringify(name))
  const isUnquoted = names.includes(`"${sent}"`)
  return wrongValue(sent, isUnquoted ? `"${sent}", with its quotation marks` : `one of ${names.join(', ')}`)
}

/** The name that is closest to what was written, ignoring case; undefined if 40 % of the longer one would have to change. */
export function nearestName(written: string, names: string[]): string | undefined {
  const [nearest] = names
    .map(name => ({ name, changes: changesBetween(written.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, changes }) => changes <= Math.max(written.length, name.length) * 0.4)
    .toSorted((a, b) => a.changes - b.changes)
  return nearest?.name
}

function changesBetween(a: string, b: string): number {
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = Number(last[j - 1]) + (a[i - 1] === b[j - 1] ? 0 : 1)
      row.push(Math.min(replaced, Number(last[j]) + 1, Number(row[j - 1]) + 1))
    }
    last = row
  }
  return Number(last[b.length])
}
