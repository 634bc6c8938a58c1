// The products of a feed, by SKU and in its order, as bytes outside of the heap. As objects, a million of them take three
// times the memory, and every request waits a tenth of a second whenever the garbage collector moves or marks them.
import type { Availability, Offer, Product, Sale } from './product.ts'
import { skuIndex } from './sku-index.ts'

export type ProductTable = {
  size: () => number
  get: (sku: string) => Product | undefined
  /** Adds a product, or replaces the one with this SKU. */
  set: (product: Product) => void
  /** In the order in which they were added. */
  values: () => Iterable<Product>
}

/** In bytes. Pages of a chunk that are never written take no memory. */
const CHUNK = 1024 * 1024

/**
 * A record is a header, its texts (SKU, title and image, decoded in one go), and its offers. The header has the number of
 * offers, the length of the texts in bytes, and those of SKU and title in units of UTF-16.
 */
const HEADER = 14
const OFFER = 29

const AVAILABILITIES: Availability[] = ['in_stock', 'preorder', 'backorder', 'out_of_stock']

export function productTable(): ProductTable {
  /** Where the record of each product begins: the number of its chunk times CHUNK, plus the offset. */
  const positions: number[] = []
  const chunks: Buffer[] = []
  let free = CHUNK

  const at = (number: number): [bytes: Buffer, start: number] => {
    const position = positions[number] as number
    return [chunks[Math.floor(position / CHUNK)] as Buffer, position % CHUNK]
  }
  const index = skuIndex((sku, number) => isRecordOf(sku, ...at(number)))
  return {
    size: () => positions.length,
    get: sku => {
      const number = index.find(sku)
      return number === undefined ? undefined : readRecord(...at(number))
    },
    set: product => {
      const maxSize = largestRecord(product)
      if (free + maxSize > CHUNK) {
        chunks.push(Buffer.allocUnsafeSlow(Math.max(CHUNK, maxSize)))
        free = 0
      }
      const position = (chunks.length - 1) * CHUNK + free
      free = writeRecord(product, chunks.at(-1) as Buffer, free)
      const number = index.find(product.sku)
      if (number !== undefined) positions[number] = position
      else {
        positions.push(position)
        index.add(product.sku)
      }
    },
    *values() {
      for (const number of positions.keys()) yield readRecord(...at(number))
    }
  }
}

/** In bytes: UTF-8 has at most three for each unit of UTF-16. */
function largestRecord({ sku, title, image = '', offers }: Product): number {
  return HEADER + (sku.length + title.length + image.length) * 3 + Object.keys(offers).length * OFFER
}

/** @returns where the record ends */
function writeRecord({ sku, title, image = '', offers }: Product, bytes: Buffer, start: number): number {
  const entries = Object.entries(offers)
  const length = bytes.write(sku + title + image, start + HEADER)
  bytes.writeUInt16LE(entries.length, start)
  bytes.writeUInt32LE(length, start + 2)
  bytes.writeUInt32LE(sku.length, start + 6)
  bytes.writeUInt32LE(title.length, start + 10)
  let at = start + HEADER + length
  for (const [currency, { availability, price, sale }] of entries) {
    bytes.write(currency, at)
    bytes.writeUInt8(AVAILABILITIES.indexOf(availability), at + 3)
    bytes.writeUInt8(sale ? 1 : 0, at + 4)
    bytes.writeUInt32LE(price, at + 5)
    bytes.writeUInt32LE(sale?.price ?? 0, at + 9)
    bytes.writeDoubleLE(sale?.from ?? Number.NaN, at + 13)
    bytes.writeDoubleLE(sale?.until ?? Number.NaN, at + 21)
    at += OFFER
  }
  return at
}

/** Whether a record is that of a SKU; nearly all are ASCII, which needs no decoding. */
function isRecordOf(sku: string, bytes: Buffer, start: number): boolean {
  if (bytes.readUInt32LE(start + 6) !== sku.length) return false
  for (let i = 0; i < sku.length; i++) {
    const unit = sku.charCodeAt(i)
    if (unit > 0x7f) return readRecord(bytes, start).sku === sku
    if (unit !== bytes[start + HEADER + i]) return false
  }
  return true
}

function readRecord(bytes: Buffer, start: number): Product {
  const textsAt = start + HEADER
  const offersAt = textsAt + bytes.readUInt32LE(start + 2)
  const texts = bytes.toString('utf8', textsAt, offersAt)
  const titleAt = bytes.readUInt32LE(start + 6)
  const imageAt = titleAt + bytes.readUInt32LE(start + 10)
  const offers: Product['offers'] = {}
  for (let i = 0; i < bytes.readUInt16LE(start); i++) {
    const at = offersAt + i * OFFER
    const [a = 0, b = 0, c = 0] = [bytes[at], bytes[at + 1], bytes[at + 2]]
    offers[String.fromCharCode(a, b, c)] = readOffer(bytes, at)
  }
  const sku = texts.slice(0, titleAt)
  const title = texts.slice(titleAt, imageAt)
  return imageAt === texts.length ? { sku, title, offers } : { sku, title, image: texts.slice(imageAt), offers }
}

function readOffer(bytes: Buffer, at: number): Offer {
  const availability = AVAILABILITIES[bytes.readUInt8(at + 3)] as Availability
  const price = bytes.readUInt32LE(at + 5)
  if (bytes.readUInt8(at + 4) === 0) return { availability, price }
  const sale: Sale = { price: bytes.readUInt32LE(at + 9) }
  const from = bytes.readDoubleLE(at + 13)
  const until = bytes.readDoubleLE(at + 21)
  if (!Number.isNaN(from)) sale.from = from
  if (!Number.isNaN(until)) sale.until = until
  return { availability, price, sale }
}
