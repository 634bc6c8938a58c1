// Files of JSON that people write, checked against a schema: what cannot be used is told with its file, its line, its
// key, what is wrong and what would be right.
import { readFileSync } from 'node:fs'
import type { TSchema } from '@sinclair/typebox'
import { Value, type ValueError, ValueErrorType } from '@sinclair/typebox/value'
import { type JsonSource, type Key, readJsonSource } from './json-source.ts'

/** Takes what is wrong at a place, and what would be right. */
export type Report = (key: Key, problem: string) => void

/** A part of a file that keeps no schema: where, what is wrong, and what would be right. */
export type ShapeMistake = { key: Key; problem: string; right: string }

/** Reads a file; what is not JSON in UTF-8 is added to the problems. @param what what the file should be */
export function openJson(file: string, what: string, problems: string[]): JsonSource | undefined {
  try {
    return readJsonSource(new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file)))
  } catch (error) {
    // JSON.parse quotes what it stumbles over, line breaks and all.
    const reason = (error as Error).message.replace(/\s+/g, ' ')
    problems.push(`${file}: ${reason}; give ${what} in plain JSON, without comments`)
    return undefined
  }
}

/** Adds to the problems with file and line. */
export function reportTo(problems: string[], file: string, source: JsonSource): Report {
  return (key, problem) => {
    const place = key.map((part, i) => (typeof part === 'number' ? `[${part}]` : `${i ? '.' : ''}${part}`)).join('')
    problems.push(`${file}:${source.lineOf(key)}: ${place || 'the file'}: ${problem}`)
  }
}

/** Finds what keeps no schema, one mistake for each place; a schema's description says what would be right. */
export function shapeMistakes(schema: TSchema, value: unknown): ShapeMistake[] {
  const found = new Map<string, ValueError>()
  for (const error of Value.Errors(schema, value)) {
    // The first error of a place says most: a missing key is not also of the wrong type.
    if (!found.has(error.path)) found.set(error.path, error)
  }
  return [...found.values()].map(({ path, type, value: sent, schema: { description } }) => {
    const right = String(description)
    return { key: toKey(path, value), problem: explain(type, sent, right), right }
  })
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

function explain(type: ValueErrorType, value: unknown, right: string): string {
  if (type === ValueErrorType.ObjectAdditionalProperties)
    return 'unknown key; leave it out, or look its name up in the README'
  if (type === ValueErrorType.ObjectRequiredProperty) return `missing; give ${right}`
  return wrongValue(value, right)
}

export function wrongValue(value: unknown, right: string): string {
  return `it is ${JSON.stringify(value).slice(0, 80)}; give ${right}`
}
