// Finds the fields that may have been sent in place of missing ones, such as those of another option. It only looks when a
// cart is refused, and only at the beginning of the request.
import type { Cart } from '../cart/cart.ts'
import { quote } from '../cart/read-cart.ts'
import { Problem, type ValidationError } from '../errors.ts'
import { decode } from './form-cart.ts'
import { isForm, type ReadContext, type TransferOption } from './option.ts'

/** How many fields are named. */
const MAX_NAMED = 5

/** How much it looks at: bytes, fields, and levels of JSON. */
const MAX_BYTES = 64 * 1024
const MAX_FIELDS = 1000
const MAX_LEVELS = 8

/** A field as the pointer of an option may have it, `#/items/0/sku`; its name differs on the first level of JSON. */
type FoundField = { pointer: string; name: string }

/**
 * Reads a cart by an option. If a field is missing, the refusal names fields that may have been sent in its place.
 * @param all the options whose names are known
 * @throws Problem as the option does
 */
export function readWithHints(option: TransferOption, all: TransferOption[], sent: Buffer, context: ReadContext): Cart {
  try {
    return option.read(sent, context)
  } catch (error) {
    if (error instanceof Problem) addHint(error.mistakes, sent, option, all)
    throw error
  }
}

function addHint(mistakes: ValidationError[], sent: Buffer, option: TransferOption, all: TransferOption[]): void {
  const own = placesOf(option)
  const { name, encoding } = option
  const isMissing = ({ code, pointer }: ValidationError) =>
    /^(field-missing|fields-unpaired|items-empty|json-malformed)$/.test(code) ||
    (code === 'field-type' && !own.has(placeOf(pointer)))
  const missing = mistakes.filter(isMissing)
  const hinted = missing.find(({ code }) => code === 'items-empty') ?? missing[0]
  if (!hinted) return
  const { as, found } = findFields(sent, option)
  const indexFree = (['sku', 'quantity'] as const).map(field => option.pointer(field, 0).replace('0', ''))
  // All names are right; a value was left out.
  const isUneven =
    hinted.code === 'fields-unpaired' && indexFree.every(own => found.some(({ pointer }) => pointer === own))
  if (isUneven) return
  // In malformed JSON the fields may all be right.
  if (as === undefined && hinted.code === 'json-malformed') return
  if (as !== undefined) hinted.detail += ` The body is ${as}; option ${name} takes ${encoding}.`
  const reported = new Set(mistakes.flatMap(({ code, pointer }) => (code === 'items-empty' ? [] : pointer)))
  // If fields do not pair up, some of a line are missing.
  const missed = ({ code, pointer }: ValidationError) =>
    code === 'fields-unpaired' ? option.pointer('sku', 0) : pointer
  const missingPlaces = [...new Set(missing.map(one => placeOf(missed(one))))]
  const unread = new Map<string, FoundField>()
  for (const field of found) {
    const place = placeOf(field.pointer)
    const isKnown = own.has(place) || reported.has(field.pointer) || unread.has(place)
    if (!isKnown && missingPlaces.some(missing => mayReplace(option, missing, field))) unread.set(place, field)
  }
  if (unread.size === 0) return
  const named = listUnread([...unread.values()], option, all)
  const names = namesOf(option).map(one => (hinted.code === 'fields-unpaired' ? one.replace('0', '') : one))
  hinted.detail += ` There are fields named ${named}; option ${name} names its fields ${list(names)}.`
}

/**
 * Whether a field that was found may have been meant as one that is missing. Currency and reference may be any field at the top
 * level, a line's field also any in a line, and the list of lines any at all.
 */
function mayReplace({ pointer }: TransferOption, missing: string, { pointer: found, name }: FoundField): boolean {
  const [lines = ''] = pointer('sku', 0).split('0')
  const isAtTop = !/^#\/|\[/.test(name) && !found.startsWith(lines)
  if (missing === pointer('currency') || missing === pointer('reference')) return isAtTop
  return !missing.startsWith(lines) || isAtTop || found.startsWith(lines)
}

/** Names the fields, beginning with those of the one other option that has most of them. */
function listUnread(unread: FoundField[], option: TransferOption, all: TransferOption[]): string {
  let best = { name: '', known: [] as FoundField[] }
  for (const other of all.filter(one => one !== option)) {
    const places = placesOf(other)
    const known = unread.filter(({ pointer, name }) => places.has(placeOf(pointer)) || places.has(placeOf(name)))
    if (known.length > best.known.length) best = { name: other.name, known }
  }
  const known = best.known.slice(0, MAX_NAMED).map(({ name }) => name)
  const others = unread.filter(field => !best.known.includes(field)).map(({ name }) => name)
  const ofOther = known.length > 0 ? `${list(known)}, as option ${best.name} has them` : ''
  return [ofOther, list(others.slice(0, MAX_NAMED - known.length))].filter(Boolean).join(', and ')
}

const list = (names: string[]) => names.map(quote).join(', ')

/** The names of the fields that an option requires, in its first line: one for all lines if a line has no fields of its own. */
function namesOf({ pointer, encoding }: TransferOption): string[] {
  if (encoding === 'path') return []
  const [sku, quantity] = [pointer('sku', 0), pointer('quantity', 0)]
  return sku === quantity ? [pointer('items')] : [sku, quantity, pointer('currency'), pointer('reference')]
}

/** Where an option has its fields: in any line, with its index or without. */
function placesOf(option: TransferOption): Set<string> {
  const names = [...namesOf(option), ...(option.sendsPrices ? [option.pointer('price', 0)] : [])].map(placeOf)
  return new Set(names.flatMap(name => [name, name.replace('0', '')]))
}

/** The place of a field, the same for every line. */
const placeOf = (name: string) => name.replace(/\d+/, '0')

/** @returns `as` what the body is, if it should have been something else */
function findFields(sent: Buffer, option: TransferOption): { as?: string; found: FoundField[] } {
  const { encoding } = option
  const root = encoding === 'query' ? undefined : parseJson(sent)
  if (root instanceof Object) {
    const found = leavesOf(root)
      .take(MAX_FIELDS)
      .map(path => {
        const pointer = ['#', ...path.map(name => name.replaceAll('~', '~0').replaceAll('/', '~1'))].join('/')
        return { pointer, name: path.length === 1 ? String(path[0]) : pointer }
      })
    return { ...(encoding !== 'application/json' && { as: 'JSON' }), found: [...found] }
  }
  const text = sent.toString('latin1', 0, MAX_BYTES)
  if (!isForm(option) && !/^[\w%[\].-]+=/.test(text)) return { found: [] }
  const names = text.split('&', MAX_FIELDS).flatMap(field => /^[^=]+/.exec(field) ?? [])
  const found = names.map(encoded => {
    const decoded = decode(encoded)
    const name = 'text' in decoded ? decoded.text : encoded
    return { pointer: name, name }
  })
  return { ...(!isForm(option) && { as: 'a form' }), found }
}

function parseJson(sent: Buffer): unknown {
  try {
    return sent.length > MAX_BYTES ? undefined : JSON.parse(new TextDecoder().decode(sent))
  } catch {
    return undefined
  }
}

/** The paths to the values that hold no others. */
function* leavesOf(value: object, path: string[] = []): Generator<string[]> {
  for (const name of Object.keys(value)) {
    const inner = value[name as keyof object] as unknown
    if (inner instanceof Object && path.length < MAX_LEVELS) yield* leavesOf(inner, [...path, name])
    else yield [...path, name]
  }
}
