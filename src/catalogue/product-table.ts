// The products of a feed, by SKU and in its order, as bytes outside of the heap. As objects, a million of them take three
// times the memory, and every request waits a tenth of a second whenever the garbage collector moves or marks them.
import { randomInt } from 'node:crypto'
import { memoize } from '../messages/memoize.ts'
import type { Availability, Offer, Product, Sale } from './product.ts'

export type ProductTable = {
  size: () => number
  has: (sku: string) => boolean
  get: (sku: string) => Product | undefined
  /** Adds a product whose SKU is not in the table. */
  add: (product: Product) => void
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
  const chunks: Chunk[] = []
  let free = CHUNK
  const currencyOf = memoize(currencyText)

  const at = (number: number): [chunk: Chunk, start: number] => {
    const position = positions[number] as number
    return [chunks[Math.floor(position / CHUNK)] as Chunk, position % CHUNK]
  }
  const index = skuIndex((sku, number) => isRecordOf(sku, ...at(number)), seed)
  /** Where a record of this size may be written. */
  const allocate = (size: number): [chunk: Chunk, start: number] => {
    if (free + size > CHUNK) {
      const bytes = Buffer.allocUnsafeSlow(Math.max(CHUNK, size))
      chunks.push({ bytes, numbers: new DataView(bytes.buffer) })
      free = 0
    }
    return [chunks.at(-1) as Chunk, free]
  }
  const positionOf = (start: number) => (chunks.length - 1) * CHUNK + start
  return {
    size: () => positions.length,
    has: sku => index.find(sku) !== undefined,
    get: sku => {
      const number = index.find(sku)
      return number === undefined ? undefined : readRecord(...at(number), currencyOf)
    },
    add: product => {
      const [chunk, start] = allocate(largestRecord(product))
      free = writeRecord(product, chunk, start)
      positions.push(positionOf(start))
      index.add(product.sku)
    },
    addOffer: (sku, currency, offer) => {
      const number = index.find(sku) as number
      let [chunk, start] = at(number)
      const { bytes, numbers } = chunk
      const count = numbers.getUint16(start)
      const offersAt = offersStart(chunk, start)
      const code = Buffer.from(currency)
      for (let i = 0; i < count; i++) {
        const offerAt = offersAt + i * OFFER
        if (code.every((byte, j) => bytes[offerAt + j] === byte)) return false
      }
      if (count === roomFor(count)) {
        const size = offersAt - start + roomFor(count + 1) * OFFER
        const [copy, copyStart] = allocate(size)
        bytes.copy(copy.bytes, copyStart, start, offersAt + count * OFFER)
        positions[number] = positionOf(copyStart)
        free = copyStart + size
        chunk = copy
        start = copyStart
      }
      writeOffer(currency, offer, chunk, offersStart(chunk, start) + count * OFFER)
      chunk.numbers.setUint16(start, count + 1)
      return true
    },
    *values() {
      for (const number of positions.keys()) yield readRecord(...at(number), currencyOf)
    }
  }
}

/** `numbers` are of the same bytes: Buffer's own methods take ten times as long for each. */
type Chunk = { bytes: Buffer; numbers: DataView }

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
function writeRecord({ sku, title, variant = '', image = '', offers }: Product, chunk: Chunk, start: number): number {
  const { bytes, numbers } = chunk
  const entries = Object.entries(offers)
  let offersAt = start + HEADER
  for (const text of [sku, title, variant, image]) {
    if (text !== '') offersAt += bytes.write(text, offersAt)
  }
  numbers.setUint16(start, entries.length)
  numbers.setUint32(start + 2, offersAt - start - HEADER)
  numbers.setUint16(start + 6, sku.length)
  numbers.setUint16(start + 8, variant.length)
  numbers.setUint32(start + 10, title.length)
  let at = offersAt
  for (const [currency, offer] of entries) {
    writeOffer(currency, offer, chunk, at)
    at += OFFER
  }
  return offersAt + roomFor(entries.length) * OFFER
}

function writeOffer(currency: string, { availability, price, sale }: Offer, { numbers }: Chunk, at: number): void {
  for (let i = 0; i < 3; i++) numbers.setUint8(at + i, currency.charCodeAt(i))
  numbers.setUint8(at + 3, AVAILABILITIES.indexOf(availability))
  numbers.setUint8(at + 4, sale ? 1 : 0)
  numbers.setUint32(at + 5, price)
  numbers.setUint32(at + 9, sale?.price ?? 0)
  numbers.setFloat64(at + 13, sale?.from ?? Number.NaN)
  numbers.setFloat64(at + 21, sale?.until ?? Number.NaN)
}

/** Where the offers of a record begin. */
function offersStart({ numbers }: Chunk, start: number): number {
  return start + HEADER + numbers.getUint32(start + 2)
}

function currencyText(code: number): string {
  return String.fromCharCode(code >> 16, (code >> 8) & 0xff, code & 0xff)
}

