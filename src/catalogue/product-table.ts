// The products of a feed, by SKU and in its order, as bytes outside of the heap. As objects, a million of them take three
// times the memory, and every request waits a tenth of a second whenever the garbage collector moves or marks them.
import { randomInt } from 'node:crypto'
import type { Availability, Offer, Product, Sale } from './product.ts'

export type ProductTable = {
  size: () => number
  has: (sku: string) => boolean
  get: (sku: string) => Product | undefined
  /** Adds a product whose SKU is not in the table; its texts have no line ends. */
  add: (product: Product) => void
  /** Adds a product's offer in another currency. @returns whether it had none in that currency */
  addOffer: (sku: string, currency: string, offer: Offer) => boolean
  /** In the order in which they were added. */
  values: () => Iterable<Product>
}

/** In bytes. Pages of a chunk that are never written take no memory. */
const CHUNK = 1024 * 1024

/** Before the texts of a product: where its first offer is, or 0, and the length of the texts. */
const HEADER = 12

/** An offer: where the product's next one is, or 0; price, sale price, start and end of the sale; currency, availability. */
const OFFER = 36

const NEWLINE = 0x0a

/** How many of the products that were asked for are kept as objects, of a few hundred bytes each. */
const MAX_RECENT = 10_000

const AVAILABILITIES: Availability[] = ['in_stock', 'preorder', 'backorder', 'out_of_stock']

/** @param seed that of the index */
export function productTable(seed?: number): ProductTable {
  const chunks: Buffer[] = [Buffer.allocUnsafeSlow(CHUNK)]
  /** Where the next product or offer is put: the number of its chunk times CHUNK, plus the offset. No place is 0. */
  let free = 1
  /** The place of each product. */
  const places: number[] = []
  const currencies: string[] = []
  const recent = new Map<string, Product>()
  const index = skuIndex((sku, number) => textsAt(places[number] as number).startsWith(`${sku}\n`), seed)

  const chunkOf = (place: number) => chunks[Math.floor(place / CHUNK)] as Buffer
  const allocate = (size: number): number => {
    const end = chunks.length * CHUNK
    if (free + size > end) {
      chunks.push(Buffer.allocUnsafeSlow(Math.max(CHUNK, size)))
      free = end
    }
    free += size
    return free - size
  }
  const nextOffer = (place: number) => chunkOf(place).readDoubleLE(place % CHUNK)
  const currencyAt = (place: number) => chunkOf(place).readUInt16LE((place % CHUNK) + 32)
  /** The SKU, title, variant and image of a product, each in a line. */
  const textsAt = (place: number): string => {
    const bytes = chunkOf(place)
    const start = (place % CHUNK) + HEADER
    return bytes.toString('utf8', start, start + bytes.readUInt32LE(start - 4))
  }
  const offerAt = (place: number): Offer => {
    const bytes = chunkOf(place)
    const at = place % CHUNK
    const availability = AVAILABILITIES[bytes.readUInt8(at + 34)] as Availability
    const offer: Offer = { availability, price: bytes.readUInt32LE(at + 8) }
    if (bytes.readUInt8(at + 35) === 0) return offer
    const sale: Sale = { price: bytes.readUInt32LE(at + 12) }
    const from = bytes.readDoubleLE(at + 16)
    const until = bytes.readDoubleLE(at + 24)
    if (!Number.isNaN(from)) sale.from = from
    if (!Number.isNaN(until)) sale.until = until
    offer.sale = sale
    return offer
  }
  const append = (product: number, currency: string, { availability, price, sale }: Offer): boolean => {
    if (!currencies.includes(currency)) currencies.push(currency)
    const code = currencies.indexOf(currency)
    let last = product
    for (let next = nextOffer(last); next !== 0; next = nextOffer(last)) {
      if (currencyAt(next) === code) return false
      last = next
    }
    const place = allocate(OFFER)
    chunkOf(last).writeDoubleLE(place, last % CHUNK)
    const bytes = chunkOf(place)
    let at = bytes.writeDoubleLE(0, place % CHUNK)
    at = bytes.writeUInt32LE(price, at)
    at = bytes.writeUInt32LE(sale?.price ?? 0, at)
    at = bytes.writeDoubleLE(sale?.from ?? Number.NaN, at)
    at = bytes.writeDoubleLE(sale?.until ?? Number.NaN, at)
    at = bytes.writeUInt16LE(code, at)
    at = bytes.writeUInt8(AVAILABILITIES.indexOf(availability), at)
    bytes.writeUInt8(sale ? 1 : 0, at)
    return true
  }
  const read = (place: number): Product => {
    const [sku = '', title = '', variant = '', image = ''] = textsAt(place).split('\n')
    const product: Product = { sku, title, offers: {} }
    if (variant !== '') product.variant = variant
    if (image !== '') product.image = image
    for (let at = nextOffer(place); at !== 0; at = nextOffer(at)) {
      product.offers[currencies[currencyAt(at)] as string] = offerAt(at)
    }
    return product
  }
  const find = (sku: string): number | undefined => {
    const number = index.find(sku)
    return number === undefined ? undefined : places[number]
  }
  return {
    size: () => places.length,
    has: sku => find(sku) !== undefined,
    get: sku => {
      const known = recent.get(sku)
      if (known) return known
      const place = find(sku)
      if (place === undefined) return undefined
      const product = read(place)
      if (recent.size === MAX_RECENT) recent.clear()
      // A SKU cut out of a request would keep all of it in memory.
      recent.set(product.sku, product)
      return product
    },
    add: ({ sku, title, variant = '', image = '', offers }) => {
      // UTF-8 has at most three bytes for each unit of UTF-16.
      const most = HEADER + 4 + 3 * (sku.length + title.length + variant.length + image.length)
      const place = allocate(most)
      const bytes = chunkOf(place)
      const start = (place % CHUNK) + HEADER
      let at = start
      for (const text of [sku, title, variant, image]) {
        if (text !== '') at += bytes.write(text, at)
        bytes[at++] = NEWLINE
      }
      bytes.writeUInt32LE(at - start, bytes.writeDoubleLE(0, start - HEADER))
      free -= most - HEADER - (at - start)
      places.push(place)
      index.add(sku)
      for (const [currency, offer] of Object.entries(offers)) append(place, currency, offer)
    },
    addOffer: (sku, currency, offer) => {
      recent.delete(sku)
      return append(find(sku) as number, currency, offer)
    },
    *values() {
      for (const place of places) yield read(place)
    }
  }
}

