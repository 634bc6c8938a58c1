// A merchant as the rest of the server knows it: the file's settings with every path and address made ready.
import type { TransferOption } from '../transfer/option.ts'
import type { CheckoutSettings, MerchantSettings } from './merchant-schema.ts'

export type Merchant = {
  id: string
  name: string
  locale: string
  currencies: string[]
  /** Scheme, host and port of publicUrl; absent when the app reaches this process itself. */
  origin?: string
  /** The path of publicUrl, under which everything of this merchant is: empty for the root. */
  path: string
  option: TransferOption
  /** The settings of `transfer`, those of the option among them. */
  transfer: MerchantSettings['transfer']
  checkout: CheckoutSettings
  /** The feed file, and the folder beside it whose pictures are served. */
  feed: string
  pictures: string
}

/** Whether a merchant's pages are served over https. */
export function isHttps({ origin }: Pick<Merchant, 'origin'>): boolean {
  return origin?.startsWith('https:') === true
}
