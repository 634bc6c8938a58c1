// UCP's permalink: `/{items}?{query}` below the address, where items are `TOKEN:QUANTITY,…`.
// https://github.com/Universal-Commerce-Protocol/ucp/blob/main/docs/specification/permalink.md
import { isUtf8 } from 'node:buffer'
import type { Cart, Pointer } from '../../cart/cart.ts'
import { describeNotUtf8 } from '../../cart/exact-values.ts'
import { type FieldResult, quote } from '../../cart/read-cart.ts'
import { type Attribution, addAttribution } from '../attribution.ts'
import { collectMistakes, decodeIfReadable, type ReportMistake } from '../form-cart.ts'
import {
  fieldReader,
  LinkKeys,
  type LinkSettings,
  linkId,
  passOn,
  readCodes,
  readLinkCart,
  readLinkEntries,
  sortQuery,
  writeQuery
} from '../link-cart.ts'
import type { ReadContext, RedirectOption } from '../option.ts'
import { ATTRIBUTION_ROOT, codePointer, codePointers, pointerOf, readBuyer, writeBuyer } from '../ucp-fields.ts'

/** An entry of the path as a whole, or a parameter of the query. */
const pointer: Pointer = (field, line) =>
  line !== undefined ? `items[${line}]` : field === 'items' ? 'items' : `/${field}`

const MAX_CODES = 10

const RAW = /^[A-Za-z0-9._-]+$/

/** An id as it stands in the path, or base64url after a `~`, without padding, in the one way to write it. */
function readToken(token: string): FieldResult<string> {
  if (RAW.test(token)) return { value: token }
  const encoded = token.startsWith('~') ? token.slice(1) : ''
  const bytes = Buffer.from(encoded, 'base64url')
  if (encoded === '' || bytes.toString('base64url') !== encoded) {
    const right = 'it is letters, digits, ".", "_" and "-", or "~" and the base64url of any other id, without padding'
    return { code: 'value-malformed', detail: `${quote(token)} is not the id of an item; ${right}.` }
  }
  if (isUtf8(bytes)) return { value: bytes.toString() }
  return { code: 'encoding-malformed', detail: `${quote(token)} holds ${describeNotUtf8(bytes)}.` }
}

const writeToken = (id: string) => (RAW.test(id) ? id : `~${Buffer.from(id).toString('base64url')}`)

function split(sent: Buffer): { path: string; query: string } {
  const [path, query = ''] = sent.toString('latin1').split(/\?(.*)/s)
  return { path: String(path), query }
}

/** Parameters that mean the same field are ambiguous, whatever their order. */
const AMBIGUOUS = 'Several parameters mean this field, with its first "/" or without; it is ambiguous.'

function readPermalink(sent: Buffer, context: ReadContext<LinkSettings>): Cart {
  const { maxItems } = context
  const { mistakes, report } = collectMistakes(maxItems)
  const { path, query } = split(sent)
  const { fields, repeated, others } = sortQuery(query, { maxItems, report, keyOf: pointerOf })
  for (const key of repeated) {
    // Attribution is no reason to refuse a cart: neither is kept.
    if (!key.startsWith(ATTRIBUTION_ROOT)) report(key, 'field-repeated', AMBIGUOUS)
  }
  const { read, textOf } = fieldReader(fields, report)
  const right = 'the id of an item, a colon and a quantity, such as "sku_123:2"'
  const lines = readLinkEntries(path, { pointer, readId: readToken, right, report }, context)
  const found = { ...readBuyer(fields.keys(), textOf), ...readPlacedCodes(fields, textOf, report) }
  const attribution: Attribution = {}
  for (const [name, value] of attributionIn(fields)) addAttribution(attribution, name, () => decodeIfReadable(value))
  const reference = read('/reference')
  return readLinkCart({ lines, reference, mistakes, pointer, attribution, others, found }, context)
}

function readPlacedCodes(
  fields: Map<string, string>,
  textOf: (pointer: string) => string,
  report: ReportMistake
): Pick<Cart, 'codes'> {
  const all = codePointers(fields.keys())
  if (all.length > MAX_CODES) {
    report(codePointer(MAX_CODES), 'value-malformed', `A bag has at most ${MAX_CODES} discount codes.`)
    return {}
  }
  const right = all.map((_, at) => codePointer(at))
  for (const one of all.filter(one => !right.includes(one))) {
    report(one, 'index-malformed', 'Codes are numbered 0, 1, 2 and so on, without gaps and leading zeros.')
  }
  return readCodes(
    right.map(one => [one, textOf(one)]),
    report
  )
}

/** Names and encoded values of what the link itself calls attribution. */
function attributionIn(fields: Map<string, string>): [name: string, value: string][] {
  return [...fields].flatMap(([key, value]) =>
    key.startsWith(ATTRIBUTION_ROOT) ? [[key.slice(ATTRIBUTION_ROOT.length), value]] : []
  )
}

export const permalink: RedirectOption<LinkSettings> = {
  name: 'permalink',
  title: 'UCP Permalink',
  settings: LinkKeys,
  answer: 'redirect',
  encoding: 'path',
  sendsPrices: false,
  pointer,

  read: readPermalink,

  passOn(sent) {
    const { fields, others } = sortQuery(split(sent).query, { maxItems: Infinity, report: () => {}, keyOf: pointerOf })
    const attribution = attributionIn(fields)
    const isSuperseded = (name: string) => attribution.some(([one]) => one === name)
    return passOn([...attribution, ...others.filter(([name]) => !isSuperseded(name))])
  },

  request({ items, reference, attribution = {}, buyer = {}, codes = [] }, baseUrl, { itemId } = {}) {
    const path = items.map(({ sku, quantity }) => `${writeToken(linkId(sku, itemId))}:${quantity}`).join(',')
    const query = writeQuery([
      ...writeBuyer(buyer),
      ...codes.map((code, at): [string, string] => [codePointer(at).slice(1), code]),
      ...Object.entries(attribution).map(([name, value]): [string, string] => [`attribution/${name}`, value]),
      ['reference', reference]
    ])
    return { method: 'GET', url: `${baseUrl}/${path}?${query.replaceAll('%2F', '/')}`, headers: [] }
  }
}
