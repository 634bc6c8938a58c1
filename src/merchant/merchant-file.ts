// Reads merchant files. Whatever could not work is found before the server starts, and reported with file, line, key, what
// is wrong and what would be right.
import { dirname, join, resolve } from 'node:path'
import type { Destination } from '../destination/destination.ts'
import { OperatorError } from '../errors.ts'
import { isLocale } from '../messages/locales.ts'
import { isCurrency } from '../money.ts'
import type { SettingMistake, TransferOption } from '../transfer/option.ts'
import { checkSchema } from './check-schema.ts'
import { openJsonFile, type ReportMistake, reportTo, type Setting } from './json-file.ts'
import { readLinks } from './links.ts'
import type { Merchant } from './merchant.ts'
import type { MerchantSettings } from './merchant-schema.ts'
import { DARK_LOGO_PATH, LOGO_PATH, OPENAPI_PATH, ORDERS_PATH, PICTURES_PATH, SERVER_PATHS } from './public-paths.ts'
import { isWithin, readPublicUrl } from './public-url.ts'
import { readAmounts } from './read-amounts.ts'
import { readAuthentication } from './read-authentication.ts'
import { readCatalogue } from './read-catalogue.ts'
import { readCountries, readDelivery } from './read-delivery.ts'
import { readDestination } from './read-destination.ts'
import { readLocales, readMessages, readOwnTexts } from './read-messages.ts'
import type { SecretOf } from './read-secret.ts'
import { readTheme } from './read-theme.ts'
import { readWebhook } from './read-webhook.ts'

/** Every mistake in the merchant files, one per line. */
export class MerchantFileError extends OperatorError {}

export type ReadOptions = {
  /** The transfer options that a file may name. */
  options: TransferOption[]
  /** The destinations that a file may name, besides our own page. */
  destinations: Destination[]
  secretOf?: SecretOf
  /** Finds settings that the merchant's pages could not show. */
  findPageMistakes?: (merchant: Merchant) => SettingMistake[]
  /** Tries the merchant's templates; only called for a merchant without other mistakes. */
  findTemplateMistakes?: (merchant: Merchant) => SettingMistake[]
}

/** The longest possible origin of this process: a host name of 253 characters and a port. */
const LONGEST_ORIGIN = `http://${'h'.repeat(253)}:65535`

/**
 * Reads merchant files, checking each file and then all of them together.
 * @throws MerchantFileError with every mistake in every file
 */
export function readMerchantFiles(files: string[], options: ReadOptions): Merchant[] {
  const problems: string[] = []
  const loaded: { merchant: Merchant; report: ReportMistake }[] = []
  for (const file of files) {
    const source = openJsonFile(file, 'a merchant file', problems)
    if (!source) continue
    const before = problems.length
    const report = reportTo(problems, file, source)
    const checked = checkSchema(source, options, report)
    const feedPlace = `${file}:${source.lineOf(['catalogue', 'feed'])}`
    const merchant = checked && readMerchant(checked, resolve(file), feedPlace, options, report)
    if (!merchant || problems.length > before) continue
    for (const { key, problem } of options.findTemplateMistakes?.(merchant) ?? []) report(key, problem)
    if (problems.length === before) loaded.push({ merchant, report })
  }
  loaded.forEach(({ merchant, report }, i) => {
    for (const { merchant: earlier } of loaded.slice(0, i)) findConflict(merchant, earlier, report)
  })
  if (problems.length > 0) throw new MerchantFileError(problems.join('\n'))
  return loaded.map(({ merchant }) => merchant)
}

