// Reads the JSON body of option 1 (contract 2.1) exactly: nothing is coerced, repeated names are refused, numbers are
// read as written.
import { type ObjectNode, parse, type StringNode, type ValueNode } from '@humanwhocodes/momoa'
import type { Cart, Pointer } from '../../cart/cart.ts'
import {
  describeField,
  type FieldResult,
  quote,
  readCart,
  type SentCart,
  type SentField,
  type SentLine
} from '../../cart/read-cart.ts'
import { isHyphenatedUuid, isUuid } from '../../cart/reference.ts'
import { wholeNumber } from '../../cart/whole-number.ts'
import { type Mistake, type MistakeCode, type Refusal, refusalOf } from '../../errors.ts'

export const jsonPointer: Pointer = (field, line) => (line === undefined ? `#/${field}` : `#/items/${line}/${field}`)

export type JsonRules = {
  maxItems: number
  /** Whether the 36-character form of a UUID is accepted too, though it exceeds the contract's 32 characters. */
  acceptHyphenated: boolean
}

/**
 * Reads a cart transfer request.
 * @throws Refusal `contract-broken` with every mistake, or `too-many-lines`
 */
export function readJsonCart(body: Uint8Array, { maxItems, acceptHyphenated }: JsonRules): Cart {
  const text = decodeUtf8(body)
  const readReference = (reference: string) => readUuid(reference, acceptHyphenated)
  const rules = { maxItems, pointer: jsonPointer, readNumber, readReference }
  const plain = readPlainCart(text)
  if (plain) return readCart(plain, rules)
  // The syntax tree keeps what a value loses: repeated names, and how numbers are written.
  const root = readable<ValueNode>(() => parse(text, { mode: 'json' }).body)
  if (root.type !== 'Object') {
    throw unreadable('field-type', `The body must be an object, not ${describeField(fieldOf(root, text))}.`)
  }
  const mistakes: Mistake[] = []
  const addMistake = (at: string, code: MistakeCode, detail: string) => mistakes.push({ pointer: at, code, detail })

  /** The value of a name that may occur once in its object: fields of the contract are never ambiguous. */
  const onlyValue = (object: ObjectNode, name: string, at: string): ValueNode | 'absent' | 'mistaken' => {
    const [first, second] = object.members.filter(member => nameOf(member) === name)
    if (!first) return 'absent'
    if (!second) return first.value
    addMistake(at, 'field-repeated', `The name "${name}" stands more than once in this object; it is ambiguous.`)
    return 'mistaken'
  }
  const field = (object: ObjectNode, name: string, at: string): SentField => {
    const value = onlyValue(object, name, at)
    return typeof value === 'string' ? { is: value } : fieldOf(value, text)
  }
  const lines = (): SentLine[] | 'mistaken' => {
    const items = onlyValue(root, 'items', jsonPointer('items'))
    if (items === 'mistaken') return items
    if (items === 'absent') {
      addMistake(jsonPointer('items'), 'field-missing', 'This field is required.')
      return 'mistaken'
    }
    if (items.type !== 'Array') {
      addMistake(
        jsonPointer('items'),
        'field-type',
        `This must be an array, not ${describeField(fieldOf(items, text))}.`
      )
      return 'mistaken'
    }
    // A cart with too many lines is refused for their number; they need not be read.
    if (items.elements.length > maxItems) return items.elements.map((_, at) => mistakenLine(at))
    return items.elements.map(({ value: item }, at): SentLine => {
      if (item.type === 'Object') {
        const sku = field(item, 'sku', jsonPointer('sku', at))
        return { at, sku, quantity: field(item, 'quantity', jsonPointer('quantity', at)) }
      }
      addMistake(`#/items/${at}`, 'field-type', `An item must be an object, not ${describeField(fieldOf(item, text))}.`)
      return mistakenLine(at)
    })
  }
  const sent = {
    lines: lines(),
    currency: field(root, 'currency', jsonPointer('currency')),
    reference: field(root, 'reference', jsonPointer('reference')),
    mistakes
  }
  return readCart(sent, rules)
}

type PlainCart = { items: { sku: string; quantity: number }[]; currency: string; reference: string }

/**
 * Reads a body that has every field, each of its type, and that JSON.stringify writes back unchanged, as most platforms
 * send it: then no name occurs twice in it, and its numbers are as written. A syntax tree would take several times as long.
 * @returns undefined for any other body
 */
function readPlainCart(text: string): SentCart | undefined {
  const plain = readable(() => {
    const body: unknown = JSON.parse(text)
    return isPlainCart(body) && JSON.stringify(body) === text ? body : undefined
  })
  if (!plain) return undefined
  const { items, currency, reference } = plain
  return {
    lines: items.map(({ sku, quantity }, at) => ({
      at,
      sku: { is: 'text', text: sku },
      quantity: { is: 'number', literal: String(quantity) }
    })),
    currency: { is: 'text', text: currency },
    reference: { is: 'text', text: reference },
    mistakes: []
  }
}

function isPlainCart(body: unknown): body is PlainCart {
  const { items, currency, reference } = (body ?? {}) as Partial<PlainCart>
  return (
    typeof currency === 'string' &&
    typeof reference === 'string' &&
    Array.isArray(items) &&
    items.every(item => typeof item?.sku === 'string' && typeof item.quantity === 'number')
  )
}

function mistakenLine(at: number): SentLine {
  return { at, sku: { is: 'mistaken' }, quantity: { is: 'mistaken' } }
}

function unreadable(code: MistakeCode, detail: string): Refusal {
  return refusalOf([{ pointer: '#', code, detail }], { detail })
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function decodeUtf8(body: Uint8Array): string {
  try {
    return utf8.decode(body)
  } catch {
    throw unreadable('encoding-malformed', 'The body holds bytes that are not UTF-8.')
  }
}

/** @throws Refusal if the text is not JSON, or is nested too deeply */
function readable<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    const reason = error instanceof SyntaxError ? error.message : 'it is nested too deeply'
    throw unreadable('json-malformed', `The body is not JSON that can be read: ${reason}.`)
  }
}

function nameOf({ name }: ObjectNode['members'][number]): string {
  return (name as StringNode).value
}

function fieldOf(node: ValueNode, text: string): SentField {
  switch (node.type) {
    case 'String':
      return { is: 'text', text: node.value }
    case 'Number':
      return { is: 'number', literal: text.slice(node.loc.start.offset, node.loc.end.offset) }
    default:
      return { is: node.type.toLowerCase() as 'boolean' | 'null' | 'array' | 'object' }
  }
}

/** A JSON number that is whole; the string "2" is refused. */
function readNumber(field: SentField): FieldResult<number> {
  if (field.is !== 'number') {
    return { code: 'field-type', detail: `This must be a number, such as 2, not ${describeField(field)}.` }
  }
  const value = wholeNumber(field.literal)
  if (value !== undefined) return { value }
  const detail = `${describeField(field)} is not whole; a quantity is a whole number from 1 to 9999.`
  return { code: 'quantity-invalid', detail }
}

/** A UUID of 32 hexadecimal digits: contract 2.1 requires a UUID, contract 8 allows 32 characters. */
function readUuid(text: string, acceptHyphenated: boolean): FieldResult<string> {
  if (isUuid(text) || (acceptHyphenated && isHyphenatedUuid(text))) return { value: text }
  const detail = isHyphenatedUuid(text)
    ? `${quote(text)} has 36 characters and the contract allows 32; send the UUID without hyphens: "${text.replaceAll('-', '')}".`
    : `${quote(text)} is not a UUID in 32 hexadecimal digits.`
  return { code: 'reference-invalid', detail }
}
