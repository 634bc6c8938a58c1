// From form fields to a cart, for the options that send one field per value (2A in a body, 2B in a query). They
// differ in how a field is named; what the fields must be is the same and stands here.
import type { Cart, Pointer } from '../cart/cart.ts'
import { type Field, quote, type Reading, readCart, type SentLine } from '../cart/read-cart.ts'
import { MAX_REFERENCE } from '../cart/reference.ts'
import type { Mistake, MistakeCode } from '../errors.ts'
import { decode, splitFields } from './form-fields.ts'

type LineField = 'sku' | 'quantity' | 'price'

/**
 * What a field's name stands for: the currency, the reference, or a value of a line, which its index names as it was
 * written, or its order among the index-free fields.
 */
export type Slot =
  | { field: 'currency' | 'reference' }
  | { field: LineField; index: string }
  | { field: LineField; indexFree: true }

export type FormRules = {
  maxItems: number
  pointer: Pointer
  /** What a decoded name stands for; undefined when it is not a field of the contract. */
  slot: (name: string) => Slot | undefined
  /** Whether a price is a claim to be read (contract 2.3) or only shows that there is a line (2.4 has none). */
  takesPrices: boolean
  /** Told how many index-free prices came that pair up with no line; they are claims, so the cart goes on without. */
  onUnpairedPrices?: (count: number) => void
}

/** No price is longer; what is kept of a claim that is. */
const MAX_CLAIM = 128

type Values = Uint8Array[]
type LineValues = Record<LineField, Values>
type Note = (pointer: string, code: MistakeCode, detail: string) => void

/**
 * Reads a form body or a query (contract 2.3, 2.4).
 * @throws Refusal `contract-broken` with every mistake, or `too-many-lines`
 */
export function readFormCart(bytes: Uint8Array, rules: FormRules): Cart {
  const { maxItems, pointer } = rules
  const mistakes: Mistake[] = []
  // Every field of every line that is taken may be wrong; a body of more mistakes than that is not worth listing.
  const most = 4 * maxItems + 10
  const note: Note = (at, code, detail) => {
    if (mistakes.length < most) mistakes.push({ pointer: at, code, detail })
  }
  const sent = sortFields(bytes, rules, note)
  const lines = sentLines(sent, rules, note)
  return readCart(
    {
      lines: lines.length === 0 && mistakes.length > 0 ? 'mistaken' : lines,
      currency: onlyField(sent.currency, pointer('currency'), note),
      reference: onlyField(sent.reference, pointer('reference'), note),
      mistakes
    },
    { maxItems, pointer, readQuantity, readReference }
  )
}

type SortedFields = {
  currency: Values
  reference: Values
  indexed: Map<number, LineValues>
  indexFree: LineValues
}

function sortFields(bytes: Uint8Array, rules: FormRules, note: Note): SortedFields {
  const sorted: SortedFields = { currency: [], reference: [], indexed: new Map(), indexFree: noValues() }
  for (const { name, value } of splitFields(bytes)) {
    const decoded = decode(name)
    if ('unreadable' in decoded) {
      note(
        Buffer.from(name).toString('latin1').slice(0, 80),
        'encoding-malformed',
        `The name holds ${decoded.unreadable}.`
      )
      continue
    }
    const slot = rules.slot(decoded.text)
    if (!slot) continue
    if ('indexFree' in slot) sorted.indexFree[slot.field].push(value)
    else if (!('index' in slot)) sorted[slot.field].push(value)
    else if (/^(0|[1-9]\d{0,8})$/.test(slot.index)) {
      const line = sorted.indexed.get(Number(slot.index)) ?? noValues()
      sorted.indexed.set(Number(slot.index), line)
      line[slot.field].push(value)
    } else {
      const wrong = `${quote(slot.index)} is not an index; indexes are 0, 1, 2 and so on, without leading zeros.`
      note(decoded.text.slice(0, 80), 'index-malformed', wrong)
    }
  }
  return sorted
}

