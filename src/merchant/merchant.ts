// A merchant: the settings of its file, with every path and address resolved; a shop: a merchant with its parts.

import type { Destination } from '../integrations/destination/destination.ts'
import { isPrivate } from '../integrations/destination/shop-page.ts'
import type { PaymentProvider } from '../integrations/payment/provider.ts'
import type { Language } from '../messages/messages.ts'
import type { MessageOverrides, Text } from '../messages/translator.ts'
import type { Authentication } from '../transfer/authentication.ts'
import type { SettingMistake, TransferOption } from '../transfer/option.ts'
import type { ArrivalDates } from './arrival-dates.ts'
import type { Catalogue, ListedCatalogue } from './catalogue/product.ts'
import type { DestinationSettings, PaymentSettings } from './checkout-schema.ts'
import type { Key } from './json-file.ts'
import type { Links, MerchantSettings } from './merchant-schema.ts'
import type { Theme } from './theme.ts'

/** A delivery method as an order keeps it: its label is in the language of the order, `price` in minor units. */
export type OrderedDelivery = { id: string; label: string; price: number }

type DeliverySettings = NonNullable<MerchantSettings['delivery']>[number]

/** In one currency, with amounts in minor units. Without `countries`, it delivers to all of those of its currency. */
export type DeliveryMethod = Omit<DeliverySettings, 'price' | 'freeFrom'> & { price: number; freeFrom?: number }

export function methodsTo(country: string, methods: DeliveryMethod[]): DeliveryMethod[] {
  return methods.filter(({ countries }) => countries?.includes(country) ?? true)
}

/** The method at what it costs for goods of this subtotal, in minor units. */
export function chargedAt<Method extends DeliveryMethod>(subtotal: number, method: Method): Method {
  return method.freeFrom !== undefined && subtotal >= method.freeFrom ? { ...method, price: 0 } : method
}

/** A product feed: its address or absolute path, the key that names it, its language if not the merchant's own. */
export type FeedSetting = { address: string; key: Key; language?: Language }

export type Merchant = {
  id: string
  name: string
  /** The default locale, then the others that are offered. */
  locale: string
  locales: string[]
  messages: MessageOverrides
  currencies: string[]
  /** Scheme, host and port of publicUrl; absent when the app reaches this process directly. */
  origin?: string
  /** The path of publicUrl; empty for the root. */
  path: string
  option: TransferOption
  transfer: MerchantSettings['transfer']
  /** How the platform proves that a transfer comes from it; absent if it need not. */
  authentication?: Authentication
  checkout: Omit<MerchantSettings['checkout'], 'path' | 'payment' | 'destination'> & { path: string }
  /** The most that the goods of a bag may cost, in minor units by currency; without it there is no limit. */
  maxTotal?: Record<string, number>
  /** The countries delivered to by currency, ISO 3166-1 codes; the first is preselected. */
  countries: Record<string, string[]>
  delivery: Record<string, DeliveryMethod[]>
  /** If the page shows dates instead of working days. */
  arrivalDates?: ArrivalDates
  /** Its own texts for shoppers, by their names in templates. */
  texts: Record<string, Text>
  /** After how many days the personal data of an order is erased; never, if absent. */
  eraseAfterDays?: number
  webhook?: { url: string; secret: string }
  /** On whose page its shoppers pay; without it, no payment is taken. Either of `webhookSecrets` signs notifications. */
  payment?: { provider: PaymentProvider; settings: PaymentSettings; secret: string; webhookSecrets: string[] }
  /** Where its carts lead, if not to our own page: with the settings, and the secret shared with the shop. */
  destination?: { destination: Destination; settings: DestinationSettings; secret?: string }
  /** The folder whose pictures are served: next to the first feed, or to the merchant file if that is at an address. */
  pictures: string
  /** `credentials`: user and password for every address. */
  catalogue?: Omit<NonNullable<MerchantSettings['catalogue']>, 'feed'> & { feeds: FeedSetting[]; credentials?: string }
  theme: Theme
  links: Links
  /** The folder whose templates override those of the same name. */
  views?: string
}

/** What the pages check, each part if it can be read. */
export type PageSettings = {
  titles?: Pick<Merchant, 'name' | 'locale' | 'locales' | 'messages'> & { completeTitle: string }
  views?: string
}

