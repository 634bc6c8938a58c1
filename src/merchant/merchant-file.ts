// Reads merchant files. Whatever could not work is found before the server starts, and reported with file, line, key, what
// is wrong and what would be right.
import { resolve } from 'node:path'
import type { Destination } from '../destination/destination.ts'
import type { DestinationRoute } from '../destination/shop-page.ts'
import { OperatorError } from '../errors.ts'
import { isLocale } from '../messages/messages.ts'
import { isCurrency, toDecimal, toMinor } from '../money.ts'
import { bearerToken, webhookSecret } from '../secrets.ts'
import type { Authentication } from '../transfer/authentication.ts'
import type { SettingMistake, TransferOption } from '../transfer/option.ts'
import { isKnownCountry } from './countries.ts'
import type { Key, ReportMistake } from './json-file.ts'
import {
  type DeliveryMethod,
  httpProblem,
  isWithin,
  type Merchant,
  type PublicUrl,
  pathMistakes,
  readPublicUrl
} from './merchant.ts'
import { readCatalogue } from './read-catalogue.ts'
import { readLocales, readMessages, readOwnTexts } from './read-messages.ts'
import { readSettings, type SettingsOptions, type SettingsSource } from './read-settings.ts'
import type { Amounts } from './setting-types.ts'
import { readTheme } from './theme.ts'

export class MerchantFileError extends OperatorError {}

export type ReadOptions = SettingsOptions & {
  findPageMistakes?: (merchant: Merchant) => SettingMistake[]
}

/** The longest possible origin of this process: a host name of 253 characters and a port. */
const LONGEST_ORIGIN = `http://${'h'.repeat(253)}:65535`

/** @throws MerchantFileError with every mistake in every file */
export function readMerchantFiles(files: string[], options: ReadOptions): Merchant[] {
  const problems: string[] = []
  const loaded: { merchant: Merchant; report: ReportMistake }[] = []
  for (const file of files) {
    const before = problems.length
    const source = readSettings(file, options, problems)
    const merchant = source && readMerchant(source, options)
    if (merchant && problems.length === before) loaded.push({ merchant, report: source.report })
  }
  loaded.forEach(({ merchant, report }, i) => {
    for (const { merchant: earlier } of loaded.slice(0, i)) findConflict(merchant, earlier, report)
  })
  if (problems.length > 0) throw new MerchantFileError(problems.join('\n'))
  return loaded.map(({ merchant }) => merchant)
}

/** Checks what a schema cannot express, and resolves every path and address. */
function readMerchant(
  source: SettingsSource,
  { options, destinations, findPageMistakes = () => [] }: ReadOptions
): Merchant {
  const { settings, folder, report } = source
  const { id, name, publicUrl, locale, currencies, transfer } = settings
  const { destination, path: checkoutPath = '/checkout', ...others } = settings.checkout
  const checkout = { ...others, path: checkoutPath }
  const address = readPublicUrl(publicUrl)
  if (typeof address === 'string') report(['publicUrl'], `it is ${JSON.stringify(publicUrl)}; ${address}`)
  const parts: PublicUrl = typeof address === 'string' ? { path: '' } : address
  const { path } = parts

  if (!isLocale(locale)) report(['locale'], `it is "${locale}"; give a language tag such as "en-GB"`)
  currencies.forEach((code, i) => {
    if (!isCurrency(code)) report(['currencies', i], `it is "${code}"; give an ISO 4217 code such as "GBP"`)
  })
  const isOwnShop = destinations.some(({ name }) => name === destination?.type)
  const paths = { publicUrl: path, transfer: transfer.path, checkout: checkout.path }
  for (const { key, problem } of pathMistakes(paths, isOwnShop)) report(key, problem)
  const problem = continueUrlProblem(checkout.continueShoppingUrl)
  if (problem) report(['checkout', 'continueShoppingUrl'], `it is "${checkout.continueShoppingUrl}"; ${problem}`)
  const locales = readLocales(source)
  const messages = readMessages(source)
  const option = options.find(({ name: optionName }) => optionName === transfer.option) as TransferOption
  const checkoutUrl = (parts.origin ?? LONGEST_ORIGIN) + path + checkout.path
  for (const { key, problem } of option.check?.(transfer, checkoutUrl) ?? []) report(['transfer', ...key], problem)

  const countries = readCountries(source)
  const merchant: Merchant = {
    id,
    name,
    locale,
    locales,
    messages,
    currencies,
    ...parts,
    option,
    transfer,
    ...readAuthentication(source),
    checkout,
    ...(checkout.maxTotal && {
      maxTotal: readAmounts(checkout.maxTotal, currencies, ['checkout', 'maxTotal'], report)
    }),
    countries,
    delivery: readDelivery(source, countries),
    texts: readOwnTexts(source),
    ...settings.orders,
    ...readWebhook(source),
    ...readDestination(source, destinations, { answer: option.answer, currencies, ...parts }),
    ...readCatalogue(source),
    theme: readTheme(settings.look, folder, report),
    links: settings.links ?? {},
    ...(settings.views !== undefined && { views: resolve(folder, settings.views) })
  }
  for (const { key, problem } of findPageMistakes(merchant)) report(key, problem)
  return merchant
}

