// Reads merchant files. Whatever could not work is found before the server starts, and reported with file, line, key, what
// is wrong and what would be right: first what is wrong by the schema; then, if nothing is, what a schema cannot know.
import { resolve } from 'node:path'
import { OperatorError } from '../errors.ts'
import { isRedirected, type Key, type ReportError } from '../transfer/option.ts'
import { arrivalDates } from './arrival-dates.ts'
import { describeError, type FileError } from './json-file.ts'
import { checkPaths, checkProtocol, isWithin, keepsCarts, type Merchant, PROFILE_PATH } from './merchant.ts'
import { type PublicUrl, readPublicUrl } from './public-url.ts'
import { readCatalogue } from './read-catalogue.ts'
import { readDestination, readPayment, readWebhook } from './read-connections.ts'
import { checkDeliveryDates, countriesByCurrency, readCountries, readDelivery, readMaxTotal } from './read-delivery.ts'
import { checkLocales, checkMessages, readOwnTexts } from './read-messages.ts'
import { readSettings, type SettingsOptions, type SettingsSource } from './read-settings.ts'
import { readWays, wayKeys } from './read-ways.ts'
import { readTheme } from './theme.ts'

/** The message has a line for each mistake. */
export class MerchantFileError extends OperatorError {
  readonly mistakes: FileError[]

  /** @param files in the order in which their mistakes are told */
  constructor(mistakes: FileError[], files: string[]) {
    const sorted = mistakes.toSorted(
      (a, b) => files.indexOf(a.file) - files.indexOf(b.file) || Number(a.line) - Number(b.line)
    )
    super(sorted.map(describeError).join('\n'))
    this.mistakes = sorted
  }
}

export type ReadOptions = SettingsOptions & {
  findPageMistakes?: (merchant: Merchant, report: ReportError) => void
}

/** `report` adds to the mistakes of its file. */
export type ReadMerchant = { merchant: Merchant; report: ReportError }

/** The longest possible origin of this process: a host name of 253 characters and a port. */
const LONGEST_ORIGIN = `http://${'h'.repeat(253)}:65535`

/**
 * Reads files, and finds the mistakes in all of them. Those in their feeds are found by `openCatalogue`.
 * @returns no merchants if anything is wrong by the schema; any other mistake is in one of them
 */
export function readMerchantFiles(
  files: string[],
  options: ReadOptions
): { read: ReadMerchant[]; mistakes: FileError[] } {
  const mistakes: FileError[] = []
  const sources = files.flatMap(file => readSettings(file, options, mistakes) ?? [])
  if (mistakes.length > 0) return { read: [], mistakes }
  const read = sources.map(source => ({ merchant: readMerchant(source, options), report: source.report }))
  for (const [i, file] of read.entries()) findConflicts(file, read.slice(0, i))
  return { read, mistakes }
}

/** Reports what a schema cannot know, and resolves every path and address. */
function readMerchant(
  source: SettingsSource,
  { options, destinations, providers, findPageMistakes = () => {} }: ReadOptions
): Merchant {
  const { settings, folder, report } = source
  const { id, name, locale, locales = [], messages = {}, currencies } = settings
  const address = readPublicUrl(settings.publicUrl) as PublicUrl
  const ways = readWays(source, options)
  // A page may be reached by a redirect, which carries less than a description.
  const answer = ways.some(({ option }) => isRedirected(option)) ? 'page' : 'description'
  const countries = readCountries(source)
  const { deliveryDates, path = '/checkout' } = settings.checkout
  const merchant: Merchant = {
    ...{ id, name, locale, locales, messages, currencies, ...address, ways },
    checkout: { ...settings.checkout, path },
    ...readMaxTotal(source),
    countries: countriesByCurrency(countries, currencies),
    delivery: readDelivery(source, countries),
    ...(deliveryDates && { arrivalDates: arrivalDates(deliveryDates) }),
    texts: readOwnTexts(source),
    templateTexts: settings.texts ?? {},
    ...settings.orders,
    ...readWebhook(source),
    ...readPayment(source, providers),
    ...readDestination(source, destinations, { answer, currencies, ...address }),
    ...readCatalogue(source),
    theme: readTheme(settings.theme, folder, report),
    links: settings.links ?? {},
    ...(settings.views !== undefined && { views: resolve(folder, settings.views) })
  }
  checkLocales(source)
  checkMessages(source)
  checkDeliveryDates(source)
  const keys = wayKeys(settings)
  checkPaths(merchant, keys, report)
  checkProtocol(merchant, keys, report)
  const { origin = LONGEST_ORIGIN } = address
  for (const [i, { option, transfer }] of ways.entries()) {
    const below: ReportError = (key, problem) => report([...(keys[i] as Key), ...key], problem)
    option.check?.(transfer, origin + address.path + path, below)
  }
  findPageMistakes(merchant, report)
  return merchant
}

/** Merchants share one process: their ids differ, and no path is inside another's. */
function findConflicts({ merchant, report }: ReadMerchant, before: ReadMerchant[]): void {
  const { id, path, origin } = merchant
  const others = before.map(({ merchant }) => merchant)
  const other = keepsCarts(merchant) && others.find(one => keepsCarts(one) && one.origin === origin)
  if (other) {
    const where = `${origin ?? 'this server'}${PROFILE_PATH}`
    const remedy = 'a publicUrl with a host of its own, such as "https://carts.shop.example", or leave option ucp out'
    report(
      ['publicUrl'],
      `platforms find one merchant at ${where}, and "${other.id}" takes UCP carts there; give it ${remedy}`
    )
  }
  if (others.some(other => other.id === id)) report(['id'], `"${id}" is another merchant's id too; give each its own`)
  for (const other of others) {
    if (!isWithin(path, other.path) && !isWithin(other.path, path)) continue
    const paths = `"${path || '/'}" and "${other.path || '/'}", the path of "${other.id}",`
    report(['publicUrl'], `${paths} overlap; give each merchant a path of its own`)
  }
}
