// A JSON file that a person writes: its values with their lines, and its mistakes, all of them, each with file, line, key,
// what is wrong and what would be right.
import { isUtf8 } from 'node:buffer'
import { readFileSync } from 'node:fs'
import { type LocationRange, parse, type StringNode, type ValueNode } from '@humanwhocodes/momoa'
import { firstNotUtf8 } from '../cart/exact-values.ts'
import type { Key, ReportError } from '../transfer/option.ts'

/** Without a key, the file is not JSON; without a line too, it could not be read, or is nested too deeply. */
export type FileError = { file: string; line?: number; key?: Key; problem: string }

/** `shop.json:6: currencies[0]: it is "gbp"; give …` */
export function describeError({ file, line, key, problem }: FileError): string {
  const name = key?.map((part, i) => (typeof part === 'number' ? `[${part}]` : `${i ? '.' : ''}${part}`)).join('')
  const place = [file, ...(line === undefined ? [] : [line])].join(':')
  return [place, ...(name === undefined ? [] : [name || 'the file']), problem].join(': ')
}

const MAX_LEVELS = 100

/** @throws SyntaxError if it is not JSON, RangeError if it is nested too deeply */
export function readJsonSource(text: string) {
  const value: unknown = JSON.parse(text)
  const lines = new Map<string, number>()
  const repeated: Key[] = []
  const visit = (node: ValueNode, { start }: LocationRange, key: Key): void => {
    const path = JSON.stringify(key)
    if (key.length > MAX_LEVELS) throw new RangeError('too many levels')
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

/** Why a file cannot be read or written, by the code of the error. */
export const NOT_OPENED: Record<string, string> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'this user may not open it'
}

/** Why a file could not be opened. */
export function notOpened(error: Error): string {
  return NOT_OPENED[String((error as NodeJS.ErrnoException).code)] ?? error.message
}

export type JsonFile = { value: unknown; report: ReportError }

/**
 * Duplicate keys are added to the mistakes, and so is why a file cannot be read.
 * @param what what the file should be
 */
export function openJsonFile(file: string, what: string, mistakes: FileError[]): JsonFile | undefined {
  const refuse = (mistake: Omit<FileError, 'file'>) => void mistakes.push({ file, ...mistake })
  let bytes: Buffer
  try {
    bytes = readFileSync(file)
  } catch (error) {
    return refuse({ problem: `${notOpened(error as Error)}; give the path of ${what}` })
  }
  if (!isUtf8(bytes)) return refuse(encodingMistake(bytes))
  const text = new TextDecoder().decode(bytes)
  try {
    const { value, lineOf, repeated } = readJsonSource(text)
    const report: ReportError = (key, problem) => refuse({ line: lineOf(key), key, problem })
    for (const key of repeated) report(key, 'duplicate key; keep one')
    return { value, report }
  } catch (error) {
    const mistake = syntaxMistake(text, error as SyntaxError | RangeError)
    const right = `give ${what} in plain JSON: no comments, no comma before } or ], each text in one line between " and "`
    return refuse({ ...mistake, problem: `${mistake.problem}; ${right}` })
  }
}

function encodingMistake(bytes: Buffer): Omit<FileError, 'file'> {
  const at = firstNotUtf8(bytes)
  const rows = bytes.toString('utf8', 0, at).split('\n')
  const bad = bytes.subarray(at, at + 1)
  const found = `the byte 0x${bad.toString('hex')} ("${new TextDecoder('latin1').decode(bad)}" in Latin-1) is not UTF-8`
  const column = [...String(rows.at(-1))].length + 1
  return { line: rows.length, problem: `column ${column}: ${found}; save the file as UTF-8` }
}

/** In V8's words, where it names the place; its other messages quote the file, which may hold a secret. */
function syntaxMistake(text: string, { message }: SyntaxError | RangeError): Omit<FileError, 'file'> {
  const rows = text.trimEnd().split('\n')
  if (message.includes('end of JSON')) return { line: rows.length, problem: 'it ends too early' }
  const placed = /^(.*?)(?: in JSON)? at position \d+ \(line (\d+) column (\d+)\)$/.exec(message)
  const { line, column } = placed ? { line: Number(placed[2]), column: Number(placed[3]) } : unexpectedPlace(text)
  if (line === undefined || column === undefined) return { problem: 'it is nested too deeply' }
  const [found] = String(rows[line - 1]).slice(column - 1)
  const reason = placed?.[1]?.replace(/^./, first => first.toLowerCase())
  return { line, problem: `column ${column}: ${reason ?? `unexpected ${found ? `"${found}"` : 'end of the line'}`}` }
}

/** @returns no place if the text is wrong only in being nested too deeply, for us or for the parser */
function unexpectedPlace(text: string): { line?: number; column?: number } {
  let place: { line?: number; column?: number } = {}
  try {
    parse(text, { mode: 'json' })
  } catch (error) {
    place = error as typeof place
  }
  return place
}

/** @returns undefined if there is nothing at this key */
export function partOf(value: unknown, key: Key): unknown {
  return key.reduce((at, part) => (at as Record<string, unknown> | undefined)?.[part], value)
}
