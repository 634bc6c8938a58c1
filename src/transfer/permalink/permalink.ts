// UCP's permalink: `/{items}?{query}` below the address, where items are `TOKEN:QUANTITY,…`.
// https://github.com/Universal-Commerce-Protocol/ucp/blob/main/docs/specification/permalink.md
import { isUtf8 } from 'node:buffer'
import type { Cart, Pointer } from '../../cart/cart.ts'
import { describeNotUtf8 } from '../../cart/exact-values.ts'
import { type FieldResult, quote, readCart } from '../../cart/read-cart.ts'
import { type Attribution, addAttribution, withAttribution } from '../attribution.ts'
import { collectMistakes, decodeIfReadable, type ReportMistake, readFormNumber, readReference } from '../form-cart.ts'
import {
  addOthers,
  fieldReader,
  LinkKeys,
  type LinkSettings,
  linkId,
  passOn,
  readCodes,
  readLinkEntries,
  referenceOf,
  sortQuery,
  writeQuery
} from '../link-cart.ts'
import type { ReadContext, RedirectOption } from '../option.ts'
import { ATTRIBUTION_ROOT, codePointer, codePointers, pointerOf, readBuyer, writeBuyer } from './ucp-fields.ts'

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
  const [, path = '', query = ''] = /^([^?]*)\??(.*)$/s.exec(sent.toString('latin1')) ?? []
  return { path, query }
}

/** Parameters that mean the same field are ambiguous, whatever their order: attribution is then left out, anything else reported. */
function sortFields(query: string, maxItems: number, report: ReportMistake) {
  const { fields, repeated, others } = sortQuery(query, { maxItems, report, keyOf: pointerOf })
  for (const key of repeated) {
    if (key.startsWith(ATTRIBUTION_ROOT)) fields.delete(key)
    else
      report(
        key,
        'field-repeated',
        'Several parameters mean this field, with its first "/" or without; it is ambiguous.'
      )
  }
  return { fields, others }
}

function readPermalink(sent: Buffer, { maxItems, settings }: ReadContext<LinkSettings>): Cart {
  const { currency = '', itemId } = settings
  const { mistakes, report } = collectMistakes(maxItems)
  const { path, query } = split(sent)
  const { fields, others } = sortFields(query, maxItems, report)
  const { read, textOf } = fieldReader(fields, report)
  const lines = readLinkEntries(path, {
    maxItems,
    itemId,
    pointer: at => pointer('sku', at),
    readId: readToken,
    right: 'the id of an item, a colon and a quantity, such as "sku_123:2"',
    report
  })
  const found = { ...readBuyer(fields.keys(), textOf), ...readPlacedCodes(fields, textOf, report) }
  const attribution: Attribution = {}
  for (const [name, value] of attributionIn(fields)) addAttribution(attribution, name, decodeIfReadable(value))
  addOthers(attribution, others, settings)
  const cart = readCart(
    {
      lines,
      currency: { is: 'text', text: currency },
      reference: referenceOf(read('/reference')),
      mistakes
    },
    { maxItems, pointer, readNumber: readFormNumber, readReference }
  )
  return withAttribution({ ...cart, ...found }, attribution)
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
    const { fields, others } = sortFields(split(sent).query, Infinity, () => {})
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
