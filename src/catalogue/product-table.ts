// The products of a feed, by SKU and in its order, as bytes outside of the heap. As objects, a million of them take three
// times the memory, and every request waits a tenth of a second whenever the garbage collector moves or marks them.
import { randomInt } from 'node:crypto'
import type { Offer, Product } from './product.ts'

export type ProductTable = {
  size: () => number
  has: (sku: string) => boolean
  get: (sku: string) => Product | undefined
  /** Adds a product whose SKU is not in the table; its texts have no line ends. */
  add: (product: Product) => void
  /** @returns whether the product had no offer in this currency */
  addOffer: (sku: string, currency: string, offer: Offer) => boolean
  /** In the order in which they were added. */
  values: () => Iterable<Product>
}

/** In bytes. */
const CHUNK = 1024 * 1024

/** Before the text of a record: where the product's next record is, or 0, and the length of the text in bytes. */
const HEADER = 12

/** How many of the products that were asked for are kept as objects, of a few hundred bytes each. */
const MAX_RECENT = 10_000

export function productTable(seed?: number): ProductTable {
  const chunks: Buffer[] = [Buffer.allocUnsafeSlow(CHUNK)]
  /** Where the next record is put: the number of its chunk times CHUNK, plus the offset. No place is 0. */
  let free = 1
  /** Of each product the first record: SKU, title, variant, image, and offers as JSON, each in a line. Others have offers. */
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
    const [sku = '', title = '', variant = '', image = '', offers = ''] = textAt(place).split('\n')
    const product: Product = { sku, title, offers: JSON.parse(offers) }
    if (variant !== '') product.variant = variant
    if (image !== '') product.image = image
    for (let at = nextOf(place); at !== 0; at = nextOf(at)) Object.assign(product.offers, JSON.parse(textAt(at)))
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
      places.push(write(`${sku}\n${title}\n${variant}\n${image}\n${JSON.stringify(offers)}`))
      index.add(sku)
    },
    addOffer: (sku, currency, offer) => {
      recent.delete(sku)
      let last = 0
      for (let at = find(sku) as number; at !== 0; at = nextOf(at)) {
        const text = textAt(at)
        if (text.slice(text.lastIndexOf('\n') + 1).includes(`"${currency}":`)) return false
        last = at
      }
      chunkOf(last).writeDoubleLE(write(JSON.stringify({ [currency]: offer })), last % CHUNK)
      return true
    },
    *values() {
      for (const place of places) yield read(place)
    }
  }
}

/**
 * Numbers SKUs from 0: a hash table with linear probing, in typed arrays, which the garbage collector never looks at.
 * @param isSku whether this is the SKU of that number; the index keeps no SKUs
 * @param seed what hashes begin with; by default nobody knows it, so no feed can be made of SKUs with the same hash
 */
export function skuIndex(isSku: (sku: string, number: number) => boolean, seed = randomInt(2 ** 32)) {
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
    find: (sku: string): number | undefined => {
      const hash = hashOf(sku, seed)
      for (let slot = hash % slots.length; slots[slot] !== 0; slot = (slot + 1) % slots.length) {
        const number = (slots[slot] as number) - 1
        if (hashes[number] === hash && isSku(sku, number)) return number
      }
      return undefined
    },
    /** Adds a SKU that is not in the index. */
    add: (sku: string) => {
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
