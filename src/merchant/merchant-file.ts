// Reads merchant files. Whatever could not work is found before the server starts, and reported with file, line, key, what
// is wrong and what would be right.

import { resolve } from 'node:path'
import { OperatorError } from '../errors.ts'
import { isCurrency } from '../money.ts'
import type { SettingMistake, TransferOption } from '../transfer/option.ts'
import { arrivalDates } from './arrival-dates.ts'
import { shown } from './check-value.ts'
import {
  attempt,
  attemptEach,
  describeMistake,
  type FileMistake,
  type Key,
  type ReportMistake,
  resultOr,
  WrongSetting
} from './json-file.ts'
import { isWithin, type Merchant, type PageSettings, type PublicUrl, pathMistakes, readPublicUrl } from './merchant.ts'
import { type FeedSettings, readCatalogue, readFeedFiles, readFeeds } from './read-catalogue.ts'
import { readAuthentication, readDestination, readPayment, readWebhook } from './read-connections.ts'
import { checkDeliveryDates, countriesByCurrency, readCountries, readDelivery, readMaxTotal } from './read-delivery.ts'
import { checkLocale, readLocales, readMessages, readOwnTexts } from './read-messages.ts'
import { readSettings, type SettingsOptions, type SettingsSource } from './read-settings.ts'
import { readTheme } from './theme.ts'

/** The message has every mistake, a line each. */
export class MerchantFileError extends OperatorError {
  readonly mistakes: FileMistake[]

  /** @param files in the order in which their mistakes are told */
  constructor(mistakes: FileMistake[], files: string[]) {
    const sorted = mistakes.toSorted(
      (a, b) => files.indexOf(a.file) - files.indexOf(b.file) || Number(a.line) - Number(b.line)
    )
    super(sorted.map(describeMistake).join('\n'))
    this.mistakes = sorted
  }
}

export type ReadOptions = SettingsOptions & {
  findPageMistakes?: (settings: PageSettings) => SettingMistake[]
}

/** What can be read of a file. */
export type ReadFile = {
  report: ReportMistake
  /** Absent if anything is wrong in any file. */
  merchant?: Merchant
  /** Its feeds in files, if they can be tried whatever is wrong. */
  feedFiles?: FeedSettings
}

/** The longest possible origin of this process: a host name of 253 characters and a port. */
const LONGEST_ORIGIN = `http://${'h'.repeat(253)}:65535`

/** Reads files, and finds every mistake in every file. Those in their feeds are found by `openCatalogue`. */
export function readMerchantFiles(
  files: string[],
  options: ReadOptions
): { read: ReadFile[]; mistakes: FileMistake[] } {
  const mistakes: FileMistake[] = []
  const loaded: LoadedFile[] = []
  for (const file of files) {
    const source = readSettings(file, options, mistakes)
    if (source) loaded.push({ ...readParts(source, options), source })
  }
  for (const [i, file] of loaded.entries()) findConflicts(file, loaded.slice(0, i))
  const isGood = mistakes.length === 0
  const read = loaded.map(({ source: { report }, merchant, feedFiles }) => ({
    report,
    ...(isGood ? { merchant: merchant() } : resultOr(feedFiles, {}))
  }))
  return { read, mistakes }
}

type LoadedFile = ReturnType<typeof readParts> & { source: SettingsSource }

