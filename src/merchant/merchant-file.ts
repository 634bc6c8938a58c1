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
  type JsonFile,
  openJsonFile,
  partOf,
  type ReportMistake,
  type Setting,
  schemaMistakes,
  settingsIn,
  wrongValue
} from './json-file.ts'
import { readLinks } from './links.ts'
import {
  DARK_LOGO_PATH,
  isWithin,
  LOGO_PATH,
  type Merchant,
  OPENAPI_PATH,
  ORDERS_PATH,
  PICTURES_PATH,
  type PublicUrl,
  readPublicUrl,
  SERVER_PATHS
} from './merchant.ts'
import { type MerchantSettings, merchantSchema, OWN_PAGE } from './merchant-schema.ts'
import {
  readAuthentication,
  readCatalogue,
  readDestination,
  readWebhook,
  type SecretOf,
  secretReader
} from './read-connections.ts'
import { readAmounts, readCountries, readDelivery } from './read-delivery.ts'
import { readLocales, readMessages, readOwnTexts } from './read-messages.ts'
import { readTheme } from './read-theme.ts'

/** Every mistake in the merchant files, one per line. */
export class MerchantFileError extends OperatorError {}

export type ReadOptions = {
  options: TransferOption[]
  /** The destinations that a file may name, besides our own page. */
  destinations: Destination[]
  secretOf?: SecretOf
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
    const source = openJsonFile(file, 'a merchant file', problems)
    const checked = source && checkSchema(source, options)
    const merchant = checked && readMerchant(checked, resolve(file), source, options)
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
  { settings, each }: { settings: MerchantSettings; each: Setting[] },
  file: string,
  { placeOf, report }: JsonFile,
  { options, destinations, secretOf = () => undefined, findPageMistakes }: ReadOptions
): Merchant {
  const { id, name, publicUrl, locale, currencies, transfer, catalogue } = settings
  const { destination, path: checkoutPath = '/checkout', ...others } = settings.checkout
  const checkout = { ...others, path: checkoutPath }
  const folder = dirname(file)
  const readSecret = secretReader(secretOf, report)
  const address = readPublicUrl(publicUrl)
  if (typeof address === 'string') report(['publicUrl'], `it is ${JSON.stringify(publicUrl)}; ${address}`)
  const parts: PublicUrl = typeof address === 'string' ? { path: '' } : address
  const { path } = parts

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
  const checkoutUrl = (parts.origin ?? LONGEST_ORIGIN) + path + checkout.path
  for (const { key, problem } of option.check?.(transfer, checkoutUrl) ?? []) report(['transfer', ...key], problem)

  const countries = readCountries(settings, report)
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
    ...(transfer.authentication && {
      authentication: readAuthentication(transfer.authentication, readSecret, report)
    }),
    checkout,
    ...(checkout.maxTotal && {
      maxTotal: readAmounts(checkout.maxTotal, currencies, ['checkout', 'maxTotal'], report)
    }),
    countries,
    delivery: readDelivery(settings, countries, report),
    texts: readOwnTexts(settings, each, report),
    ...settings.orders,
    ...(settings.webhook && { webhook: readWebhook(settings.webhook, readSecret, report) }),
    ...readDestination(destination, destinations, { answer: option.answer, currencies, ...parts }, readSecret, report),
    pictures: join(folder, PICTURES_PATH),
    ...(catalogue && readCatalogue(catalogue, folder, placeOf(['catalogue', 'feed']), readSecret, report)),
    theme: readTheme(settings.look, folder, report),
    links: readLinks(settings, report),
    ...(settings.views !== undefined && { views: resolve(folder, settings.views) })
  }
  for (const { key, problem } of findPageMistakes?.(merchant) ?? []) report(key, problem)
  return merchant
}

/** Paths overlap neither each other nor the server's own. */
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

/** Checks keys and types, and fills in the defaults. @returns the settings, as a whole and each with its schema */
function checkSchema(
  { value, report }: JsonFile,
  { options, destinations }: ReadOptions
): { settings: MerchantSettings; each: Setting[] } | undefined {
  const sent = partOf(value, ['transfer', 'option'])
  // Also where it does not belong: whoever begins to name one does not mean our page, whose keys are then not missing.
  const named = partOf(value, ['checkout', 'destination']) ?? partOf(value, ['destination'])
  const type = named === undefined ? OWN_PAGE : partOf(named, ['type'])
  // Each option and each destination has its own keys: those of the one that is named are checked.
  const option = options.find(({ name }) => name === sent)
  const leadsTo = type === OWN_PAGE ? type : destinations.find(({ name }) => name === type)
  const schema = merchantSchema(option ? [option] : options, destinations, leadsTo)
  const found = schemaMistakes(schema, value, 'config/README.md')
  for (const { key, problem } of found) {
    const place = key.join('.')
    if (place === 'transfer' && sent !== undefined) report([...key, 'option'], wrongName(sent, options))
    else if (place === 'checkout.destination' && !leadsTo && type !== undefined) {
      report([...key, 'type'], wrongName(type, [{ name: OWN_PAGE }, ...destinations]))
    } else report(key, problem)
  }
  if (typeof leadsTo === 'object') {
    for (const { key, schema: marked } of settingsIn(schema, value)) {
      if (!isOnlyForOurPage(marked)) continue
      report(key, `it is about our own page, and bags go to "${leadsTo.name}"; leave it out`)
    }
  }
  const settings = completeValue(schema, value, found) as MerchantSettings | undefined
  return settings && { settings, each: settingsIn(schema, settings) }
}

/** A name that is none of these, or is one without its quotation marks. */
function wrongName(sent: unknown, known: { name: string }[]): string {
  const names = known.map(({ name }) => JSON.stringify(name))
  const isUnquoted = names.includes(`"${sent}"`)
  return wrongValue(sent, isUnquoted ? `"${sent}", with its quotation marks` : `one of ${names.join(', ')}`)
}
