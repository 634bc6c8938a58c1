// The contract's rules for a cart, the same for every option. An option only says where its fields are and how it writes
// numbers.
import {
  isAny,
  type Limit,
  Problem,
  problemFrom,
  type RefusedLine,
  type ValidationError,
  type ValidationErrorCode
} from '../errors.ts'
import { isCurrencyCode } from '../money.ts'
import { type Cart, type CartField, type Item, isHyphenatedUuid, MAX_SKU, type Pointer } from './cart.ts'

/** A field as it arrived. The option has already reported a `mistaken` one. */
export type SentField =
  | { is: 'text'; text: string }
  | { is: 'number'; literal: string }
  | { is: 'boolean' | 'null' | 'array' | 'object' | 'absent' | 'mistaken' }

export const ABSENT: SentField = { is: 'absent' }
export const MISTAKEN: SentField = { is: 'mistaken' }

/** One line as it arrived; `at` is its position as the sender counts. */
export type SentLine = { at: number; sku: SentField; quantity: SentField; price?: string }

/** A cart as it arrived, with the errors that the option already found. `mistaken` lines could not be told apart. */
export type SentCart = {
  lines: SentLine[] | 'mistaken'
  currency: SentField
  reference: SentField
  mistakes: ValidationError[]
}

export type FieldResult<T> = { value: T } | { code: ValidationErrorCode; detail: string; limit?: Limit }

export type CartRules = {
  maxItems: number
  /** The most that the merchant sells in one line: what is said of a wrong quantity names it. */
  maxQuantity: number
  pointer: Pointer
  readNumber: (field: SentField, maxQuantity: number) => FieldResult<number>
  readReference: (text: string) => FieldResult<string>
}

/** The most units of a line, whatever a merchant's own limit is. */
export const MAX_QUANTITY = 9999

/** The sender's text, shortened for a message, with everything unprintable escaped. */
export function quote(text: string): string {
  return JSON.stringify(text.length > 48 ? `${text.slice(0, 47)}…` : text)
}

/** For a message: `the number 5`, `null`, `an array`. */
export function describeField(field: SentField): string {
  if (field.is === 'number') return `the number ${field.literal.slice(0, 24)}`
  if (field.is === 'text') return `the string ${quote(field.text)}`
  return { null: 'null', boolean: 'a boolean', array: 'an array', object: 'an object' }[field.is as 'null'] ?? field.is
}

/** The same, to begin a sentence. */
export function describeCapitalised(field: SentField): string {
  return describeField(field).replace(/^./, first => first.toUpperCase())
}

/** The refusal of a reference. @param problem what is wrong and what would be right, before an example of it */
export function wrongReference(text: string, problem: string): FieldResult<string> {
  const bare = text.replaceAll('-', '')
  const detail = isHyphenatedUuid(text)
    ? `${quote(text)} has 36 characters and the contract allows 32; send the UUID without hyphens: "${bare}".`
    : `${quote(text)} ${problem}, such as "0f8fad5bd9cb469fa16570867728950e".`
  return { code: 'reference-invalid', detail }
}

/** @returns undefined for an invalid field, which has been reported */
function readText(field: SentField, read: (text: string) => FieldResult<string>): FieldResult<string> | undefined {
  if (field.is === 'text') return read(field.text)
  if (field.is === 'mistaken') return undefined
  if (field.is === 'absent') return { code: 'field-missing', detail: 'This field is required.' }
  return { code: 'field-type', detail: `This must be a string, not ${describeField(field)}.` }
}

/** Checks what `SKU_PATTERN` does, and says what is wrong. */
function readSku(text: string): FieldResult<string> {
  const wrong = (what: string): FieldResult<string> => ({
    code: 'sku-invalid',
    detail: `${quote(text)} ${what}; a SKU is 1 to ${MAX_SKU} characters without control characters.`
  })
  if (text === '') return wrong('is empty')
  if (text.length > 2 * MAX_SKU || (text.length > MAX_SKU && charactersIn(text) > MAX_SKU)) {
    return wrong(`is longer than ${MAX_SKU} characters`)
  }
  if (/\p{Cc}/u.test(text)) return wrong('holds a control character')
  if (!text.isWellFormed()) return wrong('holds half of a surrogate pair')
  return { value: text }
}

/** A surrogate pair counts once. */
function charactersIn(text: string): number {
  let count = text.length
  for (let i = 0; i < text.length; i++) if ((text.charCodeAt(i) & 0xfc00) === 0xd800) count--
  return count
}