/** Checks what a schema cannot express, and resolves every path and address: each part that depends on nothing wrong. */
function readParts(
  source: SettingsSource,
  { options, destinations, providers, findPageMistakes = () => [] }: ReadOptions
) {
  const { settings, folder, report } = source
  const reportAll = (mistakes: SettingMistake[], at: Key = []) => {
    for (const { key, problem } of mistakes) report([...at, ...key], problem)
  }
  const publicUrl = attempt(() => checkPublicUrl(source))
  attempt(() => checkLocale(source))
  const locales = attempt(() => readLocales(source))
  const messages = attempt(() => readMessages(source))
  const currencies = attempt(() => checkCurrencies(source))
  const option = attempt(() => options.find(({ name }) => name === settings.transfer.option) as TransferOption)
  const checkout = attempt(() => ({ ...settings.checkout, path: settings.checkout.path ?? '/checkout' }))
  const checkoutPath = attempt(() => settings.checkout.path ?? '/checkout')
  attempt(() => {
    const kind = attempt(() => ({
      isOwnShop: destinations.some(({ name }) => name === settings.checkout.destination?.type),
      takesPayment: 'payment' in settings.checkout
    }))
    const below = (path: () => string) => resultOr(() => kind() && path(), undefined)
    const paths = {
      publicUrl: resultOr(() => publicUrl().path, undefined),
      transfer: below(() => settings.transfer.path),
      checkout: below(checkoutPath)
    }
    reportAll(pathMistakes(paths, resultOr(kind, { isOwnShop: false, takesPayment: false })))
  })
  attempt(() => {
    const { continueShoppingUrl } = settings.checkout
    const problem = continueUrlProblem(continueShoppingUrl)
    if (problem) report(['checkout', 'continueShoppingUrl'], `it is ${shown(continueShoppingUrl)}; ${problem}`)
  })
  /** For checks that do without publicUrl if it is wrong. */
  const address = (): PublicUrl => resultOr(publicUrl, { path: '' })
  attempt(() => {
    const { origin = LONGEST_ORIGIN, path } = address()
    const checkoutUrl = origin + path + resultOr(checkoutPath, '')
    reportAll(option().check?.(settings.transfer, checkoutUrl) ?? [], ['transfer'])
  })
  // A description carries the most.
  const answer = resultOr(() => option().answer, 'description')
  const route = { answer, currencies: resultOr(currencies, undefined), ...address() }
  const authentication = attempt(() => readAuthentication(source))
  const maxTotal = attempt(() => readMaxTotal(source))
  const countries = attempt(() => readCountries(source))
  const delivery = attempt(() => readDelivery(source, countries))
  attempt(() => checkDeliveryDates(source))
  const texts = attempt(() => readOwnTexts(source))
  const webhook = attempt(() => readWebhook(source))
  const destination = attempt(() => readDestination(source, destinations, route))
  const payment = attempt(() => readPayment(source, providers, resultOr(currencies, [])))
  const feeds = attempt(() => readFeeds(source))
  const catalogue = attempt(() => readCatalogue(source, feeds()))
  const theme = attempt(() => readTheme(settings.look, folder, report))
  const views = attempt(() => settings.views !== undefined && { views: resolve(folder, settings.views) })
  attempt(() => reportAll(findPageMistakes(views() || {})))
  attempt(() => {
    const { name, locale, checkout } = settings
    const languages = { locale, locales: locales(), messages: messages() }
    reportAll(findPageMistakes({ titles: { name, ...languages, completeTitle: checkout.completeTitle } }))
  })
  const id = attempt(() => settings.id)
  return {
    publicUrl,
    id,
    feedFiles: attempt(() => {
      const files = readFeedFiles(source, feeds(), resultOr(currencies, []))
      return { feedFiles: { id: resultOr(id, ''), ...address(), ...files } }
    }),
    /** To be called if nothing is wrong. */
    merchant: (): Merchant => ({
      id: settings.id,
      name: settings.name,
      locale: settings.locale,
      locales: locales(),
      messages: messages(),
      currencies: currencies(),
      ...publicUrl(),
      option: option(),
      transfer: settings.transfer,
      ...authentication(),
      checkout: checkout(),
      ...maxTotal(),
      countries: countriesByCurrency(countries(), currencies()),
      delivery: delivery(),
      ...(settings.checkout.deliveryDates && { arrivalDates: arrivalDates(settings.checkout.deliveryDates) }),
      texts: texts(),
      ...settings.orders,
      ...webhook(),
      ...payment(),
      ...destination(),
      ...catalogue(),
      theme: theme(),
      links: settings.links ?? {},
      ...views()
    })
  }
}

function checkPublicUrl({ settings: { publicUrl }, report }: SettingsSource): PublicUrl {
  const address = readPublicUrl(publicUrl)
  if (typeof address !== 'string') return address
  report(['publicUrl'], `it is ${shown(publicUrl)}; ${address}`)
  throw new WrongSetting()
}

function checkCurrencies({ settings: { currencies }, report }: SettingsSource): string[] {
  attemptEach(currencies, (code, i) => {
    if (!isCurrency(code)) report(['currencies', i], `it is ${shown(code)}; give an ISO 4217 code such as "GBP"`)
  })
  return [...currencies]
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
function findConflicts({ id, publicUrl, source: { report } }: LoadedFile, before: LoadedFile[]): void {
  attempt(() => {
    const isTaken = before.some(other => resultOr(other.id, undefined) === id())
    if (isTaken) report(['id'], `"${id()}" is another merchant's id too; give each its own`)
  })
  attemptEach(before, other => {
    const [{ path }, { path: taken }] = [publicUrl(), other.publicUrl()]
    if (!isWithin(path, taken) && !isWithin(taken, path)) return
    const paths = `"${path || '/'}" and "${taken || '/'}", the path of "${other.id()}",`
    report(['publicUrl'], `${paths} overlap; give each merchant a path of its own`)
  })
}
