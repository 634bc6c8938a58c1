// Reads merchant files and opens their catalogues: what keeps a server from starting is told together.
// Logs what else is wrong with a feed.
import { hash } from 'node:crypto'
import { join, resolve } from 'node:path'
import { type Logger, pino } from 'pino'
import { CurrencyError } from '../merchant/catalogue/feed-row.ts'
import { followFeed, followFeedUrl } from '../merchant/catalogue/feed-source.ts'
import { type FeedCatalogue, type FeedEvents, type FollowedFeed, noFeed } from '../merchant/catalogue/followed-feed.ts'
import { type FeedDifference, followFeeds } from '../merchant/catalogue/merged-feeds.ts'
import { notOpened } from '../merchant/json-file.ts'
import { type FeedSetting, isHttps, type Merchant } from '../merchant/merchant.ts'
import { MerchantFileError, type ReadOptions, readMerchantFiles } from '../merchant/merchant-file.ts'
import { isFeedAddress } from '../merchant/read-catalogue.ts'
import type { ReportError } from '../transfer/option.ts'

/** How often a feed file is checked for changes, in milliseconds. */
const FILE_INTERVAL = 2000

const MEGABYTE = 1024 * 1024
const MINUTE = 60 * 1000

/** What opening a catalogue takes. */
type FeedSettings = Pick<Merchant, 'id' | 'origin' | 'currencies' | 'catalogue'>

type OpenedMerchant = { merchant: Merchant; catalogue: FeedCatalogue }

/**
 * If anything is wrong that a schema cannot know, feeds in files are tried all the same, and nothing is logged about them.
 * @param folder copies of feeds are kept in `feeds/` in it
 * @throws MerchantFileError with the mistakes in all files and feeds: those by the schema, or, without any, the others
 */
export async function openMerchants(
  files: string[],
  options: ReadOptions,
  logger: Logger,
  folder: string
): Promise<OpenedMerchant[]> {
  const { read, mistakes } = readMerchantFiles(files, options)
  const isGood = mistakes.length === 0
  const log = isGood ? logger : pino({ level: 'silent' })
  const opened: OpenedMerchant[] = []
  // One at a time, so that peak memory is that of one feed.
  for (const { merchant, report } of read) {
    const catalogue = await openCatalogue(isGood ? merchant : withoutAddresses(merchant), report, log, folder)
    if (catalogue) opened.push({ merchant, catalogue })
  }
  if (mistakes.length === 0) return opened
  await Promise.all(opened.map(({ catalogue }) => catalogue.close()))
  throw new MerchantFileError(mistakes, files)
}

/** Feeds in files, to be tried; without currencies if another feed may have them. */
function withoutAddresses({ id, catalogue, currencies }: Merchant): FeedSettings {
  if (!catalogue) return { id, currencies }
  const feeds = catalogue.feeds.filter(({ address }) => !isFeedAddress(address))
  const isAlone = feeds.length === 1 && catalogue.feeds.length === 1
  return { id, currencies: isAlone ? currencies : [], catalogue: { ...catalogue, feeds } }
}

/** @returns undefined if any feed is of no use, which is reported */
export async function openCatalogue(
  merchant: FeedSettings,
  report: ReportError,
  logger: Logger,
  folder: string
): Promise<FeedCatalogue | undefined> {
  const { id, currencies, catalogue } = merchant
  if (!catalogue) return noFeed
  const { feeds } = catalogue
  const log = logger.child({ merchant: id })
  const copies = join(resolve(folder), 'feeds')
  const priced = new Map<FeedSetting, Set<string>>()
  const listed = feeds.map(feed => {
    const events = logEvents(log.child({ feed: shownAddress(feed) }), found => {
      priced.set(feed, found)
      // A feed that has not been opened may have it.
      if (priced.size < feeds.length) return
      for (const currency of currencies) {
        const isPriced = priced.values().some(found => found.has(currency))
        if (!isPriced) log.warn({ currency }, 'no product has a price in this currency')
      }
    })
    const follow = (onUse: () => void) => openFeed(feed, merchant, { copies, events, onUse, report })
    return { language: feed.language, follow }
  })
  const onDiffer = ({ at, ...difference }: FeedDifference) => {
    const setting = feeds[at] as FeedSetting
    const feed = shownAddress(setting)
    const isOwnLanguage = difference.field === 'title' && !setting.language
    const remedy = isOwnLanguage
      ? `if its titles are in another language, say which in catalogue.feed[${at}].language`
      : undefined
    log.warn({ ...difference, feed, remedy }, 'feeds differ; the first that has the product counts')
  }
  const opened = await followFeeds(listed, onDiffer, err => log.error({ err }, 'feeds not compared'))
  const all = priced.values().reduce((all, found) => all.union(found), new Set<string>())
  if (!opened || currencies.length === 0 || currencies.some(currency => all.has(currency))) return opened
  const found = `no feed has a price in ${currencies.join(', ')}, only in ${[...all].join(', ')}`
  report(['currencies'], `${found}; give those, or other feeds`)
  await opened.close()
  return undefined
}

