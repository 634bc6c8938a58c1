// A JSON file that a person writes, checked against a schema. Every mistake is reported with file, line, key, what is
// wrong and what would be right.
import { readFileSync } from 'node:fs'
import { type DocumentNode, parse, type StringNode, type ValueNode } from '@humanwhocodes/momoa'
import type { TSchema } from '@sinclair/typebox'
import { Value, type ValueError, ValueErrorType } from '@sinclair/typebox/value'

/** A place in a JSON document, from its root. */
export type Key = (string | number)[]

export type JsonSource = {
  value: unknown
  /** The line, counted from 1, of the deepest part of this key that exists. */
  lineOf: (key: Key) => number
  /** Keys that occur more than once in their object. */
  repeated: Key[]
}

/** @throws SyntaxError if it is not JSON, with the position in its message */
export function readJsonSource(text: string): JsonSource {
  const value = JSON.parse(text)
  const document: DocumentNode = parse(text, { mode: 'json' })
  const repeated: Key[] = []
  findRepeated(document.body, [], repeated)
  return { value, lineOf: key => lineOf(document.body, key), repeated }
}

function membersOf(node: ValueNode): { name: string | number; line: number; value: ValueNode }[] {
  if (node.type === 'Array') {
    return node.elements.map(({ value }, i) => ({ name: i, line: value.loc.start.line, value }))
  }
  if (node.type !== 'Object') return []
  return node.members.map(({ name, value, loc }) => ({ name: (name as StringNode).value, line: loc.start.line, value }))
}

function lineOf(root: ValueNode, key: Key): number {
  let node = root
  let line = node.loc.start.line
  for (const part of key) {
    const member = membersOf(node).find(({ name }) => name === part)
    if (!member) break
    ;({ line, value: node } = member)
  }
  return line
}

function findRepeated(node: ValueNode, key: Key, found: Key[]): void {
  const seen = new Set<string | number>()
  for (const { name, value } of membersOf(node)) {
    if (seen.has(name)) found.push([...key, name])
    seen.add(name)
    findRepeated(value, [...key, name], found)
  }
}

/** Reports what is wrong at a key, and what would be right. */
export type ReportMistake = (key: Key, problem: string) => void

/** A place, what is wrong with it and what would be right. */
export type SchemaMistake = { key: Key; problem: string; isUnknownKey: boolean }

/** Why a file cannot be opened, by the code of the system's error. */
const NOT_OPENED: Record<string, string> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'this user may not read it'
}

/** Reads a file; one that is not JSON in UTF-8 is added to the problems. @param what what the file should be */
export function openJsonFile(file: string, what: string, problems: string[]): JsonSource | undefined {
  try {
    return readJsonSource(new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file)))
  } catch (error) {
    const notOpened = NOT_OPENED[String((error as { code?: string }).code)]
    if (notOpened !== undefined) {
      problems.push(`${file}: ${notOpened}; give the path of ${what}`)
      return undefined
    }
    // JSON.parse quotes the text that it fails on, line breaks included.
    const reason = (error as Error).message.replace(/\s+/g, ' ')
    problems.push(`${file}: ${reason}; give ${what} in plain JSON, without comments`)
    return undefined
  }
}

/** Adds each mistake to the problems, with file and line, starting with duplicate keys. */
export function reportTo(problems: string[], file: string, source: JsonSource): ReportMistake {
  const report: ReportMistake = (key, problem) => {
    const place = key.map((part, i) => (typeof part === 'number' ? `[${part}]` : `${i ? '.' : ''}${part}`)).join('')
    problems.push(`${file}:${source.lineOf(key)}: ${place || 'the file'}: ${problem}`)
  }
  for (const key of source.repeated) report(key, 'duplicate key; keep one')
  return report
}

/** Validates a value: one mistake for each place. The schema's descriptions say what would be right. */
export function schemaMistakes(schema: TSchema, value: unknown, manual: string): SchemaMistake[] {
  const found = new Map<string, ValueError>()
  for (const error of Value.Errors(schema, value)) {
    // The first error of a place is the most specific: a missing key is not also of the wrong type.
    if (!found.has(error.path)) found.set(error.path, error)
  }
  return [...found.values()].flatMap(({ path, type, value: sent, schema: where }) => {
    const key = toKey(path, value)
    const only = onlySection(where, sent)
    if (only) {
      return schemaMistakes(only, sent, manual).map(inside => ({ ...inside, key: [...key, ...inside.key] }))
    }
    const isUnknownKey = type === ValueErrorType.ObjectAdditionalProperties
    if (isUnknownKey) return { key, isUnknownKey, problem: unknownKey(key, where, schema, value, manual) }
    const right = String(where.description)
    const isMissing = type === ValueErrorType.ObjectRequiredProperty
    if (isMissing) return { key, isUnknownKey, problem: `missing; give ${right}` }
    return { key, isUnknownKey, problem: isPerhapsSecret(key, sent) ? secretInFile(right) : wrongValue(sent, right) }
  })
}

