// Reads merchant files. Whatever could not work is found before the server starts, and reported with file, line, key, what
// is wrong and what would be right.
import { dirname, join, resolve } from 'node:path'
import type { Destination } from '../destination/destination.ts'
import { OperatorError } from '../errors.ts'
import { isLocale } from '../messages/messages.ts'
import { isCurrency } from '../money.ts'
import { isOnlyForOurPage, type SettingMistake, type TransferOption } from '../transfer/option.ts'
import {
  completeValue,
  type JsonSource,
  openJsonFile,
  type ReportMistake,
  reportTo,
  type Setting,
  schemaMistakes,
  settingsIn,
  wrongValue
} from './json-file.ts'
import { readLinks } from './links.ts'
import type { Merchant } from './merchant.ts'
import { type MerchantSettings, merchantSchema, OWN_PAGE } from './merchant-schema.ts'
import {
  DARK_LOGO_PATH,
  isWithin,
  LOGO_PATH,
  OPENAPI_PATH,
  ORDERS_PATH,
  PICTURES_PATH,
  readPublicUrl,
  SERVER_PATHS
} from './public-url.ts'
import { readAuthentication, readCatalogue, readDestination, readWebhook, type SecretOf } from './read-connections.ts'
import { readAmounts, readCountries, readDelivery } from './read-delivery.ts'
import { readLocales, readMessages, readOwnTexts } from './read-messages.ts'
import { readTheme } from './read-theme.ts'

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
    loaded.push({ merchant, report })
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
    theme: readTheme(settings.look, folder, report),
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

type Named = {
  transfer?: { option?: unknown }
  checkout?: { destination?: { type?: unknown } }
  /** Where it does not belong. */
  destination?: { type?: unknown }
}

/** Checks keys and types, and fills in the defaults. @returns the settings, as a whole and each with its schema */
export function checkSchema(
  source: JsonSource,
  { options, destinations }: { options: TransferOption[]; destinations: Destination[] },
  report: ReportMistake
): { settings: MerchantSettings; each: Setting[] } | undefined {
  const { transfer, checkout, destination: misplaced } = (source.value ?? {}) as Named
  const sent = transfer?.option
  const named = checkout?.destination ?? misplaced
  // Whoever begins to name a destination does not mean our page, whose keys are then not missing.
  const type = named === undefined ? OWN_PAGE : named?.type
  // Each option and each destination has its own keys: those of the one that is named are checked.
  const option = options.find(({ name }) => name === sent)
  const leadsTo = type === OWN_PAGE ? type : destinations.find(({ name }) => name === type)
  const schema = merchantSchema(option ? [option] : options, destinations, leadsTo)
  const found = schemaMistakes(schema, source.value, 'config/README.md')
  for (const { key, problem } of found) {
    const place = key.join('.')
    if (place === 'transfer' && sent !== undefined) report([...key, 'option'], wrongName(sent, options))
    else if (place === 'checkout.destination' && !leadsTo && type !== undefined) {
      report([...key, 'type'], wrongName(type, [{ name: OWN_PAGE }, ...destinations]))
    } else report(key, problem)
  }
  if (typeof leadsTo === 'object') {
    for (const { key, schema: marked } of settingsIn(schema, source.value)) {
      if (!isOnlyForOurPage(marked)) continue
      report(key, `it is about our own page, and bags go to "${leadsTo.name}"; leave it out`)
    }
  }
  const settings = completeValue(schema, source.value, found) as MerchantSettings | undefined
  return settings && { settings, each: settingsIn(schema, settings) }
}

/** A name that is none of these, or is one without its quotation marks. */
function wrongName(sent: unknown, known: { name: string }[]): string {
  const names = known.map(({ name }) => JSON.stringify(name))
  const isUnquoted = names.includes(`"${sent}"`)
  return wrongValue(sent, isUnquoted ? `"${sent}", with its quotation marks` : `one of ${names.join(', ')}`)
}