/** A query may hold a secret. */
function shownAddress({ address }: FeedSetting): string {
  return isFeedAddress(address) ? address.replace(/[?#].*/s, '?…') : address
}

type OpenFeedParts = { copies: string; events: Required<FeedEvents>; onUse: () => void; report: ReportError }

/** @returns undefined if it is of no use, which is reported */
async function openFeed(
  feed: FeedSetting,
  merchant: FeedSettings,
  { copies, events, onUse, report }: OpenFeedParts
): Promise<FollowedFeed | undefined> {
  const { maxShrink, freeProducts, maxMegabytes, credentials, timeoutSeconds, refreshMinutes } =
    merchant.catalogue as NonNullable<Merchant['catalogue']>
  const { address, key } = feed
  const isAddress = isFeedAddress(address)
  const isAlone = key.length === 2
  const options = {
    isHttps: isHttps(merchant),
    maxShrink,
    hasFreeProducts: freeProducts,
    maxBytes: maxMegabytes * MEGABYTE,
    // In a list, another feed may have the prices, and this one the titles.
    ...(isAlone && { sold: merchant.currencies }),
    onUse
  }
  try {
    if (!isAddress) return await followFeed(address, events, FILE_INTERVAL, options)
    // Its name stays when the list changes.
    const name = isAlone ? merchant.id : `${merchant.id}.${hash('sha256', address).slice(0, 16)}`
    return await followFeedUrl(
      {
        ...options,
        url: address,
        ...(credentials !== undefined && { credentials }),
        timeout: timeoutSeconds * 1000,
        copy: join(copies, `${name}.feed`),
        interval: refreshMinutes * MINUTE
      },
      events
    )
  } catch (error) {
    const { message, syscall } = error as NodeJS.ErrnoException
    const shown = shownAddress(feed)
    // Errors of the file system have a syscall; those of a request have none.
    const isCopy = isAddress && syscall !== undefined
    if (error instanceof CurrencyError) report(['currencies'], `${shown}: ${message}; give those, or another feed`)
    else if (isCopy)
      report(key, `${shown}: ${message}; let this user write to ${copies}, where copies of feeds are kept`)
    else {
      const wrong = notOpened(error as Error)
      // Most say themselves what would be right.
      report(key, `${shown}: ${wrong}${wrong.includes('; ') ? '' : '; give a product feed that can be read'}`)
    }
  }
}

/** @param onCurrencies told in which currencies a loaded feed has prices */
function logEvents(log: Logger, onCurrencies: (currencies: Set<string>) => void): Required<FeedEvents> {
  return {
    onLoad: ({ products, problems, problemCount, noSales, milliseconds, currencies, asOf }) => {
      for (const { isServed, ...problem } of problems) {
        if (isServed) log.warn(problem, 'feed line served without its picture or variant')
        else log.warn(problem, 'feed line not served')
      }
      if (noSales) log.warn(noSales, 'sale_price of 0 not used; price is charged')
      onCurrencies(currencies)
      const durationMs = Math.round(milliseconds)
      log.info({ products, problems: problemCount, durationMs, ...(asOf && { keptSince: asOf }) }, 'feed loaded')
    },
    onFailure: error => log.error({ reason: error.message }, 'changed feed not loaded; the last good one stays in use'),
    onUnreachable: ({ message }, asOf) => {
      const ageMinutes = Math.round((Date.now() - asOf.getTime()) / MINUTE)
      log.warn({ reason: message, ageMinutes }, 'feed not fetched; the last good one stays in use')
    }
  }
}
