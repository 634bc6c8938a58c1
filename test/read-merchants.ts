// Merchant files read without their feeds.
import type { Merchant } from '../src/merchant/merchant.ts'
import { MerchantFileError, type ReadOptions, readMerchantFiles as readFiles } from '../src/merchant/merchant-file.ts'

/** @throws MerchantFileError with every mistake in every file */
export function readMerchantFiles(files: string[], options: ReadOptions): Merchant[] {
  const { read, mistakes } = readFiles(files, options)
  if (mistakes.length > 0) throw new MerchantFileError(mistakes, files)
  return read.map(({ merchant }) => merchant as Merchant)
}