export type SkuIndex = {
  find: (sku: string) => number | undefined
  /** Numbers a SKU that is not in the index; the first is 0. */
  add: (sku: string) => void
}

/**
 * Finds the number of a SKU: a hash table with linear probing, in typed arrays, which the garbage collector never looks at.
 * @param isSku whether this is the SKU of that number; the index keeps no SKUs
 * @param seed what hashes begin with; by default nobody knows it, so no feed can be made of SKUs with the same hash
 */
export function skuIndex(isSku: (sku: string, number: number) => boolean, seed = randomInt(2 ** 32)): SkuIndex {
  /** By number. */
  let hashes = new Uint32Array(4)
  /** A slot has a number plus 1, or 0 if it is free. There are twice as many as hashes. */
  let slots = new Uint32Array(8)
  let size = 0

  const put = (number: number) => {
    let slot = (hashes[number] as number) % slots.length
    while (slots[slot] !== 0) slot = (slot + 1) % slots.length
    slots[slot] = number + 1
  }
  return {
    find: sku => {
      const hash = hashOf(sku, seed)
      for (let slot = hash % slots.length; slots[slot] !== 0; slot = (slot + 1) % slots.length) {
        const number = (slots[slot] as number) - 1
        if (hashes[number] === hash && isSku(sku, number)) return number
      }
      return undefined
    },
    add: sku => {
      if (size === hashes.length) {
        const smaller = hashes
        hashes = new Uint32Array(size * 2)
        hashes.set(smaller)
        slots = new Uint32Array(size * 4)
        for (let number = 0; number < size; number++) put(number)
      }
      hashes[size] = hashOf(sku, seed)
      put(size)
      size += 1
    }
  }
}

/** FNV-1a, of 32 bits. */
function hashOf(sku: string, seed: number): number {
  let hash = seed
  for (let i = 0; i < sku.length; i++) hash = Math.imul(hash ^ sku.charCodeAt(i), 0x01000193)
  return (hash ^ (hash >>> 15)) >>> 0
}
