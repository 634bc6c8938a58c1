// What the links that carry a cart have in common (`meta`, `permalink`): entries of an id, a colon and a quantity, and a query in
// which discount codes, attribution and anything else may stand. They have no currency, and a reference only if the merchant adds one.
import { type Static, Type } from '@sinclair/typebox'
import { type Cart, newReference, type Pointer } from '../cart/cart.ts'
import {
  type FieldResult,
  MISTAKEN,
  quote,
  readCart,
  type SentCart,
  type SentField,
  type SentLine
} from '../cart/read-cart.ts'
import {
  type Attribution,
  type AttributionSettings,
  addAttribution,
  isAttribution,
  withAttribution
} from './attribution.ts'
import {
  decode,
  decodeIfReadable,
  type ReportMistake,
  readFields,
  readFormNumber,
  readName,
  readReference
} from './form-cart.ts'
import { maxFields, type ReadContext } from './option.ts'

export const LinkKeys = Type.Object({
  currency: Type.Optional(
    Type.String({
      description: 'the currency of the carts, which do not say it: one of currencies; by default the first'
    })
  ),
  itemId: Type.Optional(
    Type.String({
      pattern: '^[^{}]*\\{sku\\}([^{}]*[^{}\\d]\\{number\\})?[^{}]*$',
      description:
        'how the ids in the links are made of SKUs: a text with {sku} in it, such as "SKU_{sku}"; {number} after it stands for any digits, as in "{sku}_{number}". By default they are the SKUs'
    })
  )
})
export type LinkSettings = Static<typeof LinkKeys> & AttributionSettings

/** The longest discount code, in characters. */
const MAX_CODE = 255

type Entries = {
  pointer: Pointer
  /** Reads the id of an entry, or says what is wrong with it. */
  readId: (token: string) => FieldResult<string>
  /** What an entry is, for messages. */
  right: string
  report: ReportMistake
}

/** Reads `id:2,id:1`. */
export function readLinkEntries(
  text: string,
  { pointer, readId, right, report }: Entries,
  { maxItems, settings: { itemId } }: ReadContext<LinkSettings>
): SentLine[] {
  const all = text === '' ? [] : text.split(',')
  // A cart with too many lines is refused for that; the lines need not be read.
  if (all.length > maxItems) return all.map(() => ({ at: 0, sku: MISTAKEN, quantity: MISTAKEN }))
  return all.map((entry, at) => {
    const [token = '', quantity, ...more] = entry.split(':')
    if (quantity === undefined || more.length > 0) {
      report(pointer('sku', at), 'value-malformed', `${quote(entry)} is not ${right}.`)
      return { at, sku: MISTAKEN, quantity: MISTAKEN }
    }
    const id = readId(token)
    const sku = 'value' in id ? skuOf(id.value, itemId) : id
    if ('value' in sku) return { at, sku: { is: 'text', text: sku.value }, quantity: { is: 'text', text: quantity } }
    report(pointer('sku', at), sku.code, sku.detail)
    return { at, sku: MISTAKEN, quantity: { is: 'text', text: quantity } }
  })
}

function skuOf(id: string, itemId: string | undefined): FieldResult<string> {
  if (itemId === undefined) return { value: id }
  const literal = itemId.replace(/[.+*?^$()|[\]\\/]/g, '\\$&')
  const rule = new RegExp(`^${literal.replace('{sku}', '(.+)').replace('{number}', '\\d+')}$`, 's')
  const [, sku] = rule.exec(id) ?? []
  if (sku !== undefined) return { value: sku }
  return {
    code: 'sku-invalid',
    detail: `${quote(id)} is not an id such as "${linkId('MUG', itemId)}" (transfer.itemId).`
  }
}

/** The id of a SKU in links. */
export function linkId(sku: string, itemId = '{sku}'): string {
  return itemId.replace('{number}', '0').replace('{sku}', () => sku)
}

/** Names and encoded values. */
type Pairs = [name: string, value: string][]

/**
 * Sorts the parameters of a query.
 * @param keyOf the key of one that means something here; undefined for any other
 * @returns values still encoded: by key, or in the order sent; of those that came more than once, only the keys
 * @throws Problem `body-too-large`
 */
