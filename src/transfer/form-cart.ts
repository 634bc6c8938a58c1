// Carts as form fields, for the options that send one field per value (2A in a body, 2B in a query). They differ only in
// how they name fields. application/x-www-form-urlencoded is read strictly: `+` is a space, percent-encoding must be
// complete, and the bytes must be UTF-8. Common parsers replace what they cannot read, which would change the cart.
// Forms are strings of one character per byte: these are split and compared much faster than bytes.
import { isUtf8 } from 'node:buffer'
import { type Cart, type CartField, MAX_REFERENCE, type Pointer } from '../cart/cart.ts'
import { describeNotUtf8 } from '../cart/exact-values.ts'
import {
  type FieldResult,
  MISTAKEN,
  quote,
  readCart,
  type SentField,
  type SentLine,
  wrongReference
} from '../cart/read-cart.ts'
import { Problem, type ValidationError, type ValidationErrorCode } from '../errors.ts'
import {
  type Attribution,
  type AttributionSettings,
  addAttribution,
  isAttribution,
  withAttribution
} from './attribution.ts'
import { MAX_ENCODED, maxFields, type ReadContext } from './option.ts'

type LineField = 'sku' | 'quantity' | 'price'

export type FormNames = {
  pointer: Pointer
  /** Matches the decoded name of a line's field. Captures the index (nothing in the index-free form) and the field. */
  lineName: RegExp
  /** The same with a valid index, as it is sent: a name that matches is not decoded. */
  encodedName: RegExp
  /** Whether prices are read (contract 2.3), or only show that there is a line (2.4 has none). */
  takesPrices: boolean
}

/** How much of a price that the app sent is kept, in characters. */
const MAX_CLAIM = 128

const INDEX = /^(0|[1-9]\d{0,8})$/

/** Values as they were sent, still encoded. */
type LineValues = Record<LineField, string[]>

export type ReportMistake = (pointer: string, code: ValidationErrorCode, detail: string) => void
type Form = FormNames & ReadContext<AttributionSettings> & { report: ReportMistake }

/**
 * Reads a form body or a query (contract 2.3, 2.4).
 * @param sent the bytes of the body or of the query
 * @throws Problem `contract-broken` with every error, `too-many-lines` or `body-too-large`
 */
export function readFormCart(sent: Buffer, context: ReadContext<AttributionSettings>, names: FormNames): Cart {
  const { maxItems, maxQuantity } = context
  const { mistakes, report } = collectMistakes(maxItems)
  const form = { ...names, ...context, report }
  const { currency, reference, indexed, indexFree, attribution } = sortFields(sent.toString('latin1'), form)
  const lines = sentLines(indexed, indexFree, form)
  const cart = readCart(
    {
      lines: lines.length === 0 && mistakes.length > 0 ? 'mistaken' : lines,
      currency: onlyField(currency, form, 'currency'),
      reference: onlyField(reference, form, 'reference'),
      mistakes
    },
    { maxItems, maxQuantity, pointer: names.pointer, readNumber: readFormNumber, readReference }
  )
  return withAttribution(cart, attribution)
}

export function collectMistakes(maxItems: number): { mistakes: ValidationError[]; report: ReportMistake } {
  const mistakes: ValidationError[] = []
  // Enough for every field of every accepted line; errors beyond that are not worth listing.
  const maxMistakes = 4 * maxItems + 10
  const report: ReportMistake = (pointer, code, detail) => {
    if (mistakes.length < maxMistakes) mistakes.push({ pointer, code, detail })
  }
  return { mistakes, report }
}

const noValues = (): LineValues => ({ sku: [], quantity: [], price: [] })

/** Sorts the values by what their names refer to; other fields are ignored. */
function sortFields(text: string, { lineName, encodedName, maxItems, settings, report }: Form) {
  const sorted = { currency: [] as string[], reference: [] as string[], indexFree: noValues() }
  const attribution: Attribution = {}
  const indexed = new Map<number, LineValues>()
  readFields(text, maxFields(maxItems), (sent, value) => {
    const encoded = encodedName.exec(sent)
    const name = encoded ? sent : readName(sent, report)
    if (name === 'currency' || name === 'reference') return void sorted[name].push(value)
    const found = encoded ?? lineName.exec(name)
    if (!found) {
      if (isAttribution(name, settings)) addAttribution(attribution, name, () => decodeIfReadable(value))
      return
    }
    const index = found[1]
    const field = found[2] as LineField
    if (index === undefined) sorted.indexFree[field].push(value)
    else if (encoded || INDEX.test(index)) {
      const at = Number(index)
      const line = indexed.get(at) ?? noValues()
      indexed.set(at, line)
      line[field].push(value)
    } else {
      const detail = `${quote(index)} ${isNot('an index', index)}; indexes are 0, 1, 2 and so on, without leading zeros.`
      report(name.slice(0, 80), 'index-malformed', detail)
    }
  })
  return { ...sorted, indexed, attribution }
}