/** If a value may be one kind of object or something else, an object is checked as that. */
function onlySection({ anyOf = [] }: TSchema, value: unknown): TSchema | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const sections = (anyOf as TSchema[]).filter(({ properties }) => properties !== undefined)
  return sections.length === 1 ? sections[0] : undefined
}

/** A part of a value that the schema knows. */
export type Setting = { key: Key; schema: TSchema; value: unknown }

/** Every setting of a value, whether it is valid or not, with its schema: sections, what is in them, items of lists. */
export function settingsIn(schema: TSchema, value: unknown, key: Key = []): Setting[] {
  const { properties = {}, items } = onlySection(schema, value) ?? schema
  const isList = Array.isArray(value)
  const isObject = typeof value === 'object' && value !== null
  const parts = Object.entries(isObject ? value : {}).flatMap(([name, part]) => {
    const known: TSchema | undefined = isList ? items : Object.hasOwn(properties, name) ? properties[name] : undefined
    return known ? settingsIn(known, part, [...key, isList ? Number(name) : name]) : []
  })
  return [{ key, schema, value }, ...parts]
}

/**
 * A value of which these are all mistakes, without its unknown keys, which do not hide what else is wrong, and with every
 * default filled in. Undefined if it has other mistakes.
 */
export function completeValue(schema: TSchema, value: unknown, mistakes: SchemaMistake[]): unknown {
  if (!mistakes.every(({ isUnknownKey }) => isUnknownKey)) return undefined
  for (const { key } of mistakes)
    delete (valueAt(value, key.slice(0, -1)) as Record<string, unknown>)[String(key.at(-1))]
  return Value.Default(schema, value)
}

/** @returns undefined if there is nothing at this key */
function valueAt(value: unknown, key: Key): unknown {
  return key.reduce((at, part) => (at as Record<string, unknown> | undefined)?.[part], value)
}

/** A JSON pointer as names and, in lists, indexes. */
function toKey(pointer: string, root: unknown): Key {
  let value = root
  return pointer
    .split('/')
    .slice(1)
    .map(part => {
      const name = part.replaceAll('~1', '/').replaceAll('~0', '~')
      const isIndex = Array.isArray(value)
      value = (value as Record<string, unknown> | undefined)?.[name]
      return isIndex ? Number(name) : name
    })
}

/** Probably a key of this object that is missing and has nearly this name, or one elsewhere that has it. */
function unknownKey(key: Key, { properties }: TSchema, root: TSchema, value: unknown, manual: string): string {
  const name = String(key.at(-1))
  const isFree = (path: Key) => valueAt(value, path) === undefined
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

/** Whether something else than names is at a key for names of variables: it may be the secret itself. */
function isPerhapsSecret(key: Key, value: unknown): boolean {
  const isForNames = key.some(part => /Variables?$/.test(String(part)))
  return isForNames && !/^\[?("[A-Z][A-Z0-9_]*",?)*\]?$/.test(JSON.stringify(value))
}

function secretInFile(right: string): string {
  return `it is no name of an environment variable; put the secret into one, and give ${right}`
}

export function wrongValue(value: unknown, right: string): string {
  return `it is ${JSON.stringify(value).slice(0, 80)}; give ${right}`
}

/** How much of a name may be wrong. */
const MOST_WRONG = 0.4

/** The name that was probably meant: the one that takes the fewest changes, unless it takes too many. Case does not matter. */
export function nearestName(written: string, names: string[]): string | undefined {
  const [nearest] = names
    .map(name => ({ name, changes: changesBetween(written.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, changes }) => changes <= Math.max(written.length, name.length) * MOST_WRONG)
    .toSorted((a, b) => a.changes - b.changes)
  return nearest?.name
}

/** How many characters have to be added, left out or replaced (Levenshtein). */
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
