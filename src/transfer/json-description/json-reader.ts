// Reads JSON (RFC 8259) in one pass: checks all of it, builds only the values that are asked for, and keeps what
// JSON.parse loses: names that occur twice, and how numbers are written.

import { quote } from '../../cart/read-cart.ts'
import { type MistakeCode, Refusal, refusalOf } from '../../errors.ts'
import { MAX_ENCODED } from '../limits.ts'

/** A value. Of an array or object only the type is kept. */
export type JsonValue =
  | { is: 'text'; text: string }
  | { is: 'number'; literal: string }
  | { is: 'boolean' | 'null' | 'array' | 'object' }

/** The most levels of arrays and objects, the outermost included (RFC 8259, section 9). The stack has room for thrice. */
const MAX_DEPTH = 1024

/** Longer than nearly every string, in characters. */
const SHORT = 128

const WHITESPACE = /[ \t\r\n]*/y
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const WORD = /true|false|null/y
/** Characters of a string; not all of them at once, as each repetition of a group takes memory. */
const CHARACTERS = /(?:[ !#-[\]-\uffff]+|\\(?:["\\/bfnrt]|u[\da-fA-F]{4})){1,256}/y

const SPACE = 0x20
const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_ARRAY = 0x5b
const BACKSLASH = 0x5c
const CLOSE_ARRAY = 0x5d
const LOWER_N = 0x6e
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Reads a body from its start to its end. The caller asks for one value after the other, in the order sent. Every method
 * throws a Refusal: `contract-broken` if the body is not JSON, `body-too-large` if it has too many values.
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
      throw unreadable('encoding-malformed', 'The body holds bytes that are not UTF-8.')
    }
  }

  isAt(type: 'object' | 'array'): boolean {
    return this.#next() === (type === 'object' ? OPEN_OBJECT : OPEN_ARRAY)
  }

  /** Reads a value. A string that is too long for any field of the contract is cut, with its escapes as written. */
  value(): JsonValue {
    this.#next()
    const start = this.#at
    const is = this.skip()
    if (is === 'text') return { is, text: textOf(this.#text.slice(start + 1, this.#at - 1)) }
    if (is === 'number') return { is, literal: this.#text.slice(start, this.#at) }
    return { is }
  }

  /** Skips a value. */
  skip(): JsonValue['is'] {
    const first = this.#next()
    if (first === QUOTE) {
      this.#skipString()
      return 'text'
    }
    if (first === OPEN_OBJECT) {
      this.members([])
      return 'object'
    }
    if (first === OPEN_ARRAY) {
      this.elements()
      return 'array'
    }
    if (this.#skipToken(NUMBER)) return 'number'
    if (this.#skipToken(WORD)) return first === LOWER_N ? 'null' : 'boolean'
    throw this.#unexpected('a value')
  }

  /** Reads an array. At each element it calls `read`, which reads or skips it; by default all are skipped. */
  elements(read?: () => void): void {
    this.#open()
    if (!this.#isClosed(CLOSE_ARRAY)) {
      do {
        this.#count()
        if (read) read()
        else this.skip()
      } while (this.#isContinued(CLOSE_ARRAY, '"," or "]"'))
    }
    this.#depth -= 1
  }

  /** Reads an object. At the value of each of these names it calls `read`, which reads or skips it; others are skipped. */
  members<Name extends string>(names: readonly Name[], read?: (name: Name) => void): void {
    this.#open()
    if (!this.#isClosed(CLOSE_OBJECT)) {
      do {
        this.#count()
        const name = this.#name(names)
        if (name !== undefined && read) read(name)
        else this.skip()
      } while (this.#isContinued(CLOSE_OBJECT, '"," or "}"'))
    }
    this.#depth -= 1
  }

  /** Checks that nothing follows. */
  end(): void {
    if (!Number.isNaN(this.#next())) throw this.#unexpected('the end of the body')
  }

  #open(): void {
    this.#at += 1
    this.#depth += 1
    if (this.#depth > MAX_DEPTH) throw malformed(`it is nested too deeply, more than ${MAX_DEPTH} levels`)
  }

  #isClosed(close: number): boolean {
    if (this.#next() !== close) return false
    this.#at += 1
    return true
  }

  /** Whether another element or member follows. */
  #isContinued(close: number, expected: string): boolean {
    if (this.#isClosed(close)) return false
    this.#expect(COMMA, expected)
    return true
  }

  #expect(character: number, expected: string): void {
    if (this.#next() !== character) throw this.#unexpected(expected)
    this.#at += 1
  }

  #count(): void {
    this.#values += 1
    if (this.#values > this.#maxValues) throw tooManyValues(this.#maxValues)
  }

  /** Skips whitespace. @returns the character after it; NaN at the end of the text */
  #next(): number {
    const character = this.#text.charCodeAt(this.#at)
    if (character > SPACE) return character
    this.#skipToken(WHITESPACE)
    return this.#text.charCodeAt(this.#at)
  }

  #skipToken(token: RegExp): boolean {
    token.lastIndex = this.#at
    if (!token.test(this.#text)) return false
    this.#at = token.lastIndex
    return true
  }

  /** Reads the name of a member up to its value. @returns undefined if it is none of these */
  #name<Name extends string>(names: readonly Name[]): Name | undefined {
    if (this.#next() !== QUOTE) throw this.#unexpected('a name in double quotes')
    const start = this.#at + 1
    // Nearly every name is one of these, without escapes; then its end is known.
    const plain = names.find(name => this.#text.startsWith(name, start) && this.#text[start + name.length] === '"')
    if (plain === undefined) this.#skipString()
    else this.#at = start + plain.length + 1
    const text = plain ?? textOf(this.#text.slice(start, this.#at - 1))
    this.#expect(COLON, '":"')
    return plain ?? names.find(name => name === text)
  }

  #skipString(): void {
    this.#at += 1
    const end = this.#at + SHORT
    let character = this.#text.charCodeAt(this.#at)
    while (character !== QUOTE) {
      // Most strings are short and plain, and starting a regular expression costs more than reading them.
      if (character >= SPACE && character !== BACKSLASH && this.#at < end) this.#at += 1
      else if (!this.#skipToken(CHARACTERS)) throw this.#unexpected('a character, an escape or the end of the string')
      character = this.#text.charCodeAt(this.#at)
    }
    this.#at += 1
  }

  #unexpected(expected: string): Refusal {
    return unexpectedAt(this.#text, this.#at, expected)
  }
}

/** @param written what is between the quotation marks of a string */
function textOf(written: string): string {
  if (written.length > MAX_ENCODED) return written.slice(0, MAX_ENCODED)
  return written.includes('\\') ? JSON.parse(`"${written}"`) : written
}

/** How far lines are counted, in characters: in megabytes that would take long. */
const MAX_COUNTED = 100_000

export function unreadable(code: MistakeCode, detail: string): Refusal {
  return refusalOf([{ pointer: '#', code, detail }], { detail })
}

export function malformed(reason: string): Refusal {
  return unreadable('json-malformed', `The body is not JSON that can be read: ${reason}.`)
}

export function tooManyValues(most: number): Refusal {
  const detail = `The body may have at most ${most} JSON values, those beyond the contract included; this one has more.`
  return new Refusal('body-too-large', { detail })
}

/** The refusal of a text that goes on differently from what is expected there. */
export function unexpectedAt(text: string, at: number, expected: string): Refusal {
  const character = text.codePointAt(at)
  const found = character === undefined ? 'the end of the body' : quote(String.fromCodePoint(character))
  return malformed(`expected ${expected}, found ${found} at ${placeOf(text, at)}`)
}

/** Line and column as editors count them, or the position in a long text. */
function placeOf(text: string, at: number): string {
  if (at > MAX_COUNTED) return `position ${at}`
  const lines = text.slice(0, at).split('\n')
  return `line ${lines.length}, column ${(lines.at(-1) as string).length + 1}`
}