function readQuantity(field: SentField, { readNumber, maxQuantity }: CartRules): FieldResult<number> | undefined {
  if (field.is === 'mistaken') return undefined
  if (field.is === 'absent') return { code: 'field-missing', detail: 'This field is required.' }
  const result = readNumber(field, maxQuantity)
  if (!('value' in result) || (result.value >= 1 && result.value <= MAX_QUANTITY)) return result
  return {
    code: 'quantity-invalid',
    detail: `${describeCapitalised(field)} is out of range; a quantity is a whole number from 1 to ${maxQuantity}.`,
    ...(result.value > MAX_QUANTITY && { limit: { units: maxQuantity } })
  }
}

function readCurrency(text: string): FieldResult<string> {
  if (isCurrencyCode(text)) return { value: text }
  return {
    code: 'currency-invalid',
    detail: `${quote(text)} is not an ISO 4217 alphabetic code in upper case, such as "GBP".`
  }
}

/**
 * Reads a whole cart, or throws (contract 2.1, 2.3, 2.4 and 8).
 * @throws Problem `contract-broken` with every error, or `too-many-lines`
 */
export function readCart(sent: SentCart, rules: CartRules): Cart {
  const { pointer, maxItems } = rules
  const mistakes = sent.mistakes.map(mistake => ({ ...mistake }))
  const take = <T, U>(result: FieldResult<T> | undefined, fallback: U, field: CartField, at?: number): T | U => {
    if (!result) return fallback
    if ('value' in result) return result.value
    mistakes.push({ pointer: pointer(field, at), ...result })
    return fallback
  }

  const sentReference = readText(sent.reference, rules.readReference)
  const sentLines = sent.lines === 'mistaken' ? [] : sent.lines
  const lines = sentLines.length
  if (lines > maxItems) {
    const detail = `The cart has ${lines} lines; this merchant takes at most ${maxItems}.`
    throw new Problem('too-many-lines', { detail, reference: recordedReference(sent.reference, sentReference), lines })
  }
  const items = sentLines.map(({ at, sku, quantity, price }): Item => {
    const item: Item = {
      sku: take(readText(sku, readSku), '', 'sku', at),
      quantity: take(readQuantity(quantity, rules), 0, 'quantity', at)
    }
    if (price !== undefined) item.price = price
    return item
  })
  const currency = take(readText(sent.currency, readCurrency), '', 'currency')
  const reference = take(sentReference, undefined, 'reference')

  if (lines === 0 && sent.lines !== 'mistaken') {
    mistakes.push({ pointer: pointer('items'), code: 'items-empty', detail: 'A cart holds at least one item.' })
  }
  if (isAny(mistakes)) {
    const bag = blameLines(mistakes, sentLines, items, pointer)
    const found = mistakes.length === 1 ? '1 mistake' : `${mistakes.length} mistakes`
    const detail = `${found} in the cart; nothing of it was taken.`
    throw problemFrom(mistakes, { detail, bag, reference: recordedReference(sent.reference, sentReference), lines })
  }
  return { reference: String(reference), currency, items }
}

/** The reference under which a refusal is recorded, even if it is a UUID that is too long only because of its hyphens. */
function recordedReference(sent: SentField, read: FieldResult<string> | undefined): string | undefined {
  if (read && 'value' in read) return read.value
  return sent.is === 'text' && isHyphenatedUuid(sent.text) ? sent.text : undefined
}

/** Adds to each error the SKU of its line, if that could be read. @returns those lines, each with its first error */
function blameLines(mistakes: ValidationError[], lines: SentLine[], items: Item[], pointer: Pointer): RefusedLine[] {
  const byPointer = new Map<string, RefusedLine>()
  items.forEach(({ sku, quantity }, i) => {
    if (sku === '') return
    const { at } = lines[i] as SentLine
    const line = { sku, ...(quantity > 0 && { quantity }) }
    for (const field of ['quantity', 'price'] as const) byPointer.set(pointer(field, at), line)
  })
  const blamed = new Set<RefusedLine>()
  for (const mistake of mistakes) {
    const line = byPointer.get(mistake.pointer)
    if (!line) continue
    mistake.sku = line.sku
    line.mistake ??= mistake.code
    if (mistake.limit) line.limit = mistake.limit
    blamed.add(line)
  }
  return [...blamed]
}
