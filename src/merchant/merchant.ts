// A merchant: the settings of its file, with every path and address resolved; a shop: a merchant with its parts, one
// context, passed by hand.
import type { Catalogue, ListedCatalogue } from '../catalogue/product.ts'
import type { Destination } from '../destination/destination.ts'
import type { MessageOverrides, Text } from '../messages/translator.ts'
import type { Authentication } from '../transfer/authentication.ts'
import type { TransferOption } from '../transfer/option.ts'
import type { Links } from './links.ts'
import type { CatalogueSettings, CheckoutSettings, DestinationSettings, MerchantSettings } from './merchant-schema.ts'
import type { Theme } from './theme.ts'

/** A delivery method as an order keeps it: its label is in the merchant's own language, `price` in minor units. */
export type OrderedDelivery = { id: string; label: string; price: number }

export type DeliveryMethod = {
  id: string
  label: Text
  /** In minor units. */
  price: number
  /** The subtotal from which it is free, in minor units; never, if absent. */
  freeFrom?: number
  /** The countries that it delivers to; all of the merchant's, if absent. */
  countries?: string[]
  /** How long it takes, in working days: at least and at most. */
  days?: [number, number]
}

/** Those of some methods that deliver to a country. */
export function methodsTo(country: string, methods: DeliveryMethod[]): DeliveryMethod[] {
  return methods.filter(({ countries }) => countries?.includes(country) ?? true)
}

export type Merchant = {
  id: string
  name: string
  /** The default locale, then the others that are offered. */
  locale: string
  locales: string[]
  /** The messages that this merchant overrides. */
  messages: MessageOverrides
  currencies: string[]
  /** Scheme, host and port of publicUrl; absent when the app reaches this process directly. */
  origin?: string
  /** The path of publicUrl, which everything of this merchant is below; empty for the root. */
  path: string
  option: TransferOption
  /** The settings of `transfer`, including those of the option. */
  transfer: MerchantSettings['transfer']
  /** How the platform proves that a transfer comes from it; absent if it need not. */
  authentication?: Authentication
  checkout: CheckoutSettings
  /** The most that the goods of a bag may cost, in minor units by currency; without it there is no limit. */
  maxTotal?: Record<string, number>
  /** The countries delivered to, ISO 3166-1 codes; the first is preselected. */
  countries: string[]
  /** The delivery methods, by currency. */
  delivery: Record<string, DeliveryMethod[]>
  /** Its own texts for shoppers, by their names in templates. */
  texts: Record<string, Text>
  /** After how many days the personal data of an order is erased; never, if absent. */
  eraseAfterDays?: number
  /** Where the merchant is notified of its orders, and the secret that signs the messages. */
  webhook?: { url: string; secret: string }
  /** Where its carts lead, if not to our own page: with the settings, and the secret shared with the shop. */
  destination?: { destination: Destination; settings: DestinationSettings; secret?: string }
  /** The folder whose pictures are served: next to the feed file, or to the merchant file if there is none. */
  pictures: string
  /**
   * The settings of `catalogue`, with `feed` as the path of a file or an address, the file and line that name it, and user
   * and password for its address; absent if the merchant's own shop does without.
   */
  catalogue?: CatalogueSettings & { place: string; credentials?: string }
  theme: Theme
  links: Links
  /** The folder whose templates override those of the same name. */
  views?: string
}

/** Whether programs send a merchant JSON: carts, or the orders of its own shop. */
export function takesJson({ option, destination }: Pick<Merchant, 'option' | 'destination'>): boolean {
  return option.exchange !== undefined || destination?.secret !== undefined
}

/** Whether a merchant's pages are served over https. */
export function isHttps({ origin }: Pick<Merchant, 'origin'>): boolean {
  return origin?.startsWith('https:') === true
}

/** `Store` is the part of the store that the receiver needs. */
export type Shop<Store> = {
  merchant: Merchant
  catalogue: Catalogue
  store: Store
  clock: () => Date
}

/** A merchant with its catalogue, before there is a store. */
export type MerchantCatalogue = { merchant: Merchant; catalogue: ListedCatalogue }
