// The products of a feed, by SKU and in its order, as bytes outside of the heap. As objects, a million of them take three
// times the memory, and every request waits a tenth of a second whenever the garbage collector moves or marks them.
import type { Availability, Offer, Product, Sale } from './product.ts'
import { skuIndex } from './sku-index.ts'

export type ProductTable = {
  size: () => number
  has: (sku: string) => boolean
  get: (sku: string) => Product | undefined
  /** Adds a product, or replaces the one with this SKU. */
  set: (product: Product) => void
  /** Adds a product's offer in another currency. @returns whether it had none in that currency */
  addOffer: (sku: string, currency: string, offer: Offer) => boolean
  /** In the order in which they were added. */
  values: () => Iterable<Product>
}

/** In bytes. Pages of a chunk that are never written take no memory. */
const CHUNK = 1024 * 1024

/**
 * A record is a header, its texts (SKU, title, variant and image, decoded in one go), and its offers. The header has the
 * number of offers, the length of the texts in bytes, and those of SKU, variant and title in units of UTF-16. There is
 * room for as many offers as the next power of two, so that a record which gets one after the other is seldom copied.
 */
const HEADER = 14
const OFFER = 29

const AVAILABILITIES: Availability[] = ['in_stock', 'preorder', 'backorder', 'out_of_stock']

/** @param seed that of the index */
export function productTable(seed?: number): ProductTable {
  /** Where the record of each product begins: the number of its chunk times CHUNK, plus the offset. */
  const positions: number[] = []
  const chunks: Buffer[] = []
  let free = CHUNK

  const at = (number: number): [bytes: Buffer, start: number] => {
    const position = positions[number] as number
    return [chunks[Math.floor(position / CHUNK)] as Buffer, position % CHUNK]
  }
  const index = skuIndex((sku, number) => isRecordOf(sku, ...at(number)), seed)
  /** Where a record of this size may be written. */
  const allocate = (size: number): [bytes: Buffer, start: number] => {
    if (free + size > CHUNK) {
      chunks.push(Buffer.allocUnsafeSlow(Math.max(CHUNK, size)))
      free = 0
    }
    return [chunks.at(-1) as Buffer, free]
  }
  const positionOf = (start: number) => (chunks.length - 1) * CHUNK + start
  return {
    size: () => positions.length,
    has: sku => index.find(sku) !== undefined,
    get: sku => {
      const number = index.find(sku)
      return number === undefined ? undefined : readRecord(...at(number))
    },
    set: product => {
      const [bytes, start] = allocate(largestRecord(product))
      free = writeRecord(product, bytes, start)
      const number = index.find(product.sku)
      if (number !== undefined) positions[number] = positionOf(start)
      else {
        positions.push(positionOf(start))
        index.add(product.sku)
      }
    },
    addOffer: (sku, currency, offer) => {
      const number = index.find(sku) as number
      let [bytes, start] = at(number)
      const count = bytes.readUInt16LE(start)
      const offersAt = offersStart(bytes, start)
      const code = Buffer.from(currency)
      for (let i = 0; i < count; i++) {
        const offerAt = offersAt + i * OFFER
        if (code.every((byte, j) => bytes[offerAt + j] === byte)) return false
      }
      if (count === roomFor(count)) {
        const size = offersAt - start + roomFor(count + 1) * OFFER
        const [copy, copyStart] = allocate(size)
        bytes.copy(copy, copyStart, start, offersAt + count * OFFER)
        positions[number] = positionOf(copyStart)
        free = copyStart + size
        bytes = copy
        start = copyStart
      }
      writeOffer(currency, offer, bytes, offersStart(bytes, start) + count * OFFER)
      bytes.writeUInt16LE(count + 1, start)
      return true
    },
    *values() {
      for (const number of positions.keys()) yield readRecord(...at(number))
    }
  }
}

/** The next power of two. */
function roomFor(offers: number): number {
  return 1 << (32 - Math.clz32(offers - 1))
}

/** In bytes: UTF-8 has at most three for each unit of UTF-16. */
function largestRecord({ sku, title, variant = '', image = '', offers }: Product): number {
  const length = sku.length + title.length + variant.length + image.length
  return HEADER + length * 3 + roomFor(Object.keys(offers).length) * OFFER
}

/** @returns where the record ends */
function writeRecord({ sku, title, variant = '', image = '', offers }: Product, bytes: Buffer, start: number): number {
  const entries = Object.entries(offers)
  const length = bytes.write(sku + title + variant + image, start + HEADER)
  bytes.writeUInt16LE(entries.length, start)
  bytes.writeUInt32LE(length, start + 2)
  bytes.writeUInt16LE(sku.length, start + 6)
  bytes.writeUInt16LE(variant.length, start + 8)
  bytes.writeUInt32LE(title.length, start + 10)
  const offersAt = start + HEADER + length
  let at = offersAt
  for (const [currency, offer] of entries) {
    writeOffer(currency, offer, bytes, at)
    at += OFFER
  }
  return offersAt + roomFor(entries.length) * OFFER
}

function writeOffer(currency: string, { availability, price, sale }: Offer, bytes: Buffer, at: number): void {
  bytes.write(currency, at)
  bytes.writeUInt8(AVAILABILITIES.indexOf(availability), at + 3)
  bytes.writeUInt8(sale ? 1 : 0, at + 4)
  bytes.writeUInt32LE(price, at + 5)
  bytes.writeUInt32LE(sale?.price ?? 0, at + 9)
  bytes.writeDoubleLE(sale?.from ?? Number.NaN, at + 13)
  bytes.writeDoubleLE(sale?.until ?? Number.NaN, at + 21)
}

/** Where the offers of a record begin. */
function offersStart(bytes: Buffer, start: number): number {
  return start + HEADER + bytes.readUInt32LE(start + 2)
}

function readCurrency(bytes: Buffer, at: number): string {
  const [a = 0, b = 0, c = 0] = [bytes[at], bytes[at + 1], bytes[at + 2]]
  return String.fromCharCode(a, b, c)
}

/** Whether a record is that of a SKU; nearly all are ASCII, which needs no decoding. */
function isRecordOf(sku: string, bytes: Buffer, start: number): boolean {
  if (bytes.readUInt16LE(start + 6) !== sku.length) return false
  for (let i = 0; i < sku.length; i++) {
    const unit = sku.charCodeAt(i)
    if (unit > 0x7f) return readRecord(bytes, start).sku === sku
    if (unit !== bytes[start + HEADER + i]) return false
  }
  return true
}

function readRecord(bytes: Buffer, start: number): Product {
  const textsAt = start + HEADER
  const offersAt = offersStart(bytes, start)
  const texts = bytes.toString('utf8', textsAt, offersAt)
  const titleAt = bytes.readUInt16LE(start + 6)
  const variantAt = titleAt + bytes.readUInt32LE(start + 10)
  const imageAt = variantAt + bytes.readUInt16LE(start + 8)
  const offers: Product['offers'] = {}
  for (let i = 0; i < bytes.readUInt16LE(start); i++) {
    const at = offersAt + i * OFFER
    offers[readCurrency(bytes, at)] = readOffer(bytes, at)
  }
  return {
    sku: texts.slice(0, titleAt),
    title: texts.slice(titleAt, variantAt),
    ...(imageAt > variantAt && { variant: texts.slice(variantAt, imageAt) }),
    ...(texts.length > imageAt && { image: texts.slice(imageAt) }),
    offers
  }
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
