// Small feeds, and how tests read them.

import { type ReadFeedOptions, readFeed } from '../../../src/merchant/catalogue/feed.ts'

/** A feed of these products. */
export function feedOf(...skus: string[]): string {
  return ['id\ttitle\tprice\tavailability', ...skus.map(sku => `${sku}\tT\t1 GBP\tin_stock`)].join('\n')
}

/** As a file is read, but with chunks that end anywhere. */
export function* chunksOf(content: string | Buffer, size: number): Generator<Buffer> {
  const bytes = Buffer.from(content as string)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

export async function readProducts(content: string | Buffer, size = 1000, options: ReadFeedOptions = {}) {
  const { products, problems } = await readFeed(chunksOf(content, size), options)
  return { products: [...products.values()], problems }
}