/** The decoded name; empty, which is no field, if it is unreadable or longer than any of the contract. */
export function readName(sent: string, report: ReportMistake): string {
  if (sent.length > MAX_ENCODED) return ''
  const decoded = decode(sent)
  if ('text' in decoded) return decoded.text
  report(sent.slice(0, 80), 'encoding-malformed', `The name holds ${decoded.unreadable}.`)
  return ''
}

/** The lines by index or, in the index-free form, in the order sent. */
function sentLines(indexed: Map<number, LineValues>, indexFree: LineValues, form: Form): SentLine[] {
  const { pointer, report } = form
  const { sku, quantity, price } = indexFree
  const isIndexFree = sku.length + quantity.length + price.length > 0
  if (isIndexFree && indexed.size > 0) {
    report(pointer('items'), 'names-mixed', 'Indexed and index-free names came together; use one form.')
    return []
  }
  if (sku.length !== quantity.length) {
    const detail = `${sku.length} SKUs and ${quantity.length} quantities came; index-free fields pair up in the order sent.`
    report(pointer('items'), 'fields-unpaired', detail)
    return []
  }
  const count = indexed.size + sku.length
  // A cart with too many lines is refused for that; the lines need not be read.
  if (count > form.maxItems) return Array(count).fill({ at: 0, sku: MISTAKEN, quantity: MISTAKEN })
  // A price never costs a sale. If there are more or fewer than lines, nobody knows which lines they belong to.
  const arePaired = price.length === sku.length
  if (!arePaired && price.length > 0) form.warn({ prices: price.length }, 'prices pair up with no line')
  sku.forEach((value, at) => {
    const claim = arePaired ? price.slice(at, at + 1) : []
    indexed.set(at, { sku: [value], quantity: quantity.slice(at, at + 1), price: claim })
  })
  const indexes = [...indexed.keys()].sort((a, b) => a - b)
  reportGaps(indexes, form)
  return indexes.map(at => sentLine(at, indexed.get(at) as LineValues, form))
}

function reportGaps(indexes: number[], { pointer, report }: Form): void {
  let next = 0
  for (const index of indexes) {
    if (index !== next) {
      const missing = index === next + 1 ? `Line ${next} is` : `Lines ${next} to ${index - 1} are`
      const detail = `${missing} missing: indexes start at 0 and leave no gap, so an item was lost on the way.`
      report(pointer('sku', next), 'index-gap', detail)
    }
    next = index + 1
  }
}

function sentLine(at: number, values: LineValues, form: Form): SentLine {
  const price = form.takesPrices ? onlyField(values.price, form, 'price', at) : undefined
  const sku = onlyField(values.sku, form, 'sku', at)
  const quantity = onlyField(values.quantity, form, 'quantity', at)
  if (price?.is !== 'text') return { at, sku, quantity }
  return { at, sku, quantity, price: price.text.slice(0, MAX_CLAIM).toWellFormed() }
}

/** The field for all values sent under one name: none means absent, several are ambiguous. */
function onlyField(values: string[], { pointer, report }: Form, field: CartField, at?: number): SentField {
  const value = values[0]
  if (value === undefined) return { is: 'absent' }
  if (values.length > 1) {
    report(pointer(field, at), 'field-repeated', `This field came ${values.length} times; it is ambiguous.`)
    return MISTAKEN
  }
  // Too long for any field, even when cut; of a price, the start is kept.
  if (value.length > MAX_ENCODED) return { is: 'text', text: value.slice(0, MAX_ENCODED) }
  const decoded = decode(value)
  if ('text' in decoded) return { is: 'text', text: decoded.text }
  report(pointer(field, at), 'encoding-malformed', `The value holds ${decoded.unreadable}.`)
  return MISTAKEN
}

