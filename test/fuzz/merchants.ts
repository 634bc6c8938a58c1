// The merchants that are fuzzed, one for each option.
import { merchantFile } from '../build.ts'
import { ORIGIN, SHOPS } from './write-request.ts'

/** The most lines of a cart that they take: the default. */
export const MAX_ITEMS = 500

export const merchantFiles: object[] = Object.entries(SHOPS).map(([option, { path }]) =>
  merchantFile(option, {
    id: path.slice(1),
    publicUrl: ORIGIN + path,
    locales: ['de-DE', 'ar'],
    countries: ['GB', 'JP'],
    delivery: [
      { id: 'standard', label: 'Standard', price: '4.50' },
      { id: 'express', label: 'Express', price: '9.00' }
    ]
  })
)
