// Opens a merchant's catalogue and logs what is wrong with its feed.
import { join, resolve } from 'node:path'
import type { Logger } from 'pino'
import { followFeed, followFeedUrl } from '../catalogue/feed-source.ts'
import { type FeedCatalogue, type FeedEvents, noFeed } from '../catalogue/followed-feed.ts'
import { OperatorError } from '../errors.ts'
import { isHttps, type Merchant } from '../merchant/merchant.ts'
import { isFeedAddress } from '../merchant/merchant-file.ts'

/** How often a feed file is checked for changes, in milliseconds. */
const FILE_INTERVAL = 2000

const MEGABYTE = 1024 * 1024
const MINUTE = 60 * 1000

/**
 * @param folder copies of feeds are kept in `feeds/` in it
 * @throws OperatorError naming the merchant file and the line of the feed
 */
export async function openCatalogue(merchant: Merchant, logger: Logger, folder: string): Promise<FeedCatalogue> {
  if (!merchant.catalogue) return noFeed
  const { feed, place, maxShrink, maxMegabytes, credentials, timeoutSeconds, refreshMinutes } = merchant.catalogue
  const isAddress = isFeedAddress(feed)
  // A query may hold a secret.
  const shown = isAddress ? feed.replace(/[?#].*/s, '?…') : feed
  const copies = join(resolve(folder), 'feeds')
  const events = logEvents(logger.child({ merchant: merchant.id, feed: shown }), merchant.currencies)
  const options = { isHttps: isHttps(merchant), maxShrink, maxBytes: maxMegabytes * MEGABYTE }
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
    const remedy = isCopy
      ? `let this user write to ${copies}, where copies of feeds are kept`
      : 'give a product feed that can be read'
    throw new OperatorError(`${place}: catalogue.feed: ${shown}: ${message}; ${remedy}`)
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
