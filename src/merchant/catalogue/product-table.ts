// The products of a feed, by SKU and in its order, as bytes outside of the heap. As objects, a million of them take three
// times the memory, and every request waits a tenth of a second whenever the garbage collector moves or marks them.
import { randomInt } from 'node:crypto'
import type { Availability, Offer, Product } from './product.ts'

type ProductTexts = [title: string, variant?: string | undefined, image?: string | undefined]

export type ProductTable = ReturnType<typeof productTable>

/** In bytes. */
const CHUNK = 1024 * 1024

/** Before the text of a record: where the product's next record is, or 0, and the length of the text in bytes. */
const HEADER = 12

/** How many of the products that were asked for are kept as objects, of a few hundred bytes each. */
const MAX_RECENT = 10_000

export function productTable(seed?: number) {
  const chunks: Buffer[] = [Buffer.allocUnsafeSlow(CHUNK)]
  /** Where the next record is put: the number of its chunk times CHUNK, plus the offset. No place is 0. */
  let free = 1
  /** Of each product the first record: SKU, title, variant, image and an offer, each in a line. Others have an offer. */
  const places: number[] = []
  const recent = new Map<string, Product>()
  const index = skuIndex((sku, number) => textAt(places[number] as number).startsWith(`${sku}\n`), seed)

  const chunkOf = (place: number) => chunks[Math.floor(place / CHUNK)] as Buffer
  const nextOf = (place: number) => chunkOf(place).readDoubleLE(place % CHUNK)
  const textAt = (place: number): string => {
    const bytes = chunkOf(place)
    const start = (place % CHUNK) + HEADER
    return bytes.toString('utf8', start, start + bytes.readUInt32LE(start - 4))
  }
  const write = (text: string): number => {
    // UTF-8 has at most three bytes for each unit of UTF-16.
    const most = HEADER + 3 * text.length
    const end = chunks.length * CHUNK
    if (free + most > end) {
      chunks.push(Buffer.allocUnsafeSlow(Math.max(CHUNK, most)))
      free = end
    }
    const place = free
    const bytes = chunkOf(place)
    const start = (place % CHUNK) + HEADER
    const length = bytes.write(text, start)
    bytes.writeUInt32LE(length, bytes.writeDoubleLE(0, start - HEADER))
    free += HEADER + length
    return place
  }
  const read = (place: number): Product => {
    const [sku = '', title = '', variant = '', image = '', ...offers] = textAt(place).split('\n')
    for (let at = nextOf(place); at !== 0; at = nextOf(at)) offers.push(textAt(at))
    const product: Product = { sku, title, offers: Object.fromEntries(offers.map(readOffer)) }
    if (variant !== '') product.variant = variant
    if (image !== '') product.image = image
    return product
  }
  return {
    size: () => places.length,
    get: (sku: string): Product | undefined => {
      const known = recent.get(sku)
      if (known) return known
      const number = index.find(sku)
      if (number === undefined) return undefined
      const product = read(places[number] as number)
      if (recent.size === MAX_RECENT) recent.clear()
      // A SKU cut out of a request would keep all of it in memory.
      recent.set(product.sku, product)
      return product
    },
    /**
     * Adds an offer.
     * @param describe called if it is the first of its SKU; these texts, and the SKU, have no line ends
     * @returns whether the product had no offer in this currency
     */
    add: (sku: string, currency: string, offer: Offer, describe: () => ProductTexts): boolean => {
      const added = offerText(currency, offer)
      const number = index.add(sku)
      if (number === places.length) {
        const [title, variant, image] = describe()
        places.push(write([sku, title, variant, image, added].join('\n')))
        return true
      }
      recent.delete(sku)
      let last = 0
      for (let at = places[number] as number; at !== 0; at = nextOf(at)) {
        const text = textAt(at)
        if (text.startsWith(`${currency} `, text.lastIndexOf('\n') + 1)) return false
        last = at
      }
      chunkOf(last).writeDoubleLE(write(added), last % CHUNK)
      return true
    },
    /** In the order in which they were added. */
    *values(): Iterable<Product> {
      for (const place of places) yield read(place)
    }
  }
}

/** Shorter than JSON, and faster to write and to read. */
function offerText(currency: string, { availability, price, sale }: Offer): string {
  return [currency, availability, price, sale?.price, sale?.from, sale?.until].join(' ')
}

function readOffer(text: string): [currency: string, offer: Offer] {
  const [currency = '', availability, price, salePrice, from, until] = text.split(' ')
  const offer: Offer = { availability: availability as Availability, price: Number(price) }
  if (salePrice) {
    offer.sale = { price: Number(salePrice) }
    if (from) offer.sale.from = Number(from)
    if (until) offer.sale.until = Number(until)
  }
  return [currency, offer]
}

/** A table that grows is copied while requests wait, so there are many small ones. */
const TABLES = 64

/**
 * Numbers SKUs from 0: hash tables with linear probing, in typed arrays, which the garbage collector never looks at.
 * @param isSku whether this is the SKU of that number; the index keeps no SKUs
 * @param seed what hashes begin with; by default nobody knows it, so no feed can be made of SKUs with the same hash
 */
export function skuIndex(isSku: (sku: string, number: number) => boolean, seed = randomInt(2 ** 32)) {
  /** Pairs of a SKU's hash and its number plus 1, which is 0 in a free pair. At most half of a table is in use. */
  const tables = Array.from({ length: TABLES }, () => ({ pairs: new Uint32Array(8), used: 0 }))
  let size = 0

  const tableOf = (hash: number) => tables[hash % TABLES] as (typeof tables)[number]
  const find = (sku: string, hash: number): number | undefined => {
    const { pairs } = tableOf(hash)
    for (let at = firstPair(hash, pairs); pairs[at + 1] !== 0; at = (at + 2) % pairs.length) {
      const number = (pairs[at + 1] as number) - 1
      if (pairs[at] === hash && isSku(sku, number)) return number
    }
    return undefined
  }
  return {
    find: (sku: string) => find(sku, hashOf(sku, seed)),
    /** @returns the number of a SKU, the next one if it is not in the index yet */
    add: (sku: string): number => {
      const hash = hashOf(sku, seed)
      const known = find(sku, hash)
      if (known !== undefined) return known
      const table = tableOf(hash)
      table.used += 1
      if (table.used * 4 > table.pairs.length) table.pairs = grown(table.pairs)
      size += 1
      put(table.pairs, hash, size)
      return size - 1
    }
  }
}

function grown(pairs: Uint32Array): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(pairs.length * 2)
  for (let at = 0; at < pairs.length; at += 2) {
    if (pairs[at + 1] !== 0) put(larger, pairs[at] as number, pairs[at + 1] as number)
  }
  return larger
}

function firstPair(hash: number, pairs: Uint32Array): number {
  return (2 * Math.floor(hash / TABLES)) % pairs.length
}

function put(pairs: Uint32Array, hash: number, value: number): void {
  let at = firstPair(hash, pairs)
  while (pairs[at + 1] !== 0) at = (at + 2) % pairs.length
  pairs[at] = hash
  pairs[at + 1] = value
}

function hashOf(sku: string, seed: number): number {
  let hash = seed
  for (let i = 0; i < sku.length; i++) hash = Math.imul(hash ^ sku.charCodeAt(i), 0x01000193)
  return (hash ^ (hash >>> 15)) >>> 0
}
