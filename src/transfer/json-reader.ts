// Reads JSON (RFC 8259) in one pass: checks all of it, builds only the values that are asked for, and keeps what
// JSON.parse loses: names that occur twice, and how numbers are written.
import type { CartField, Pointer } from '../cart/cart.ts'
import { describeNotUtf8, wholeNumber } from '../cart/exact-values.ts'
import {
  describeCapitalised,
  describeField,
  type FieldResult,
  MISTAKEN,
  quote,
  type SentField
} from '../cart/read-cart.ts'
import { Problem, problemFrom, type ValidationError, type ValidationErrorCode } from '../errors.ts'
import { MAX_ENCODED } from './option.ts'

/** The most levels of arrays and objects, the outermost included (RFC 8259, section 9). The stack has room for twice as many. */
const MAX_DEPTH = 1024

const WHITESPACE = /[ \t\r\n]*/y
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const WORD = /true|false|null/y
/** Characters of a string, some at a time, as each repetition of a group takes memory. */
const CHARACTERS = /(?:[ !#-[\]-\uffff]+|\\(?:["\\/bfnrt]|u[\da-fA-F]{4})){1,256}/y

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Reads a body from its start to its end. The caller asks for one value after the other, in the order sent. Every method
 * throws a Problem: `contract-broken` if the body is not JSON, `body-too-large` if it has too many values.
 */
export class JsonReader {
  readonly #text: string
  readonly #maxValues: number
  #at = 0
  #values = 0
  #depth = 0

  /** @param body UTF-8; a byte order mark is ignored @param maxValues the most members and elements, at any depth */
  constructor(body: Uint8Array, maxValues: number) {
    this.#maxValues = maxValues
    try {
      this.#text = utf8.decode(body)
    } catch {
      throw unreadable('encoding-malformed', `The body holds ${describeNotUtf8(body)}.`)
    }
  }

  isAt(type: 'object' | 'array'): boolean {
    return this.#next() === (type === 'object' ? '{' : '[')
  }

  /** Reads a value, but only the type of an array or object. A string too long for any field is cut, escapes as written. */
  value(): SentField {
    this.#next()
    const start = this.#at
    const is = this.skip()
    if (is === 'text') return { is, text: textOf(this.#text.slice(start + 1, this.#at - 1)) }
    if (is === 'number') return { is, literal: this.#text.slice(start, this.#at) }
    return { is }
  }

  /** Skips a value. @returns it as it was written */
  raw(): string {
    this.#next()
    const start = this.#at
    this.skip()
    return this.#text.slice(start, this.#at)
  }

  skip(): 'text' | 'number' | 'boolean' | 'null' | 'array' | 'object' {
    const first = this.#next()
    if (first === '"') {
      this.#skipString()
      return 'text'
    }
    if (first === '{') {
      this.members([])
      return 'object'
    }
    if (first === '[') {
      this.elements()
      return 'array'
    }
    if (this.#skipToken(NUMBER)) return 'number'
    if (this.#skipToken(WORD)) return first === 'n' ? 'null' : 'boolean'
    throw this.#unexpected('a value')
  }

  /** Reads an array. At each element it calls `read`, which reads or skips it; by default all are skipped. */
  elements(read: () => void = () => this.skip()): void {
    this.#each(']', read)
  }

  /** Reads an object. At the value of each of these names it calls `read`, which reads or skips it; others are skipped. */
  members<Name extends string>(names: readonly Name[], read?: (name: Name) => void): void {
    this.#each('}', () => {
      const name = this.#name(names)
      if (read && (names as readonly string[]).includes(name)) read(name as Name)
      else this.skip()
    })
  }

  /** Reads an object. At each value it calls `read`, which reads or skips it; a name too long for any is cut, as in `value`. */
  entries(read: (name: string) => void): void {
    this.#each('}', () => read(this.#name()))
  }

  end(): void {
    if (this.#next() !== '') throw this.#unexpected('the end of the body')
  }

  /** Calls `read` at each element or member, up to the end of the array or object. */
  #each(close: ']' | '}', read: () => void): void {
    this.#at += 1
    this.#depth += 1
    if (this.#depth > MAX_DEPTH) throw malformed(`it is nested too deeply, more than ${MAX_DEPTH} levels`)
    let isEnd = this.#next() === close
    while (!isEnd) {
      this.#count()
      read()
      isEnd = this.#next() === close
      if (!isEnd) this.#expect(',', `"," or "${close}"`)
    }
    this.#at += 1
    this.#depth -= 1
  }

  #expect(character: string, expected = `"${character}"`): void {
    if (this.#next() !== character) throw this.#unexpected(expected)
    this.#at += 1
  }

  #count(): void {
    this.#values += 1
    if (this.#values <= this.#maxValues) return
    const most = `at most ${this.#maxValues} JSON values, those beyond the contract included`
    throw new Problem('body-too-large', { detail: `The body may have ${most}; this one has more.` })
  }

  /** Skips whitespace. @returns the character after it; none at the end of the text */
  #next(): string {
    const character = this.#text[this.#at]
    if (character !== undefined && character > ' ') return character
    this.#skipToken(WHITESPACE)
    return this.#text[this.#at] ?? ''
  }

  #skipToken(token: RegExp): boolean {
    token.lastIndex = this.#at
    if (!token.test(this.#text)) return false
    this.#at = token.lastIndex
    return true
  }

  /** Reads the name of a member up to its value, fastest if it is one of these. */
  #name(names: readonly string[] = []): string {
    if (this.#next() !== '"') throw this.#unexpected('a name in double quotes')
    const start = this.#at + 1
    // Nearly every name is one of these, without escapes; then its end is known.
    const plain = names.find(name => this.#text.startsWith(name, start) && this.#text[start + name.length] === '"')
    if (plain === undefined) this.#skipString()
    else this.#at = start + plain.length + 1
    const text = plain ?? textOf(this.#text.slice(start, this.#at - 1))
    this.#expect(':')
    return text
  }

  #skipString(): void {
    this.#at += 1
    while (this.#text[this.#at] !== '"') {
      if (!this.#skipToken(CHARACTERS)) throw this.#unexpected('a character, an escape or the end of the string')
    }
    this.#at += 1
  }

  #unexpected(expected: string): Problem {
    const character = this.#text.codePointAt(this.#at)
    const found = character === undefined ? 'the end of the body' : quote(String.fromCodePoint(character))
    return malformed(`expected ${expected}, found ${found} at ${placeOf(this.#text, this.#at)}`)
  }
}

/** @param written what is between the quotation marks of a string */
function textOf(written: string): string {
  if (written.length > MAX_ENCODED) return written.slice(0, MAX_ENCODED)
  return written.includes('\\') ? JSON.parse(`"${written}"`) : written
}

export function unreadable(code: ValidationErrorCode, detail: string): Problem {
  return problemFrom([{ pointer: '#', code, detail }], { detail })
}

function malformed(reason: string): Problem {
  return unreadable('json-malformed', `The body is not JSON that can be read: ${reason}.`)
}

/** How far lines are counted, in characters: counting through megabytes would take long. */
const MAX_COUNTED = 100_000

/** Line and column as editors count them, or the position in a long text. */
function placeOf(text: string, at: number): string {
  if (at > MAX_COUNTED) return `position ${at}`
  const lines = text.slice(0, at).split('\n')
  return `line ${lines.length}, column ${(lines.at(-1) as string).length + 1}`
}

export type SentFields<Name extends CartField> = Record<Name, SentField>

/** Reads a field of an object. A repeated one is an error: the fields of a cart are never ambiguous. */
export function readFieldOnce<Name extends CartField>(
  reader: JsonReader,
  fields: SentFields<Name>,
  name: Name,
  mistakes: ValidationError[],
  pointer: Pointer,
  line?: number
): void {
  const { is } = fields[name]
  if (is === 'absent') {
    fields[name] = reader.value()
    return
  }
  reader.skip()
  if (is === 'mistaken') return
  fields[name] = MISTAKEN
  const detail = `The name "${name}" stands more than once in this object; it is ambiguous.`
  mistakes.push({ pointer: pointer(name, line), code: 'field-repeated', detail })
}

/** A JSON number that is whole; the string "2" is refused. */
export function readJsonNumber(field: SentField, maxQuantity: number): FieldResult<number> {
  if (field.is !== 'number') {
    return { code: 'field-type', detail: `This must be a number, such as 2, not ${describeField(field)}.` }
  }
  const isTooLong = field.literal.length > MAX_ENCODED
  const value = isTooLong ? undefined : wholeNumber(field.literal)
  if (value !== undefined) return { value }
  const problem = isTooLong ? `has more than ${MAX_ENCODED} characters` : 'is not whole'
  const detail = `${describeCapitalised(field)} ${problem}; a quantity is a whole number from 1 to ${maxQuantity}.`
  return { code: 'quantity-invalid', detail }
}
