// Reads merchant files and opens their catalogues: every mistake that keeps a server from starting is found before it is told.
// Logs what else is wrong with a feed.
import { join, resolve } from 'node:path'
import { type Logger, pino } from 'pino'
import { CurrencyError } from '../catalogue/feed-row.ts'
import { followFeed, followFeedUrl } from '../catalogue/feed-source.ts'
import { type FeedCatalogue, type FeedEvents, noFeed } from '../catalogue/followed-feed.ts'
import { notOpened, type ReportMistake } from '../merchant/json-file.ts'
import { isHttps, type Merchant } from '../merchant/merchant.ts'
import {
  type FeedSettings,
  isFeedAddress,
  MerchantFileError,
  type ReadOptions,
  readMerchantFiles
} from '../merchant/merchant-file.ts'

/** How often a feed file is checked for changes, in milliseconds. */
const FILE_INTERVAL = 2000

const MEGABYTE = 1024 * 1024
const MINUTE = 60 * 1000

type OpenedMerchant = { merchant: Merchant; catalogue: FeedCatalogue }

/**
 * If a file has mistakes, the feeds are tried all the same, and nothing is logged about them.
 * @param folder copies of feeds are kept in `feeds/` in it
 * @throws MerchantFileError with every mistake in every file and feed
 */
export async function openMerchants(
  files: string[],
  options: ReadOptions,
  logger: Logger,
  folder: string
): Promise<OpenedMerchant[]> {
  const { read, mistakes } = readMerchantFiles(files, options)
  const log = mistakes.length > 0 ? pino({ level: 'silent' }) : logger
  const opened: (Partial<OpenedMerchant> & Pick<OpenedMerchant, 'catalogue'>)[] = []
  // One at a time, so that peak memory is that of one feed.
  for (const { merchant, feed, report } of read) {
    const catalogue = feed && (await openCatalogue(feed, report, log, folder))
    if (catalogue) opened.push({ ...(merchant && { merchant }), catalogue })
  }
  if (mistakes.length === 0) return opened as OpenedMerchant[]
  await Promise.all(opened.map(({ catalogue }) => catalogue.close()))
  throw new MerchantFileError(mistakes, files)
}

/** @returns undefined if it is of no use, which is reported */
export async function openCatalogue(
  merchant: FeedSettings,
  report: ReportMistake,
  logger: Logger,
  folder: string
): Promise<FeedCatalogue | undefined> {
  if (!merchant.catalogue) return noFeed
  const { feed, maxShrink, maxMegabytes, credentials, timeoutSeconds, refreshMinutes } = merchant.catalogue
  const key = ['catalogue', 'feed']
  const isAddress = isFeedAddress(feed)
  // A query may hold a secret.
  const shown = isAddress ? feed.replace(/[?#].*/s, '?…') : feed
  const copies = join(resolve(folder), 'feeds')
  const events = logEvents(logger.child({ merchant: merchant.id, feed: shown }), merchant.currencies)
  const options = {
    isHttps: isHttps(merchant),
    maxShrink,
    maxBytes: maxMegabytes * MEGABYTE,
    sold: merchant.currencies
  }
  try {
    if (!isAddress) return await followFeed(feed, events, FILE_INTERVAL, options)
    return await followFeedUrl(
      {
        ...options,
        url: feed,
        ...(credentials !== undefined && { credentials }),
        timeout: timeoutSeconds * 1000,
        copy: join(copies, `${merchant.id}.feed`),
        interval: refreshMinutes * MINUTE
      },
      events
    )
  } catch (error) {
    const { message, syscall } = error as NodeJS.ErrnoException
    // Errors of the file system have a syscall; those of a request have none.
    const isCopy = isAddress && syscall !== undefined
    if (error instanceof CurrencyError) report(['currencies'], `${shown}: ${message}; give those, or another feed`)
    else if (isCopy)
      report(key, `${shown}: ${message}; let this user write to ${copies}, where copies of feeds are kept`)
    else report(key, `${shown}: ${notOpened(error as Error)}; give a product feed that can be read`)
    return undefined
  }
}

function logEvents(log: Logger, sold: string[]): Required<FeedEvents> {
  return {
    onLoad: ({ products, problems, problemCount, milliseconds, currencies, asOf }) => {
      for (const { isServed, ...problem } of problems) {
        if (isServed) log.warn(problem, 'feed line served without its picture or variant')
        else log.warn(problem, 'feed line not served')
      }
      for (const currency of sold) {
        if (!currencies.has(currency)) log.warn({ currency }, 'no product has a price in this currency')
      }
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
