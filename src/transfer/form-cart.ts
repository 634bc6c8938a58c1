// Reads a cart from form fields, for the options that send one field per value (2A in a body, 2B in a query). They only
// differ in how they name fields.
import { type Cart, type CartField, MAX_REFERENCE, type Pointer } from '../cart/cart.ts'
import { type FieldResult, quote, readCart, type SentField, type SentLine } from '../cart/read-cart.ts'
import { type Mistake, type MistakeCode, Refusal } from '../errors.ts'
import { decode, hasMoreFields, readFields } from './form-fields.ts'
import { MAX_ENCODED, maxFields } from './limits.ts'

type LineField = 'sku' | 'quantity' | 'price'

/**
 * What the name of a field refers to: the currency, the reference, or a value of a line, given by its index as written,
 * or by its order among the index-free fields.
 */
export type Slot =
  | { field: 'currency' | 'reference' }
  | { field: LineField; index: string }
  | { field: LineField; indexFree: true }

export type FormRules = {
  maxItems: number
  pointer: Pointer
  /** What a decoded name refers to; undefined if it is not a field of the contract. */
  slot: (name: string) => Slot | undefined
  /** Like `slot`, for a name still encoded as browsers send it; undefined for any other name. */
  encodedSlot?: (name: string) => Slot | undefined
  /** Whether a price is a claim to be read (contract 2.3), or only shows that there is a line (2.4 has none). */
  takesPrices: boolean
  /** Called with the number of index-free prices that pair up with no line; they are only claims, so the cart goes on. */
  onUnpairedPrices?: (count: number) => void
}

/** How much of a claimed price is kept, in characters. */
const MAX_CLAIM = 128

/** What was sent under one name, still encoded. */
type Values = string[]
type LineValues = Record<LineField, Values | undefined>
type AddMistake = (pointer: string, code: MistakeCode, detail: string) => void

/**
 * Reads a form body or a query (contract 2.3, 2.4).
 * @param sent the bytes of the body or of the query
 * @throws Refusal `contract-broken` with every mistake, `too-many-lines` or `body-too-large`
 */
export function readFormCart(sent: Buffer, rules: FormRules): Cart {
  const { maxItems, pointer } = rules
  const form = sent.toString('latin1')
  const most = maxFields(maxItems)
  if (hasMoreFields(form, most)) {
    const detail = `A cart may have at most ${most} fields, those beyond the contract included; this one has more.`
    throw new Refusal('body-too-large', { detail })
  }
  const mistakes: Mistake[] = []
  // Enough for every field of every line that is accepted; mistakes beyond that are not worth listing.
  const maxMistakes = 4 * maxItems + 10
  const addMistake: AddMistake = (at, code, detail) => {
    if (mistakes.length < maxMistakes) mistakes.push({ pointer: at, code, detail })
  }
  const sorted = sortFields(form, rules, addMistake)
  const lines = sentLines(sorted, rules, addMistake)
  return readCart(
    {
      lines: lines.length === 0 && mistakes.length > 0 ? 'mistaken' : lines,
      currency: onlyField(sorted.currency, rules, addMistake, 'currency'),
      reference: onlyField(sorted.reference, rules, addMistake, 'reference'),
      mistakes
    },
    { maxItems, pointer, readNumber: readFormNumber, readReference: readFormReference }
  )
}

type SortedFields = {
  currency: Values
  reference: Values
  indexed: Map<number, LineValues>
  indexFree: Record<LineField, Values>
}

function sortFields(form: string, rules: FormRules, addMistake: AddMistake): SortedFields {
  const indexFree = { sku: [], quantity: [], price: [] }
  const sorted: SortedFields = { currency: [], reference: [], indexed: new Map(), indexFree }
  readFields(form, (name, value) => {
    const slot = rules.encodedSlot?.(name) ?? readName(name, rules, addMistake)
    if (!slot) return
    if ('indexFree' in slot) sorted.indexFree[slot.field].push(value)
    else if (!('index' in slot)) sorted[slot.field].push(value)
    else {
      const index = Number(slot.index)
      let line = sorted.indexed.get(index)
      if (!line) {
        line = { sku: undefined, quantity: undefined, price: undefined }
        sorted.indexed.set(index, line)
      }
      const values = line[slot.field]
      if (values) values.push(value)
      else line[slot.field] = [value]
    }
  })
  return sorted
}

/** What a name refers to, once it is decoded; undefined if it is not a field of the contract, or is mistaken. */
function readName(name: string, rules: FormRules, addMistake: AddMistake): Slot | undefined {
  // Longer than any name of the contract, however it is encoded.
  if (name.length > MAX_ENCODED) return undefined
  const decoded = decode(name)
  if ('unreadable' in decoded) {
    addMistake(name.slice(0, 80), 'encoding-malformed', `The name holds ${decoded.unreadable}.`)
    return undefined
  }
  const slot = rules.slot(decoded.text)
  if (!slot || !('index' in slot) || /^(0|[1-9]\d{0,8})$/.test(slot.index)) return slot
  const detail = `${quote(slot.index)} is not an index; indexes are 0, 1, 2 and so on, without leading zeros.`
  addMistake(decoded.text.slice(0, 80), 'index-malformed', detail)
  return undefined
}

