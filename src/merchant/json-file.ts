// A JSON file that a person writes, checked against a schema. Every mistake is reported with file, line, key, what is
// wrong and what would be right.
import { readFileSync } from 'node:fs'
import type { TSchema } from '@sinclair/typebox'
import { Value, type ValueError, ValueErrorType } from '@sinclair/typebox/value'
import { type JsonSource, type Key, readJsonSource } from './json-source.ts'

/** Reports what is wrong at a key, and what would be right. */
export type ReportMistake = (key: Key, problem: string) => void

/** A place, what is wrong with it and what would be right. */
export type SchemaMistake = { key: Key; problem: string }

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
  return [...found.values()].map(({ path, type, value: sent, schema: { description } }) => {
    return { key: toKey(path, value), problem: explain(type, sent, String(description), manual) }
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

function explain(type: ValueErrorType, value: unknown, right: string, manual: string): string {
  if (type === ValueErrorType.ObjectAdditionalProperties) return `unknown key; leave it out, or look it up in ${manual}`
  if (type === ValueErrorType.ObjectRequiredProperty) return `missing; give ${right}`
  return wrongValue(value, right)
}

export function wrongValue(value: unknown, right: string): string {
  return `it is ${JSON.stringify(value).slice(0, 80)}; give ${right}`
}
