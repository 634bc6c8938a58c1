// Reads merchant files. Whatever could not work is found before the server starts, and reported with file, line, key, what
// is wrong and what would be right.
import { resolve } from 'node:path'
import { OperatorError } from '../errors.ts'
import { isLocale } from '../messages/messages.ts'
import { isCurrency } from '../money.ts'
import type { SettingMistake, TransferOption } from '../transfer/option.ts'
import type { ReportMistake } from './json-file.ts'
import { isWithin, type Merchant, type PublicUrl, pathMistakes, readPublicUrl } from './merchant.ts'
import { readAuthentication, readCatalogue, readDestination, readWebhook } from './read-connections.ts'
import { readAmounts, readCountries, readDelivery } from './read-delivery.ts'
import { readLocales, readMessages, readOwnTexts } from './read-messages.ts'
import { readSettings, type SettingsOptions, type SettingsSource } from './read-settings.ts'
import { readTheme } from './theme.ts'

/** Every mistake in the merchant files, one per line. */
export class MerchantFileError extends OperatorError {}

export type ReadOptions = SettingsOptions & {
  /** Finds settings that the merchant's pages could not show. */
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