/** Whether a record is that of a SKU; nearly all are ASCII, which needs no decoding. */
function isRecordOf(sku: string, chunk: Chunk, start: number): boolean {
  const { bytes, numbers } = chunk
  if (numbers.getUint16(start + 6) !== sku.length) return false
  for (let i = 0; i < sku.length; i++) {
    const unit = sku.charCodeAt(i)
    if (unit > 0x7f) return readTexts(chunk, start).startsWith(sku)
    if (unit !== bytes[start + HEADER + i]) return false
  }
  return true
}

/** The SKU and the other texts of a record, one after the other. */
function readTexts(chunk: Chunk, start: number): string {
  return chunk.bytes.toString('utf8', start + HEADER, offersStart(chunk, start))
}

/** @param currencyOf the same string for each offer in a currency: V8 would have to look up a new one to use it as a key */
function readRecord(chunk: Chunk, start: number, currencyOf: typeof currencyText): Product {
  const { numbers } = chunk
  const offersAt = offersStart(chunk, start)
  const texts = readTexts(chunk, start)
  const titleAt = numbers.getUint16(start + 6)
  const variantAt = titleAt + numbers.getUint32(start + 10)
  const imageAt = variantAt + numbers.getUint16(start + 8)
  const offers: Product['offers'] = {}
  for (let i = 0; i < numbers.getUint16(start); i++) {
    const at = offersAt + i * OFFER
    offers[currencyOf((numbers.getUint16(at) << 8) | numbers.getUint8(at + 2))] = readOffer(chunk, at)
  }
  const product: Product = { sku: texts.slice(0, titleAt), title: texts.slice(titleAt, variantAt), offers }
  if (imageAt > variantAt) product.variant = texts.slice(variantAt, imageAt)
  if (texts.length > imageAt) product.image = texts.slice(imageAt)
  return product
}

function readOffer({ numbers }: Chunk, at: number): Offer {
  const availability = AVAILABILITIES[numbers.getUint8(at + 3)] as Availability
  const price = numbers.getUint32(at + 5)
  if (numbers.getUint8(at + 4) === 0) return { availability, price }
  const sale: Sale = { price: numbers.getUint32(at + 9) }
  const from = numbers.getFloat64(at + 13)
  const until = numbers.getFloat64(at + 21)
  if (!Number.isNaN(from)) sale.from = from
  if (!Number.isNaN(until)) sale.until = until
  return { availability, price, sale }
}

/** Growing copies a whole table, so several small ones keep each pause short. A power of two, as are their sizes. */
const TABLES = 64
const SMALLEST = 4
/** At most half of the slots are in use. */
const SPARE = 2

export type SkuIndex = {
  find: (sku: string) => number | undefined
  /** Numbers a SKU that is not in the index; the first is 0. */
  add: (sku: string) => void
}

/**
 * @param isSku whether this is the SKU of that number; the index keeps no SKUs
 * @param seed what hashes begin with; by default nobody knows it, so no feed can be made of SKUs with the same hash
 */
export function skuIndex(isSku: (sku: string, number: number) => boolean, seed = randomInt(2 ** 32)): SkuIndex {
  /** A slot has a number plus 1, or 0 if it is free. */
  const tables = Array.from({ length: TABLES }, () => ({ slots: new Uint32Array(SMALLEST), used: 0 }))
  let hashes = new Uint32Array(SMALLEST)
  let size = 0

  const hashAt = (number: number) => hashes[number] as number
  return {
    find: sku => {
      const hash = hashOf(sku, seed)
      const { slots } = tables[hash % TABLES] as (typeof tables)[number]
      for (let slot = firstSlot(hash, slots); slots[slot] !== 0; slot = (slot + 1) % slots.length) {
        const number = (slots[slot] as number) - 1
        if (hashAt(number) === hash && isSku(sku, number)) return number
      }
      return undefined
    },
    add: sku => {
      const hash = hashOf(sku, seed)
      if (size === hashes.length) hashes = grown(hashes)
      hashes[size] = hash
      size += 1
      const table = tables[hash % TABLES] as (typeof tables)[number]
      table.used += 1
      if (table.used * SPARE > table.slots.length) {
        const { slots } = table
        table.slots = new Uint32Array(slots.length * 2)
        for (const value of slots) if (value !== 0) put(table.slots, hashAt(value - 1), value)
      }
      put(table.slots, hash, size)
    }
  }
}

/** FNV-1a, of 32 bits. */
function hashOf(sku: string, seed: number): number {
  let hash = seed
  for (let i = 0; i < sku.length; i++) hash = Math.imul(hash ^ sku.charCodeAt(i), 0x01000193)
  return (hash ^ (hash >>> 15)) >>> 0
}

function firstSlot(hash: number, slots: Uint32Array): number {
  return Math.floor(hash / TABLES) % slots.length
}

function put(slots: Uint32Array, hash: number, value: number): void {
  let slot = firstSlot(hash, slots)
  while (slots[slot] !== 0) slot = (slot + 1) % slots.length
  slots[slot] = value
}

function grown(array: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(array.length * 2)
  larger.set(array)
  return larger
}
