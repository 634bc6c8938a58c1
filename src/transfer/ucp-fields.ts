// Fields of UCP's Cart and Checkout by their JSON Pointers: a permalink has them as parameters of its query, a UCP cart as JSON.
import type { Buyer, Cart } from '../cart/cart.ts'

/** The fields at the top of both, with those of the extensions for discounts and fulfillment, of the permalink, and of ours. */
const ROOTS = new Set(
  (
    'ucp id line_items buyer context signals attribution status currency totals actions messages links policies expires_at ' +
    'continue_url payment order discounts fulfillment continue_to reference'
  ).split(' ')
)

/** The pointer of a field of UCP's, or of ours, with its first slash; undefined for any other parameter. */
export function pointerOf(name: string): string | undefined {
  const pointer = name.replace(/^\/*/, '/')
  return ROOTS.has(String(pointer.split('/', 2)[1])) ? pointer : undefined
}

export const ATTRIBUTION_ROOT = '/attribution/'

const CODES = '/discounts/codes/'

/** The pointer of a discount code, by its place. */
export const codePointer = (at: number): string => `${CODES}${at}`

/** The pointers of the discount codes that came, right or wrong. */
export function codePointers(pointers: Iterable<string>): string[] {
  return [...pointers].filter(pointer => pointer.startsWith(CODES))
}

const ADDRESS = '/fulfillment/methods/0/destinations/0/'
export const CONTEXT_ROOT = '/context/'

/** Parts of an address: the names of the order form, and UCP's. */
const PARTS = [
  ['address1', 'street_address'],
  ['address2', 'extended_address'],
  ['city', 'address_locality'],
  ['state', 'address_region'],
  ['postcode', 'postal_code']
] as const

/** The longest value that the order form has room for, in characters. */
const MAX_VALUE = 254

/** @param textOf the text at a pointer, empty if there is none */
export function readBuyer(pointers: Iterable<string>, textOf: (pointer: string) => string): Pick<Cart, 'buyer'> {
  // An address supersedes what is said of the place.
  const place = Iterator.from(pointers).some(pointer => pointer.startsWith(ADDRESS)) ? ADDRESS : CONTEXT_ROOT
  const fit = (...texts: string[]) => texts.find(text => text !== '' && text.length <= MAX_VALUE)
  const nameAt = (at: string) => `${textOf(`${at}first_name`)} ${textOf(`${at}last_name`)}`.trim()
  const given = (values: [name: string, value: string | undefined][]): Record<string, string> =>
    Object.fromEntries(values.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))
  const address = given([
    ['name', fit(nameAt(ADDRESS), nameAt('/buyer/'))],
    ...PARTS.map(([name, ours]): [string, string | undefined] => [name, fit(textOf(place + ours))])
  ])
  const country = textOf(`${place}address_country`)
  const buyer: Buyer = given([
    ['email', fit(textOf('/buyer/email'))],
    ['phone', fit(textOf('/buyer/phone_number'), textOf(`${ADDRESS}phone_number`))],
    ['country', /^[A-Z]{2}$/.test(country) ? country : undefined]
  ])
  if (Object.keys(address).length > 0) buyer.address = address
  return Object.keys(buyer).length > 0 ? { buyer } : {}
}

/** The same, written. @param place where the address is */
export function writeBuyer(
  { email, phone, country, address = {} }: Buyer,
  place = ADDRESS
): [name: string, value: string][] {
  const all: [string, string | undefined][] = [
    ['/buyer/email', email],
    ['/buyer/phone_number', phone],
    ['/buyer/first_name', address.name],
    ...PARTS.map(([name, theirs]): [string, string | undefined] => [place + theirs, address[name]]),
    [`${place}address_country`, country]
  ]
  return all.flatMap(([pointer, value]) => (value === undefined ? [] : [[pointer.slice(1), value]]))
}