function continueUrlProblem(address: string): string | undefined {
  const url = URL.parse(address)
  if (!url || !/^[\w\-.~:/?#[\]@!$&'()*+,;=%]+$/.test(address)) {
    return 'give an absolute address such as "harbour://continue"'
  }
  if (!['javascript:', 'data:', 'vbscript:', 'blob:', 'filesystem:'].includes(url.protocol)) return undefined
  return `"${url.protocol}" could run script in the page; give an address such as "harbour://continue"`
}

/** Merchants share one process: their ids differ, and no path is inside another's. */
function findConflict(merchant: Merchant, earlier: Merchant, report: ReportMistake): void {
  if (merchant.id === earlier.id) report(['id'], `"${merchant.id}" is another merchant's id too; give each its own`)
  if (isWithin(merchant.path, earlier.path) || isWithin(earlier.path, merchant.path)) {
    const paths = `"${merchant.path || '/'}" and "${earlier.path || '/'}", the path of "${earlier.id}",`
    report(['publicUrl'], `${paths} overlap; give each merchant a path of its own`)
  }
}

function readAuthentication({ settings, readSecret, report }: SettingsSource): Pick<Merchant, 'authentication'> {
  if (!settings.transfer.authentication) return {}
  const { type, secretVariables } = settings.transfer.authentication
  const place = ['transfer', 'authentication', 'secretVariables']
  const format = type === 'bearer' ? bearerToken : webhookSecret
  const secrets = secretVariables.map((variable, i) => ({
    variable,
    value: readSecret(variable, format, [...place, i])
  }))
  const [first, second] = secrets
  if (first?.value && first.value === second?.value) {
    const message = `the environment variable ${second.variable} holds the same secret as ${first.variable}`
    report([...place, 1], `${message}; give it another, or leave it out`)
  }
  return { authentication: { type, secrets: secrets as Authentication['secrets'] } }
}

function readWebhook({ settings, readSecret, report }: SettingsSource): Pick<Merchant, 'webhook'> {
  if (!settings.webhook) return {}
  const { url, secretVariable } = settings.webhook
  const parsed = URL.parse(url)
  const isPlain = parsed && /^https?:$/.test(parsed.protocol) && !(parsed.username || parsed.password || parsed.hash)
  const right = 'give an address such as "https://acme.example/hooks", without user and fragment'
  const problem = isPlain ? httpProblem(parsed) : right
  if (problem) report(['webhook', 'url'], `it is "${url}"; ${problem}`)
  return { webhook: { url, secret: readSecret(secretVariable, webhookSecret, ['webhook', 'secretVariable']) } }
}

function readDestination(
  { settings: { checkout }, readSecret, report }: SettingsSource,
  destinations: Destination[],
  route: DestinationRoute
): Pick<Merchant, 'destination'> {
  const settings = checkout.destination
  const destination = destinations.find(({ name }) => name === settings?.type)
  if (!settings || !destination) return {}
  const place = ['checkout', 'destination']
  for (const { key, problem } of destination.check(settings, route)) report([...place, ...key], problem)
  const { secretVariable } = settings
  const secret = secretVariable && readSecret(secretVariable, webhookSecret, [...place, 'secretVariable'])
  return { destination: { destination, settings, ...(secret !== undefined && { secret }) } }
}

/** The countries delivered to: those of the file, or the country of the locale. */
function readCountries({ settings: { countries, locale }, report }: SettingsSource): string[] {
  countries?.forEach((country, i) => {
    if (!isKnownCountry(country)) report(['countries', i], `it is "${country}"; give an ISO 3166-1 code such as "GB"`)
  })
  if (countries || !isLocale(locale)) return countries ?? []
  const region = String(new Intl.Locale(locale).maximize().region)
  if (!isKnownCountry(region)) report(['locale'], `"${locale}" names no country; give "countries" such as ["GB"]`)
  return [region]
}

/** By currency; each method has a price in every currency, and each country has a method. */
function readDelivery({ settings, report }: SettingsSource, countries: string[]): Merchant['delivery'] {
  const { delivery = [], currencies, countries: listed } = settings
  const methods = delivery.map(({ price, freeFrom, ...method }, i) => {
    const { id, countries: only = [], days } = method
    if (delivery.findIndex(other => other.id === id) !== i) {
      report(['delivery', i, 'id'], `"${id}" is another method's id too; give each its own`)
    }
    if (days && days[0] > days[1]) {
      report(['delivery', i, 'days'], `it is [${days.join(', ')}]; give the smaller number first`)
    }
    only.forEach((country, j) => {
      if (countries.includes(country)) return
      const known = `${countries.join(', ')}, the "countries" of the shop`
      report(['delivery', i, 'countries', j], `it is "${country}"; give one of ${known}, or add it there`)
    })
    const prices = readAmounts(price, currencies, ['delivery', i, 'price'], report)
    const limits = freeFrom && readAmounts(freeFrom, currencies, ['delivery', i, 'freeFrom'], report)
    return (currency: string): DeliveryMethod => ({
      ...method,
      price: Number(prices[currency]),
      ...(limits && { freeFrom: Number(limits[currency]) })
    })
  })
  countries.forEach((country, i) => {
    if (delivery.length === 0 || delivery.some(({ countries: only }) => only?.includes(country) ?? true)) return
    const key = listed ? ['countries', i] : ['delivery']
    report(key, `no delivery method delivers to "${country}"; add it to the countries of one, or leave it out here`)
  })
  return Object.fromEntries(
    currencies.filter(isCurrency).map(currency => [currency, methods.map(method => method(currency))])
  )
}

/** @returns minor units, by currency; a currency without an amount is reported */
function readAmounts(sent: Amounts, currencies: string[], key: Key, report: ReportMistake): Record<string, number> {
  if (typeof sent === 'string' && currencies.length > 1) {
    report(key, `give an amount for each of ${currencies.join(', ')}`)
  }
  return Object.fromEntries(
    currencies.filter(isCurrency).map(currency => {
      const text = typeof sent === 'string' ? sent : sent[currency]
      const amount = text === undefined ? undefined : toMinor(text, currency)
      if (amount === undefined) {
        const problem = text === undefined ? `there is none in ${currency}` : `${currency} is ${JSON.stringify(text)}`
        // Every currency can write it: `4.50`, in yen `450`.
        report(key, `${problem}; give an amount such as "${toDecimal(450, currency)}"`)
      }
      return [currency, amount ?? 0]
    })
  )
}