/** Checks what a schema cannot express, and resolves every path and address. */
function readMerchant(
  { settings, each }: { settings: MerchantSettings; each: Setting[] },
  file: string,
  feedPlace: string,
  { options, destinations, secretOf = () => undefined, findPageMistakes }: ReadOptions,
  report: ReportMistake
): Merchant {
  const { id, name, publicUrl, locale, currencies, transfer, catalogue } = settings
  const { destination, path: checkoutPath = '/checkout', ...others } = settings.checkout
  const checkout = { ...others, path: checkoutPath }
  const folder = dirname(file)
  const address = readPublicUrl(publicUrl)
  if (typeof address === 'string') report(['publicUrl'], `it is ${JSON.stringify(publicUrl)}; ${address}`)
  const { origin, path } = typeof address === 'string' ? { path: '', origin: undefined } : address

  if (!isLocale(locale)) report(['locale'], `it is "${locale}"; give a language tag such as "en-GB"`)
  currencies.forEach((code, i) => {
    if (!isCurrency(code)) report(['currencies', i], `it is "${code}"; give an ISO 4217 code such as "GBP"`)
  })
  const isOwnShop = destinations.some(({ name }) => name === destination?.type)
  checkPaths({ transfer, checkout }, path, isOwnShop, report)
  const problem = continueUrlProblem(checkout.continueShoppingUrl)
  if (problem) report(['checkout', 'continueShoppingUrl'], `it is "${checkout.continueShoppingUrl}"; ${problem}`)
  const locales = readLocales(settings, report)
  const messages = readMessages(settings, report)
  const option = options.find(({ name: optionName }) => optionName === transfer.option) as TransferOption
  const checkoutUrl = (origin ?? LONGEST_ORIGIN) + path + checkout.path
  for (const { key, problem } of option.check?.(transfer, checkoutUrl) ?? []) report(['transfer', ...key], problem)

  const countries = readCountries(settings, report)
  const merchant: Merchant = {
    id,
    name,
    locale,
    locales,
    messages,
    currencies,
    ...(origin !== undefined && { origin }),
    path,
    option,
    transfer,
    ...(transfer.authentication && {
      authentication: readAuthentication(transfer.authentication, secretOf, report)
    }),
    checkout,
    ...(checkout.maxTotal && {
      maxTotal: readAmounts(checkout.maxTotal, currencies, ['checkout', 'maxTotal'], report)
    }),
    countries,
    delivery: readDelivery(settings, countries, report),
    texts: readOwnTexts(settings, each, report),
    ...(settings.orders?.eraseAfterDays !== undefined && { eraseAfterDays: settings.orders.eraseAfterDays }),
    ...(settings.webhook && { webhook: readWebhook(settings.webhook, secretOf, report) }),
    ...readDestination(destination, destinations, { option, origin, path, currencies }, secretOf, report),
    ...(catalogue
      ? readCatalogue(catalogue, folder, feedPlace, secretOf, report)
      : { pictures: join(folder, PICTURES_PATH) }),
    theme: readTheme(settings, folder, report),
    links: readLinks(settings, report),
    ...(settings.views !== undefined && { views: resolve(folder, settings.views) })
  }
  for (const { key, problem } of findPageMistakes?.(merchant) ?? []) report(key, problem)
  return merchant
}

/** Checks that the merchant's paths overlap neither each other nor the server's own. */
function checkPaths(
  settings: Record<'transfer' | 'checkout', { path: string }>,
  path: string,
  isOwnShop: boolean,
  report: ReportMistake
): void {
  const { transfer, checkout } = settings
  // A shop of its own has no pages below checkout.path.
  if (!isOwnShop && isWithin(transfer.path, checkout.path)) {
    report(['transfer', 'path'], `it is "${transfer.path}"; give one that is not checkout.path or beneath it`)
  }
  if (SERVER_PATHS.some(taken => isWithin(path, taken))) {
    report(['publicUrl'], `"${path}" is the server's own path; give another`)
  }
  for (const part of ['transfer', 'checkout'] as const) {
    const full = path + settings[part].path
    const taken = [PICTURES_PATH, LOGO_PATH, DARK_LOGO_PATH, OPENAPI_PATH, ...(isOwnShop ? [ORDERS_PATH] : [])]
      .map(own => path + own)
      .concat(SERVER_PATHS)
      .find(own => isWithin(full, own))
    if (taken !== undefined) report([part, 'path'], `"${full}" lies in "${taken}", the server's own path; give another`)
  }
}

/** What is wrong with the address that takes a shopper back to the app, if anything is. */
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
