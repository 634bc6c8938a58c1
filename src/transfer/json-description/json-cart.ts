// Reads the JSON body of option 1 (contract 2.1) strictly: nothing is coerced, repeated names are refused, numbers are
// read as written.
import { type Cart, isHyphenatedUuid, isUuid, type Pointer } from '../../cart/cart.ts'
import {
  ABSENT,
  describeField,
  type FieldResult,
  MISTAKEN,
  readCart,
  type SentCart,
  type SentField,
  type SentLine,
  wrongReference
} from '../../cart/read-cart.ts'
import type { ValidationError } from '../../errors.ts'
import { type Attribution, addAttribution, withAttribution } from '../attribution.ts'
import { JsonReader, readFieldOnce, readJsonNumber, type SentFields, unreadable } from '../json-reader.ts'
import { MAX_ENCODED, maxValues, type ReadContext } from '../option.ts'
import type { JsonSettings } from './settings.ts'

export const jsonPointer: Pointer = (field, line) => (line === undefined ? `#/${field}` : `#/items/${line}/${field}`)

type JsonRules = Pick<ReadContext<Pick<JsonSettings, 'acceptHyphenated'>>, 'maxItems' | 'maxQuantity' | 'settings'>

/** @throws Problem `contract-broken` with every error, `too-many-lines` or `body-too-large` */
export function readJsonCart(body: Uint8Array, { maxItems, maxQuantity, settings }: JsonRules): Cart {
  const reader = new JsonReader(body, maxValues(maxItems))
  if (!reader.isAt('object')) {
    const root = reader.value()
    reader.end()
    throw unreadable('field-type', `The body must be an object, not ${describeField(root)}.`)
  }
  const root: SentFields<(typeof ROOT_FIELDS)[number]> = { items: ABSENT, currency: ABSENT, reference: ABSENT }
  const rootMistakes: ValidationError[] = []
  const lineMistakes: ValidationError[] = []
  let lines: SentLine[] = []
  const attribution: Attribution = {}
  reader.members(ROOT_NAMES, name => {
    if (name === 'attribution') readAttribution(reader, attribution)
    else if (name === 'items' && root.items.is === 'absent' && reader.isAt('array')) {
      root.items = { is: 'array' }
      lines = readItems(reader, maxItems, lineMistakes)
    } else readFieldOnce(reader, root, name, rootMistakes, jsonPointer)
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
  const readReference = (text: string) => readUuid(text, settings.acceptHyphenated === true)
  const rules = { maxItems, maxQuantity, pointer: jsonPointer, readNumber: readJsonNumber, readReference }
  const cart = readCart(sent, rules)
  return withAttribution(cart, attribution)
}

const ROOT_FIELDS = ['items', 'currency', 'reference'] as const
const ROOT_NAMES = [...ROOT_FIELDS, 'attribution'] as const
const LINE_FIELDS = ['sku', 'quantity'] as const

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
      reader.members(LINE_FIELDS, name => readFieldOnce(reader, line, name, mistakes, jsonPointer, at))
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

/** A UUID of 32 hexadecimal digits: contract 2.1 requires a UUID, contract 8 allows 32 characters. */
function readUuid(text: string, acceptHyphenated: boolean): FieldResult<string> {
  if (isUuid(text) || (acceptHyphenated && isHyphenatedUuid(text))) return { value: text }
  return wrongReference(text, 'is not a UUID in 32 hexadecimal digits')
}