/** Whether programs send a merchant JSON: carts, or the orders of its own shop. */
export function takesJson({ option, destination }: Pick<Merchant, 'option' | 'destination'>): boolean {
  return option.exchange !== undefined || destination?.secret !== undefined
}

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

export type MerchantCatalogue = { merchant: Merchant; catalogue: ListedCatalogue }

/** All addresses come from publicUrl, never from a Host header. Without an origin: where this process listens. */
export type PublicUrl = { origin?: string; path: string }

const PATH = /^(\/(?!\.{1,2}(\/|$))[A-Za-z0-9._~-]+)*$/

/** @returns the parts, or what is wrong and what would be right */
export function readPublicUrl(text: string): PublicUrl | string {
  if (text.startsWith('/')) {
    const path = text === '/' ? '' : text
    return PATH.test(path)
      ? { path }
      : 'a path is made of letters, digits, ".", "_", "~" and "-", without a slash at the end'
  }
  const url = URL.parse(text)
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    return 'give an address such as "https://shop.example/app", or a path such as "/harbour"'
  }
  const { origin } = url
  const path = url.pathname.replace(/\/$/, '')
  const problem = httpProblem(url)
  if (problem) return problem
  if (text !== origin + path) return `write it as "${origin}${path}": no slash at the end, no user, query or fragment`
  return PATH.test(path) ? { origin, path } : 'its path is made of letters, digits, ".", "_", "~" and "-"'
}

/** What is wrong with the scheme of an http or https address, if anything is. */
export function httpProblem({ protocol, hostname }: URL): string | undefined {
  if (protocol === 'https:' || isPrivate(hostname)) return undefined
  return `use https: http is for loopback and private addresses only, and "${hostname}" is neither`
}

/** Whether a path equals another or lies below it: `/har` is not below `/harbour`, and everything is below the root. */
export function isWithin(path: string, outer: string): boolean {
  return path === outer || path.startsWith(`${outer}/`)
}

const SERVER_PATHS = ['/healthz', '/simulator', '/favicon.ico']

/** Below publicUrl: pictures, which are also next to the feed, and files of the look. */
export const PICTURES_PATH = '/pictures'
export const LOOK_PATHS = { logo: '/logo', darkLogo: '/logo-dark', hero: '/hero', fontFile: '/font' }

/** Below publicUrl: where JSON endpoints are described, where an own shop reports orders, and a provider payments. */
export const OPENAPI_PATH = '/openapi.json'
export const ORDERS_PATH = '/orders'
export const PAYMENTS_PATH = '/payments'

/** The paths of a merchant, of which the others are below that of publicUrl. Those that are wrong are left out. */
type Paths = Record<'publicUrl' | 'transfer' | 'checkout', string | undefined>

/**
 * Paths overlap neither each other nor the server's own.
 * @param isOwnShop whether its carts lead into a shop of its own
 * @param takesPayment whether its shoppers pay on the page of a provider
 */
export function pathMistakes(
  { publicUrl, ...below }: Paths,
  { isOwnShop, takesPayment }: { isOwnShop: boolean; takesPayment: boolean }
): SettingMistake[] {
  const mistakes: SettingMistake[] = []
  // A shop of its own has no pages below checkout.path.
  const { transfer, checkout } = below
  if (!isOwnShop && transfer && checkout && isWithin(transfer, checkout)) {
    const problem = `it is "${transfer}"; give one that is not checkout.path or beneath it`
    mistakes.push({ key: ['transfer', 'path'], problem })
  }
  if (publicUrl === undefined) return mistakes
  if (SERVER_PATHS.some(taken => isWithin(publicUrl, taken))) {
    return [...mistakes, { key: ['publicUrl'], problem: `"${publicUrl}" is the server's own path; give another` }]
  }
  const own = [OPENAPI_PATH, ...(isOwnShop ? [ORDERS_PATH] : []), ...(takesPayment ? [PAYMENTS_PATH] : [])]
  const ours = [PICTURES_PATH, ...Object.values(LOOK_PATHS), ...own]
  const taken = [...ours.map(path => publicUrl + path), ...SERVER_PATHS]
  for (const [part, path] of Object.entries(below)) {
    const full = publicUrl + path
    const own = taken.find(one => isWithin(full, one))
    if (path === undefined || own === undefined) continue
    mistakes.push({ key: [part, 'path'], problem: `"${full}" lies in "${own}", the server's own path; give another` })
  }
  return mistakes
}