export function sortQuery(
  query: string,
  { maxItems, report, keyOf }: { maxItems: number; report: ReportMistake; keyOf: (name: string) => string | undefined }
) {
  const fields = new Map<string, string>()
  const repeated = new Set<string>()
  const others: Pairs = []
  readFields(query, maxFields(maxItems), (sent, value) => {
    const name = readName(sent, report)
    const key = keyOf(name)
    if (key === undefined) others.push([name, value])
    else if (fields.has(key)) repeated.add(key)
    else fields.set(key, value)
  })
  for (const key of repeated) fields.delete(key)
  return { fields, repeated, others }
}

/** Reads values by key. One that cannot be read is reported. */
export function fieldReader(fields: Map<string, string>, report: ReportMistake) {
  const read = (key: string): SentField => {
    const value = fields.get(key)
    if (value === undefined) return { is: 'absent' }
    const decoded = decode(value)
    if ('text' in decoded) return { is: 'text', text: decoded.text }
    report(key, 'encoding-malformed', `The value holds ${decoded.unreadable}.`)
    return MISTAKEN
  }
  /** Text without control characters; empty if there is none, or it was reported. */
  const textOf = (key: string): string => {
    const field = read(key)
    const text = field.is === 'text' ? field.text : ''
    if (!/\p{Cc}/u.test(text)) return text
    report(key, 'encoding-malformed', 'The value holds a control character.')
    return ''
  }
  return { read, textOf }
}

type LinkParts = Omit<SentCart, 'currency'> & {
  pointer: Pointer
  /** What the link itself calls so. */
  attribution?: Attribution
  /** Parameters, of which some are attribution as well. */
  others: Pairs
  found: Pick<Cart, 'buyer' | 'codes'>
}

/** Reads the cart of a link, or throws as `readCart`. Without a reference it gets a new one. */
export function readLinkCart(parts: LinkParts, { maxItems, maxQuantity, settings }: ReadContext<LinkSettings>): Cart {
  const { lines, reference, mistakes, pointer, attribution = {}, others, found } = parts
  const cart = readCart(
    {
      lines,
      currency: { is: 'text', text: String(settings.currency) },
      reference: reference.is === 'absent' ? { is: 'text', text: newReference() } : reference,
      mistakes
    },
    { maxItems, maxQuantity, pointer, readNumber: readFormNumber, readReference }
  )
  for (const [name, value] of others) {
    if (isAttribution(name, settings)) addAttribution(attribution, name, () => decodeIfReadable(value))
  }
  return withAttribution({ ...cart, ...found }, attribution)
}

/** The codes of a cart. @param sent by where they stand; empty ones are none */
export function readCodes(sent: [key: string, code: string][], report: ReportMistake): Pick<Cart, 'codes'> {
  for (const [key, { length }] of sent) {
    if (length > MAX_CODE) {
      report(key, 'value-malformed', `A code has at most ${MAX_CODE} characters; this one has ${length}.`)
    }
  }
  const codes = sent.flatMap(([, code]) => code || [])
  return codes.length > 0 ? { codes } : {}
}

/** Secrets, which no address may show. */
const SENSITIVE =
  /token|secret|passw|credential|session|cookie|jwt|mandate|(^|[_.-])auth(orization)?([_.-]|$)|api[_.-]?key/i

/** What the checkout page reads in its own address. */
const OURS = /^(?:lang|attempt|order|buyer)$/

/** The query with these parameters for the address that a link leads to. */
export function passOn(others: Pairs): string {
  const query = new URLSearchParams()
  for (const [name, value] of others) {
    const decoded = decode(value)
    const isFit = name !== '' && !SENSITIVE.test(name) && !OURS.test(name)
    if (isFit && 'text' in decoded) query.append(name, decoded.text)
  }
  return query.toString()
}

/** A query as RFC 3986 has it: a space is %20. */
export function writeQuery(fields: Iterable<[name: string, value: string]>): string {
  return new URLSearchParams([...fields]).toString().replaceAll('+', '%20')
}