function noValues(): LineValues {
  return { sku: [], quantity: [], price: [] }
}

/** The lines in the order of their indexes, or, in the index-free form, in the order sent. */
function sentLines({ indexed, indexFree }: SortedFields, rules: FormRules, note: Note): SentLine[] {
  const { sku, quantity, price } = indexFree
  const isIndexFree = sku.length + quantity.length + price.length > 0
  if (!isIndexFree) {
    noteGaps(
      [...indexed.keys()].sort((a, b) => a - b),
      rules,
      note
    )
    return [...indexed].sort(([a], [b]) => a - b).map(([at, values]) => sentLine(at, values, rules, note))
  }
  if (indexed.size > 0) {
    note(rules.pointer('items'), 'names-mixed', 'Indexed and index-free names came together; use one form.')
    return []
  }
  if (sku.length !== quantity.length) {
    const detail = `${sku.length} SKUs and ${quantity.length} quantities came; index-free fields pair up in the order sent.`
    note(rules.pointer('items'), 'fields-unpaired', detail)
    return []
  }
  // A claim never costs a sale: prices that do not pair up belong to no line that anyone could name.
  const arePaired = price.length === sku.length
  if (!arePaired && price.length > 0) rules.onUnpairedPrices?.(price.length)
  const claims = arePaired ? price : []
  return sku.map((value, at) => {
    const values = { sku: [value], quantity: quantity.slice(at, at + 1), price: claims.slice(at, at + 1) }
    return sentLine(at, values, rules, note)
  })
}

function noteGaps(indexes: number[], rules: FormRules, note: Note): void {
  let next = 0
  for (const index of indexes) {
    if (index !== next) {
      const missing = index === next + 1 ? `Line ${next} is` : `Lines ${next} to ${index - 1} are`
      const detail = `${missing} missing: indexes start at 0 and leave no gap, so an item was lost on the way.`
      note(rules.pointer('sku', next), 'index-gap', detail)
    }
    next = index + 1
  }
}

function sentLine(at: number, values: LineValues, { pointer, takesPrices }: FormRules, note: Note): SentLine {
  const price = onlyField(takesPrices ? values.price : [], pointer('price', at), note)
  return {
    at,
    sku: onlyField(values.sku, pointer('sku', at), note),
    quantity: onlyField(values.quantity, pointer('quantity', at), note),
    ...(price.is === 'text' ? { price: price.text.slice(0, MAX_CLAIM).toWellFormed() } : {})
  }
}

/** One field from all the values that came under its name: none is absent, more than one is ambiguous. */
function onlyField(values: Values, pointer: string, note: Note): Field {
  const [value] = values
  if (!value) return { is: 'absent' }
  if (values.length > 1) {
    note(pointer, 'field-repeated', `This field came ${values.length} times; it is ambiguous.`)
    return { is: 'mistaken' }
  }
  const decoded = decode(value)
  if ('text' in decoded) return { is: 'text', text: decoded.text }
  note(pointer, 'encoding-malformed', `The value holds ${decoded.unreadable}.`)
  return { is: 'mistaken' }
}

/** Decimal digits without sign, space, leading zero or fraction. */
function readQuantity(field: Field): Reading<number> {
  // A form field is text; an absent or mistaken one has been dealt with before.
  const { text } = field as { text: string }
  if (/^(0|[1-9]\d*)$/.test(text)) return { value: Number(text) }
  return {
    code: 'quantity-invalid',
    detail: `${quote(text)} is not a quantity; it is 1 to 9999 in digits alone, without sign, space, leading zero or fraction.`
  }
}

/** Printable ASCII without spaces, 1 to 32 characters. */
function readReference(text: string): Reading<string> {
  if (text.length <= MAX_REFERENCE && /^[!-~]+$/.test(text)) return { value: text }
  const what =
    text.length > MAX_REFERENCE ? `is ${text.length} characters long` : 'is not printable ASCII without spaces'
  return { code: 'reference-invalid', detail: `${quote(text)} ${what}; a reference has 1 to 32 such characters.` }
}
