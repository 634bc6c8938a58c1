// A merchant as the rest of the server knows it: the file's settings with every path and address made ready.
import type { OwnMessages, Text } from '../messages/words.ts'
import type { TransferOption } from '../transfer/option.ts'
import type { Look } from './merchant-look.ts'
import type { CheckoutSettings, MerchantSettings } from './merchant-schema.ts'

export type Merchant = {
  id: string
  name: string
  /** The locale of shoppers whose language this shop does not speak, and the others that it offers. */
  locale: string
  locales: string[]
  /** What this shop says in its own words. */
  messages: OwnMessages
  currencies: string[]
  /** Scheme, host and port of publicUrl; absent when the app reaches this process itself. */
  origin?: string
  /** The path of publicUrl, under which everything of this merchant is: empty for the root. */
  path: string
  option: TransferOption
  /** The settings of `transfer`, those of the option among them. */
  transfer: MerchantSettings['transfer']
  checkout: CheckoutSettings
  /** The countries delivered to, ISO 3166-1 codes; the first is the one proposed. */
  countries: string[]
  /** The delivery methods, each at its price in every currency of the merchant, in minor units. */
  delivery: { id: string; label: Text; prices: Record<string, number> }[]
  /** The sentence about payment that the checkout page shows. */
  paymentText?: Text
  /** Where the merchant is told of its orders, and the secret that signs what it is told. */
  webhook?: { url: string; secret: string }
  /** The feed file, and the folder beside it whose pictures are served. */
  feed: string
  pictures: string
  /** What its pages wear. */
  look: Look
}

/** Whether a merchant's pages are served over https. */
export function isHttps({ origin }: Pick<Merchant, 'origin'>): boolean {
  return origin?.startsWith('https:') === true
}
