// Reads the JSON body of option 1 (contract 2.1) strictly: nothing is coerced, repeated names are refused, numbers are
// read as written.
import { type Cart, type CartField, isHyphenatedUuid, isUuid, type Pointer } from '../../cart/cart.ts'
import { wholeNumber } from '../../cart/exact-values.ts'
import {
  describeCapitalised,
  describeField,
  type FieldResult,
  MAX_QUANTITY,
  readCart,
  type SentCart,
  type SentField,
  type SentLine,
  wrongReference
} from '../../cart/read-cart.ts'
import type { ValidationError } from '../../errors.ts'
import { type Attribution, addAttribution, withAttribution } from '../attribution.ts'
import { MAX_ENCODED, maxValues, type ReadContext } from '../option.ts'
import { JsonReader, unreadable } from './json-reader.ts'
import type { JsonSettings } from './settings.ts'

export const jsonPointer: Pointer = (field, line) => (line === undefined ? `#/${field}` : `#/items/${line}/${field}`)

type JsonRules = Pick<ReadContext<Pick<JsonSettings, 'acceptHyphenated'>>, 'maxItems' | 'settings'>

/** @throws Problem `contract-broken` with every error, `too-many-lines` or `body-too-large` */
export function readJsonCart(body: Uint8Array, { maxItems, settings: { acceptHyphenated = false } }: JsonRules): Cart {
  const reader = new JsonReader(body, maxValues(maxItems))
  if (!reader.isAt('object')) {
    const root = reader.value()
    reader.end()
    throw unreadable('field-type', `The body must be an object, not ${describeField(root)}.`)
  }
  const root: Fields<(typeof ROOT_FIELDS)[number]> = { items: ABSENT, currency: ABSENT, reference: ABSENT }
  const rootMistakes: ValidationError[] = []
  const lineMistakes: ValidationError[] = []
  let lines: SentLine[] = []
  const attribution: Attribution = {}
  reader.members(ROOT_NAMES, name => {
    if (name === 'attribution') readAttribution(reader, attribution)
    else if (name === 'items' && root.items.is === 'absent' && reader.isAt('array')) {
      root.items = { is: 'array' }
      lines = readItems(reader, maxItems, lineMistakes)
    } else readField(reader, root, name, rootMistakes)
  })
  reader.end()
  const { items, currency, reference } = root
  const areRead = items.is === 'array'
  const sent: SentCart = {
    lines: areRead ? lines : 'mistaken',
    currency,
    reference,
    mistakes: [...(areRead ? lineMistakes : itemsMistake(items)), ...rootMistakes]
  }
  const readReference = (text: string) => readUuid(text, acceptHyphenated)
  const cart = readCart(sent, { maxItems, pointer: jsonPointer, readNumber, readReference })
  return withAttribution(cart, attribution)
}

type Fields<Name extends CartField> = Record<Name, SentField>

const ROOT_FIELDS = ['items', 'currency', 'reference'] as const
const ROOT_NAMES = [...ROOT_FIELDS, 'attribution'] as const
const LINE_FIELDS = ['sku', 'quantity'] as const

const ABSENT: SentField = { is: 'absent' }
const MISTAKEN: SentField = { is: 'mistaken' }

/** Reads a field of an object. A repeated one is an error: the fields of the contract are never ambiguous. */
function readField<Name extends CartField>(
  reader: JsonReader,
  fields: Fields<Name>,
  name: Name,
  mistakes: ValidationError[],
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
  mistakes.push({ pointer: jsonPointer(name, line), code: 'field-repeated', detail })
}

/** Anything but texts by name is ignored. */
function readAttribution(reader: JsonReader, attribution: Attribution): void {
  if (!reader.isAt('object')) return void reader.skip()
  reader.entries(name => {
    const value = reader.value()
    if (value.is === 'text' && value.text.length < MAX_ENCODED) addAttribution(attribution, name, () => value.text)
  })
}

function readItems(reader: JsonReader, maxItems: number, mistakes: ValidationError[]): SentLine[] {
  const lines: SentLine[] = []
  reader.elements(() => {
    const at = lines.length
    const line: SentLine = { at, sku: ABSENT, quantity: ABSENT }
    lines.push(line)
    // A cart with too many lines is refused for that; the lines need not be read.
    if (at >= maxItems) reader.skip()
    else if (reader.isAt('object')) {
      reader.members(LINE_FIELDS, name => readField(reader, line, name, mistakes, at))
    } else {
      const detail = `An item must be an object, not ${describeField(reader.value())}.`
      mistakes.push({ pointer: `#/items/${at}`, code: 'field-type', detail })
      line.sku = line.quantity = MISTAKEN
    }
  })
  return lines
}

function itemsMistake(items: SentField): ValidationError[] {
  if (items.is === 'mistaken') return []
  const pointer = jsonPointer('items')
  if (items.is === 'absent') return [{ pointer, code: 'field-missing', detail: 'This field is required.' }]
  return [{ pointer, code: 'field-type', detail: `This must be an array, not ${describeField(items)}.` }]
}

/** A JSON number that is whole; the string "2" is refused. */
function readNumber(field: SentField): FieldResult<number> {
  if (field.is !== 'number') {
    return { code: 'field-type', detail: `This must be a number, such as 2, not ${describeField(field)}.` }
  }
  const isTooLong = field.literal.length > MAX_ENCODED
  const value = isTooLong ? undefined : wholeNumber(field.literal)
  if (value !== undefined) return { value }
  const problem = isTooLong ? `has more than ${MAX_ENCODED} characters` : 'is not whole'
  const detail = `${describeCapitalised(field)} ${problem}; a quantity is a whole number from 1 to ${MAX_QUANTITY}.`
  return { code: 'quantity-invalid', detail }
}

/** A UUID of 32 hexadecimal digits: contract 2.1 requires a UUID, contract 8 allows 32 characters. */
function readUuid(text: string, acceptHyphenated: boolean): FieldResult<string> {
  if (isUuid(text) || (acceptHyphenated && isHyphenatedUuid(text))) return { value: text }
  return wrongReference(text, 'is not a UUID in 32 hexadecimal digits')
}
