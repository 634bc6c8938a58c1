// A merchant: the settings of its file, with every path and address resolved.
import type { Destination } from '../integrations/destination/destination.ts'
import type { PaymentProvider } from '../integrations/payment/provider.ts'
import type { Language } from '../messages/messages.ts'
import type { MessageOverrides, Text } from '../messages/translator.ts'
import type { Authentication } from '../transfer/authentication.ts'
import { hasPathsBelow, type Key, type ReportError, type TransferOption } from '../transfer/option.ts'
import type { ListedPlatform } from '../ucp/platform-settings.ts'
import type { ArrivalDates } from './arrival-dates.ts'
import type { ListedCatalogue } from './catalogue/product.ts'
import type { DestinationSettings, PaymentSettings } from './checkout-schema.ts'
import type { Links, MerchantSettings } from './merchant-schema.ts'
import type { Theme } from './theme.ts'
import type { TransferSettings } from './transfer-schema.ts'

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

/** A way in: how bags arrive at a path of their own. */
export type Way = {
  /** For the log, metrics and records: that of its option, with the path if another way has the same option (`2A /app`). */
  name: string
  option: TransferOption
  transfer: TransferSettings
  /** How the platform proves that a transfer comes from it; absent if it need not. */
  authentication?: Authentication
  /** Of UCP: who may send carts, by the address of their profiles; any platform may, if absent. */
  platforms?: ReadonlyMap<string, ListedPlatform>
}

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
  ways: [Way, ...Way[]]
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
  /** Others, for its own templates: `it.texts`. */
  templateTexts: Record<string, Text>
  /** After how many days the personal data of an order is erased; never, if absent. */
  eraseAfterDays?: number
  webhook?: { url: string; secret: string }
  /** On whose page its shoppers pay; without it, no payment is taken. Either of `webhookSecrets` signs notifications. */
  payment?: { provider: PaymentProvider; settings: PaymentSettings; secret: string; webhookSecrets: string[] }
  /** Where its carts lead, if not to our own page: with the settings, and the secret shared with the shop. */
  destination?: { adapter: Destination; settings: DestinationSettings; secret?: string }
  /** The folder whose pictures are served: next to the first feed, or to the merchant file if that is at an address. */
  pictures: string
  /** `credentials`: user and password for every address. */
  catalogue?: Omit<NonNullable<MerchantSettings['catalogue']>, 'feed'> & { feeds: FeedSetting[]; credentials?: string }
  theme: Theme
  links: Links
  /** The folder whose templates override those of the same name. */
  views?: string
}

/** Whether programs send a merchant JSON: carts, or the orders of its own shop. */
export function takesJson({ ways, destination }: Merchant): boolean {
  return ways.some(({ option }) => option.exchange) || destination?.secret !== undefined
}

/** Whether platforms keep carts here by a protocol, which they learn from a profile at the root of the origin. */
export function keepsCarts({ ways }: Pick<Merchant, 'ways'>): boolean {
  return ways.some(({ option }) => option.answer === 'protocol')
}

/** The way in that has a path of this server, if one has. */
export function wayAt({ path: outer, ways }: Pick<Merchant, 'path' | 'ways'>, path: string): Way | undefined {
  return ways.find(({ option, transfer }) => {
    const own = outer + transfer.path
    return path === own || (hasPathsBelow(option) && isWithin(path, own))
  })
}

export function isHttps({ origin }: { origin?: string }): boolean {
  return origin?.startsWith('https:') === true
}

export type MerchantCatalogue = { merchant: Merchant; catalogue: ListedCatalogue }

/** Whether a path equals another or lies below it: `/har` is not below `/harbour`, and everything is below the root. */
export function isWithin(path: string, outer: string): boolean {
  return path === outer || path.startsWith(`${outer}/`)
}

/** At the root of an origin, where a platform looks for the profile of the one merchant that takes UCP carts there. */
export const PROFILE_PATH = '/.well-known/ucp'

/** What platforms that keep carts need of a merchant. @param keys of the ways in, in the file */
export function checkProtocol({ ways, catalogue }: Merchant, keys: Key[], report: ReportError): void {
  const [first, second] = ways.flatMap(({ option }, i) => (option.answer === 'protocol' ? [keys[i] as Key] : []))
  if (first && !catalogue) {
    report([...first, 'option'], 'its answers have titles and prices, which only a feed has: give catalogue.feed')
  }
  if (second) report([...second, 'option'], 'another way has it too, and platforms look for one; leave one out')
}

const SERVER_PATHS = ['/healthz', '/simulator', '/favicon.ico', PROFILE_PATH]

/** Below publicUrl: pictures, which are also next to the feed, and files of the theme. */
export const PICTURES_PATH = '/pictures'
export const THEME_PATHS = {
  logo: '/logo',
  darkLogo: '/logo-dark',
  hero: '/hero',
  phoneHero: '/hero-phone',
  fontFile: '/font'
}

/**
 * Below publicUrl: where JSON endpoints are described, where the platform asks what became of its bags, where an own shop reports
 * orders, and a provider payments.
 */
export const OPENAPI_PATH = '/openapi.json'
export const TRANSFERS_PATH = '/transfers'
export const ORDERS_PATH = '/orders'
export const PAYMENTS_PATH = '/payments'

/** Reports paths that overlap each other or the server's own. @param keys of the ways in, in the file */
export function checkPaths(
  { path: publicPath, ways, checkout, destination, payment }: Merchant,
  keys: Key[],
  report: ReportError
): void {
  const paths = ways.map(({ option, transfer: { path } }, i): [Key, string] => {
    const key = [...(keys[i] as Key), 'path']
    // A shop of its own has no pages below checkout.path.
    if (!destination && isWithin(path, checkout.path)) {
      report(key, `it is "${path}"; give one that is not checkout.path or beneath it`)
    } else if (!destination && hasPathsBelow(option) && isWithin(checkout.path, path)) {
      report(key, `it is "${path}", and checkout.path is beneath it, where carts arrive; give another`)
    }
    const other = ways
      .slice(0, i)
      .find(({ transfer }) => isWithin(path, transfer.path) || isWithin(transfer.path, path))
    if (other)
      report(
        key,
        `it is "${path}", and another way has "${other.transfer.path}"; give one that is neither above nor beneath it`
      )
    return [key, path]
  })
  if (SERVER_PATHS.some(taken => isWithin(publicPath, taken))) {
    report(['publicUrl'], `"${publicPath}" is the server's own path; give another`)
    return
  }
  const isAsked = ways.some(({ authentication }) => authentication)
  const own = [
    OPENAPI_PATH,
    ...(isAsked ? [TRANSFERS_PATH] : []),
    ...(destination ? [ORDERS_PATH] : []),
    ...(payment ? [PAYMENTS_PATH] : [])
  ]
  const ours = [PICTURES_PATH, ...Object.values(THEME_PATHS), ...own]
  const taken = [...ours.map(path => publicPath + path), ...SERVER_PATHS]
  for (const [key, path] of [...paths, [['checkout', 'path'], checkout.path] as const]) {
    const full = publicPath + path
    const own = taken.find(one => isWithin(full, one))
    if (own !== undefined) report([...key], `"${full}" lies in "${own}", the server's own path; give another`)
  }
}
