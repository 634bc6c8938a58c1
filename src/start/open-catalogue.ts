// Opens a merchant's catalogue and logs what is wrong with its feed.
import { join, resolve } from 'node:path'
import type { Logger } from 'pino'
import { feedCopy } from '../catalogue/feed-copy.ts'
import { followFeed } from '../catalogue/feed-file.ts'
import { followFeedUrl } from '../catalogue/feed-url.ts'
import { type FeedCatalogue, type FeedEvents, noFeed } from '../catalogue/followed-feed.ts'
import { OperatorError } from '../errors.ts'
import { isHttps, type Merchant } from '../merchant/merchant.ts'
import { isFeedAddress } from '../merchant/read-connections.ts'

/** How often a feed file is checked for changes, in milliseconds. */
const FILE_INTERVAL = 2000

const MEGABYTE = 1024 * 1024
const MINUTE = 60 * 1000

/**
 * @param folder copies of feeds are kept in `feeds/` in it
 * @throws OperatorError naming the merchant file and the line of the feed
 */
export async function openCatalogue(merchant: Merchant, logger: Logger, folder: string): Promise<FeedCatalogue> {
  const { catalogue } = merchant
  if (!catalogue) return noFeed
  const { feed, place } = catalogue
  const shown = withoutQuery(feed)
  try {
    return await follow(merchant, catalogue, logger.child({ merchant: merchant.id, feed: shown }), folder)
  } catch (error) {
    const { message, syscall } = error as NodeJS.ErrnoException
    // Of the file system: the errors of a request have none.
    const isCopy = isFeedAddress(feed) && syscall !== undefined
    const remedy = isCopy
      ? `let this user write to ${copyFolder(folder)}, where copies of feeds are kept`
      : 'give a product feed that can be read'
    throw new OperatorError(`${place}: catalogue.feed: ${shown}: ${message}; ${remedy}`)
  }
}

function follow(
  merchant: Merchant,
  catalogue: NonNullable<Merchant['catalogue']>,
  log: Logger,
  folder: string
): Promise<FeedCatalogue> {
  const { id, currencies } = merchant
  const { feed, maxShrink, maxMegabytes, credentials } = catalogue
  const events: Required<FeedEvents> = {
    onLoad: ({ products, problems, problemCount, milliseconds, currencies: found, asOf }) => {
      for (const { isServed, ...problem } of problems) {
        if (isServed) log.warn(problem, 'feed line served without its picture or variant')
        else log.warn(problem, 'feed line not served')
      }
      for (const currency of currencies) {
        if (!found.has(currency)) log.warn({ currency }, 'no product has a price in this currency')
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
  const options = { isHttps: isHttps(merchant), maxShrink }
  const maxBytes = maxMegabytes * MEGABYTE
  if (!isFeedAddress(feed)) return followFeed(feed, events, FILE_INTERVAL, { ...options, maxBytes })
  const timeout = catalogue.timeoutSeconds * 1000
  return followFeedUrl(
    {
      ...options,
      address: { url: feed, timeout, maxBytes, ...(credentials !== undefined && { credentials }) },
      copy: feedCopy(join(copyFolder(folder), `${id}.feed`), feed),
      interval: catalogue.refreshMinutes * MINUTE,
      clock: () => new Date()
    },
    events
  )
}

function copyFolder(folder: string): string {
  return join(resolve(folder), 'feeds')
}

/** A query may hold a secret. */
function withoutQuery(feed: string): string {
  return isFeedAddress(feed) ? feed.replace(/[?#].*/s, '?…') : feed
}