/** The lines by index or, in the index-free form, in the order sent. */
function sentLines({ indexed, indexFree }: SortedFields, rules: FormRules, addMistake: AddMistake): SentLine[] {
  const { sku, quantity, price } = indexFree
  const isIndexFree = sku.length + quantity.length + price.length > 0
  if (!isIndexFree) {
    if (indexed.size > rules.maxItems) return unreadLines(indexed.size)
    const indexes = [...indexed.keys()].sort((a, b) => a - b)
    reportGaps(indexes, rules, addMistake)
    return indexes.map(at => sentLine(at, indexed.get(at) as LineValues, rules, addMistake))
  }
  if (indexed.size > 0) {
    addMistake(rules.pointer('items'), 'names-mixed', 'Indexed and index-free names came together; use one form.')
    return []
  }
  if (sku.length !== quantity.length) {
    const detail = `${sku.length} SKUs and ${quantity.length} quantities came; index-free fields pair up in the order sent.`
    addMistake(rules.pointer('items'), 'fields-unpaired', detail)
    return []
  }
  if (sku.length > rules.maxItems) return unreadLines(sku.length)
  // A claim never costs a sale. If there are more or fewer prices than lines, it is unknown which lines they belong to.
  const arePaired = price.length === sku.length
  if (!arePaired && price.length > 0) rules.onUnpairedPrices?.(price.length)
  const claims = arePaired ? price : []
  return sku.map((value, at) => {
    const values = { sku: [value], quantity: quantity.slice(at, at + 1), price: claims.slice(at, at + 1) }
    return sentLine(at, values, rules, addMistake)
  })
}

/** Lines of a cart that is refused for their number: they need not be read. */
function unreadLines(count: number): SentLine[] {
  return Array(count).fill({ at: 0, sku: { is: 'mistaken' }, quantity: { is: 'mistaken' } })
}

function reportGaps(indexes: number[], rules: FormRules, addMistake: AddMistake): void {
  let next = 0
  for (const index of indexes) {
    if (index !== next) {
      const missing = index === next + 1 ? `Line ${next} is` : `Lines ${next} to ${index - 1} are`
      const detail = `${missing} missing: indexes start at 0 and leave no gap, so an item was lost on the way.`
      addMistake(rules.pointer('sku', next), 'index-gap', detail)
    }
    next = index + 1
  }
}

function sentLine(at: number, values: LineValues, rules: FormRules, addMistake: AddMistake): SentLine {
  const price = onlyField(rules.takesPrices ? values.price : undefined, rules, addMistake, 'price', at)
  const sku = onlyField(values.sku, rules, addMistake, 'sku', at)
  const quantity = onlyField(values.quantity, rules, addMistake, 'quantity', at)
  if (price.is !== 'text') return { at, sku, quantity }
  return { at, sku, quantity, price: price.text.slice(0, MAX_CLAIM).toWellFormed() }
}

/** The field of all the values sent under a name: none is absent, several are ambiguous. */
function onlyField(
  values: Values | undefined,
  { pointer }: FormRules,
  addMistake: AddMistake,
  field: CartField,
  at?: number
): SentField {
  const value = values?.[0]
  if (values === undefined || value === undefined) return { is: 'absent' }
  if (values.length > 1) {
    addMistake(pointer(field, at), 'field-repeated', `This field came ${values.length} times; it is ambiguous.`)
    return { is: 'mistaken' }
  }
  // Too long for any field, and so is its start; of a price, the start is kept.
  if (value.length > MAX_ENCODED) return { is: 'text', text: value.slice(0, MAX_ENCODED) }
  const decoded = decode(value)
  if ('text' in decoded) return { is: 'text', text: decoded.text }
  addMistake(pointer(field, at), 'encoding-malformed', `The value holds ${decoded.unreadable}.`)
  return { is: 'mistaken' }
}

/** Decimal digits without sign, space, leading zero or fraction. */
export function readFormNumber(field: SentField): FieldResult<number> {
  // A form field is text; absent and mistaken ones have already been handled.
  const { text } = field as { text: string }
  if (/^(0|[1-9]\d*)$/.test(text)) return { value: Number(text) }
  return {
    code: 'quantity-invalid',
    detail: `${quote(text)} is not a quantity; it is 1 to 9999 in digits alone, without sign, space, leading zero or fraction.`
  }
}

/** Printable ASCII without spaces, 1 to 32 characters. */
export function readFormReference(text: string): FieldResult<string> {
  if (text.length <= MAX_REFERENCE && /^[!-~]+$/.test(text)) return { value: text }
  // Of a value that is much too long only the start has been read.
  const length = text.length > 128 ? 'more than 128' : text.length
  const what = text.length > MAX_REFERENCE ? `is ${length} characters long` : 'is not printable ASCII without spaces'
  return { code: 'reference-invalid', detail: `${quote(text)} ${what}; a reference has 1 to 32 such characters.` }
}
