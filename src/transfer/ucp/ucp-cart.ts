// Reads the JSON of a UCP cart: what is sold, and what came along. Fields that are not read never fail.
import { type Cart, newReference, type Pointer } from '../../cart/cart.ts'
import { ABSENT, describeField, MISTAKEN, readCart, type SentLine } from '../../cart/read-cart.ts'
import type { ValidationError } from '../../errors.ts'
import { type Attribution, addAttribution, withAttribution } from '../attribution.ts'
import { JsonReader, readFieldOnce, readJsonNumber, unreadable } from '../json-reader.ts'
import { maxValues, type ReadContext } from '../option.ts'
import { readBuyer } from '../ucp-fields.ts'

/** JSONPath (RFC 9535), as UCP's messages have it. */
export const ucpPointer: Pointer = (field, line) => {
  if (line === undefined) return field === 'items' ? '$.line_items' : '$'
  return `$.line_items[${line}].${field === 'sku' ? 'item.id' : field}`
}

type UcpRules = Pick<ReadContext<{ currency?: string }>, 'maxItems' | 'maxQuantity' | 'settings' | 'countries'>

/**
 * Reads a cart, under a new reference.
 * @throws Problem `contract-broken` with every error, `too-many-lines` or `body-too-large`
 */
export function readUcpCart(body: Uint8Array, { maxItems, maxQuantity, settings, countries }: UcpRules): Cart {
  const reader = new JsonReader(body, maxValues(maxItems))
  if (!reader.isAt('object')) {
    const root = reader.value()
    reader.end()
    throw unreadable('field-type', `The body must be an object, not ${describeField(root)}.`)
  }
  const mistakes: ValidationError[] = []
  const root = { items: ABSENT }
  let lines: SentLine[] = []
  const attribution: Attribution = {}
  /** The texts of `context` and `buyer`, by their JSON pointers. */
  const hints = new Map<string, string>()
  reader.members(['line_items', 'context', 'buyer', 'attribution'], name => {
    if (name === 'line_items') {
      if (root.items.is === 'absent' && reader.isAt('array')) {
        root.items = { is: 'array' }
        lines = readLines(reader, maxItems, mistakes)
      } else readFieldOnce(reader, root, 'items', mistakes, ucpPointer)
    } else if (reader.isAt('object')) {
      reader.entries(key => {
        const value = reader.value()
        if (value.is !== 'text') return
        if (name === 'attribution') addAttribution(attribution, key, () => value.text)
        else if (!/\p{Cc}/u.test(value.text) && value.text.isWellFormed()) hints.set(`/${name}/${key}`, value.text)
      })
    } else reader.skip()
  })
  reader.end()
  const { items } = root
  if (items.is === 'absent') {
    mistakes.push({ pointer: ucpPointer('items'), code: 'field-missing', detail: 'This field is required.' })
  } else if (items.is !== 'array' && items.is !== 'mistaken') {
    const detail = `This must be an array, not ${describeField(items)}.`
    mistakes.push({ pointer: ucpPointer('items'), code: 'field-type', detail })
  }
  const textOf = (pointer: string) => hints.get(pointer) ?? ''
  const cart = readCart(
    {
      lines: items.is === 'array' ? lines : 'mistaken',
      currency: { is: 'text', text: chooseCurrency(textOf, settings.currency, countries) },
      reference: { is: 'text', text: newReference() },
      mistakes
    },
    { maxItems, maxQuantity, pointer: ucpPointer, readNumber: readJsonNumber, readReference: value => ({ value }) }
  )
  const language = textOf('/context/language')
  const found = { ...readBuyer(hints.keys(), textOf), ...(LANGUAGE.test(language) && { language }) }
  return withAttribution({ ...cart, ...found }, attribution)
}

const LANGUAGE = /^[A-Za-z]{2,3}(-[A-Za-z\d]{1,8}){0,4}$/

/** The one asked for, if the shop has it; else that of the country, else the shop's own. */
function chooseCurrency(
  textOf: (pointer: string) => string,
  own = '',
  countries: ReadContext['countries'] = { [textOf('/context/currency')]: [] }
): string {
  const asked = textOf('/context/currency')
  if (Object.hasOwn(countries, asked)) return asked
  const country = textOf('/context/address_country')
  return Object.keys(countries).find(currency => countries[currency]?.includes(country)) ?? own
}

function readLines(reader: JsonReader, maxItems: number, mistakes: ValidationError[]): SentLine[] {
  const lines: SentLine[] = []
  const mustBeObject = (pointer: string) => {
    const detail = `This must be an object, not ${describeField(reader.value())}.`
    mistakes.push({ pointer, code: 'field-type', detail })
    return MISTAKEN
  }
  reader.elements(() => {
    const at = lines.length
    const line: SentLine = { at, sku: ABSENT, quantity: ABSENT }
    lines.push(line)
    // A cart with too many lines is refused for that; the lines need not be read.
    if (at >= maxItems) return void reader.skip()
    const place = `$.line_items[${at}]`
    if (!reader.isAt('object')) {
      line.sku = line.quantity = mustBeObject(place)
      return
    }
    reader.members(['item', 'quantity'], name => {
      if (name === 'quantity') readFieldOnce(reader, line, name, mistakes, ucpPointer, at)
      else if (!reader.isAt('object')) line.sku = mustBeObject(`${place}.item`)
      else {
        reader.members(['id', 'quantity_unit'], name => {
          if (name === 'id') readFieldOnce(reader, line, 'sku', mistakes, ucpPointer, at)
          else if (!isEach(reader)) {
            const detail = 'This item is sold by the piece: leave the unit out, or send "C62" with scale 0.'
            mistakes.push({ pointer: `${place}.item.quantity_unit`, code: 'quantity-unit-mismatch', detail })
          }
        })
      }
    })
  })
  return lines
}

/** Whether a unit is that of things sold by the piece. */
function isEach(reader: JsonReader): boolean {
  if (!reader.isAt('object')) {
    reader.skip()
    return false
  }
  let isPiece = false
  let isWhole = true
  reader.members(['unit', 'scale'], name => {
    const value = reader.value()
    if (name === 'unit') isPiece = value.is === 'text' && value.text === 'C62'
    else isWhole = value.is === 'number' && Number(value.literal) === 0
  })
  return isPiece && isWhole
}
