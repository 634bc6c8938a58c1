// Opens a merchant's catalogue and logs what is wrong with its feeds.
import { hash } from 'node:crypto'
import { join, resolve } from 'node:path'
import type { Logger } from 'pino'
import { followFeed, followFeedUrl } from '../catalogue/feed-source.ts'
import { type FeedCatalogue, type FeedEvents, type FollowedFeed, noFeed } from '../catalogue/followed-feed.ts'
import { followFeeds } from '../catalogue/merged-feeds.ts'
import { OperatorError } from '../errors.ts'
import { type FeedSetting, isHttps, type Merchant } from '../merchant/merchant.ts'
import { isFeedAddress } from '../merchant/read-catalogue.ts'

/** How often a feed file is checked for changes, in milliseconds. */
const FILE_INTERVAL = 2000

const MEGABYTE = 1024 * 1024
const MINUTE = 60 * 1000

/**
 * @param folder copies of feeds are kept in `feeds/` in it
 * @throws OperatorError naming the merchant file, and the line and entry of the feed
 */
export async function openCatalogue(merchant: Merchant, logger: Logger, folder: string): Promise<FeedCatalogue> {
  const { id, currencies, catalogue } = merchant
  if (!catalogue) return noFeed
  const { feeds } = catalogue
  const log = logger.child({ merchant: id })
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
    const follow = (onUse: () => void) => openFeed(feed, merchant, join(resolve(folder), 'feeds'), events, onUse)
    return { language: feed.language, follow }
  })
  return followFeeds(listed, ({ at, ...difference }) => {
    const feed = shownAddress(feeds[at] as FeedSetting)
    log.warn({ ...difference, feed }, 'feeds differ; the first that has the product counts')
  })
}

/** A query may hold a secret. */
function shownAddress({ address }: FeedSetting): string {
  return isFeedAddress(address) ? address.replace(/[?#].*/s, '?…') : address
}

async function openFeed(
  feed: FeedSetting,
  merchant: Merchant,
  copies: string,
  events: Required<FeedEvents>,
  onUse: () => void
): Promise<FollowedFeed> {
  const { feeds, maxShrink, maxMegabytes, credentials, timeoutSeconds, refreshMinutes } =
    merchant.catalogue as NonNullable<Merchant['catalogue']>
  const { address, place } = feed
  const isAddress = isFeedAddress(address)
  const options = { isHttps: isHttps(merchant), maxShrink, maxBytes: maxMegabytes * MEGABYTE, onUse }
  try {
    if (!isAddress) return await followFeed(address, events, FILE_INTERVAL, options)
    // Its name stays when the list changes.
    const name = feeds.length === 1 ? merchant.id : `${merchant.id}.${hash('sha256', address).slice(0, 16)}`
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
    // Errors of the file system have a syscall; those of a request have none.
    const isCopy = isAddress && syscall !== undefined
    const remedy = isCopy
      ? `let this user write to ${copies}, where copies of feeds are kept`
      : 'give a product feed that can be read'
    throw new OperatorError(`${place}: ${shownAddress(feed)}: ${message}; ${remedy}`)
  }
}

/** @param onCurrencies told in which currencies a loaded feed has prices */
function logEvents(log: Logger, onCurrencies: (currencies: Set<string>) => void): Required<FeedEvents> {
  return {
    onLoad: ({ products, problems, problemCount, milliseconds, currencies, asOf }) => {
      for (const { isServed, ...problem } of problems) {
        if (isServed) log.warn(problem, 'feed line served without its picture or variant')
        else log.warn(problem, 'feed line not served')
      }
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
