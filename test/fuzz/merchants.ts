// The merchants that are fuzzed, one for each option.

import { transferOptions } from '../../src/transfer/index.ts'
import { merchantFile } from '../build.ts'
import { ORIGIN, shopOf } from './write-request.ts'

/** The most lines of a cart that they take: the default. */
export const MAX_ITEMS = 500

export const merchantFiles: object[] = transferOptions.map(({ name }) => {
  const { path } = shopOf(name)
  return merchantFile(name, {
    id: path.slice(1),
    publicUrl: ORIGIN + path,
    locales: ['de-DE', 'ar'],
    countries: ['GB', 'JP'],
    delivery: [
      { id: 'standard', label: 'Standard', price: '4.50' },
      { id: 'express', label: 'Express', price: '9.00' }
    ]
  })
})