export function readFormNumber(field: SentField, maxQuantity: number): FieldResult<number> {
  // A form field is text; absent and invalid ones have already been handled.
  const { text } = field as { text: string }
  if (/^(0|[1-9]\d*)$/.test(text)) return { value: Number(text) }
  const right = `it is 1 to ${maxQuantity} in digits alone, without sign, space, leading zero or fraction`
  return { code: 'quantity-invalid', detail: `${quote(text)} ${isNot('a quantity', text)}; ${right}.` }
}

function isNot(what: string, text: string): string {
  const [other] = /(?!\d)\p{N}/u.exec(text) ?? []
  return other ? `has a digit other than 0 to 9, ${quote(other)}` : `is not ${what}`
}

export function readReference(text: string): FieldResult<string> {
  if (text.length <= MAX_REFERENCE && /^[!-~]+$/.test(text)) return { value: text }
  // Only the start of a value that is much too long has been read.
  const length = text.length > 128 ? 'more than 128' : text.length
  const [other] = /[^!-~]/u.exec(text) ?? []
  let wrong = other ? `holds ${quote(other)}` : 'is empty'
  if (text.length > MAX_REFERENCE) wrong = `is ${length} characters long`
  return wrongReference(text, `${wrong}; a reference is 1 to 32 printable ASCII characters without spaces`)
}

const PLUS = 0x2b
const PERCENT = 0x25
const SPACE = 0x20

/** Printable ASCII that stands for itself, as nearly all names and values are. */
const PLAIN = /^[ -$&-*,-~]*$/

/**
 * Reads the fields of a body or query, in the order sent.
 * @param most empty ones included
 * @param read called for each, its name and value still encoded
 * @throws Problem `body-too-large`
 */
export function readFields(form: string, most: number, read: (name: string, value: string) => void): void {
  let equals = -1
  let fields = 0
  for (let start = 0; start < form.length; ) {
    fields += 1
    if (fields > most) {
      const detail = `A cart may have at most ${most} fields, those beyond the contract included; this one has more.`
      throw new Problem('body-too-large', { detail })
    }
    const end = indexOrEnd(form, '&', start)
    // A match beyond this field is remembered, as many fields may have none.
    if (equals < start) equals = indexOrEnd(form, '=', start)
    if (equals < end) read(form.slice(start, equals), form.slice(equals + 1, end))
    else if (end > start) read(form.slice(start, end), '')
    start = end + 1
  }
}

/** The index of a character, from a position on; the length of the text if it is not there. */
function indexOrEnd(text: string, character: string, from: number): number {
  const at = text.indexOf(character, from)
  return at === -1 ? text.length : at
}

/** Decodes a name or a value, or says what in it is malformed. */
export function decode(encoded: string): { text: string } | { unreadable: string } {
  if (PLAIN.test(encoded)) return { text: encoded }
  // In place, as reading the characters of a slice one by one takes three times as long.
  const bytes = Buffer.from(encoded, 'latin1')
  let length = 0
  for (let i = 0; i < bytes.length; i++) {
    let byte = bytes[i] as number
    if (byte === PLUS) byte = SPACE
    else if (byte === PERCENT) {
      byte = (hexDigit(bytes[i + 1]) << 4) | hexDigit(bytes[i + 2])
      if (byte < 0) return { unreadable: 'a % that two hexadecimal digits do not follow' }
      i += 2
    }
    if (byte === 0) return { unreadable: 'a NUL character' }
    bytes[length++] = byte
  }
  const decoded = bytes.subarray(0, length)
  return isUtf8(decoded) ? { text: decoded.toString() } : { unreadable: describeNotUtf8(decoded) }
}

/** The text of a value that no cart needs; empty if it is malformed or too long. */
export function decodeIfReadable(encoded: string): string {
  const decoded = encoded.length > MAX_ENCODED ? { text: '' } : decode(encoded)
  return 'text' in decoded ? decoded.text : ''
}

/** The value of an ASCII hexadecimal digit; -1 for anything else, or beyond the end. */
function hexDigit(byte = 0): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const letter = byte | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1
}

export function writeFormCart(cart: Cart, nameOf: Pointer, sendsPrices: boolean): string {
  const { items, currency, reference, attribution = {} } = cart
  const fields = new URLSearchParams()
  items.forEach(({ sku, quantity, price }, line) => {
    fields.append(nameOf('sku', line), sku)
    fields.append(nameOf('quantity', line), String(quantity))
    if (sendsPrices && price !== undefined) fields.append(nameOf('price', line), price)
  })
  fields.append('currency', currency)
  fields.append('reference', reference)
  for (const [name, value] of Object.entries(attribution)) fields.append(name, value)
  return fields.toString()
}
