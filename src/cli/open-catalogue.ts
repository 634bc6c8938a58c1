// Opens a merchant's catalogue and logs what is wrong with its feed.
import type { Logger } from 'pino'
import { type FeedCatalogue, type FeedEvents, followFeed } from '../catalogue/feed-catalogue.ts'
import { OperatorError } from '../errors.ts'
import { isHttps, type Merchant } from '../merchant/merchant.ts'

/** How often a feed file is checked for changes, in milliseconds. */
const FILE_INTERVAL = 2000

/** @throws OperatorError naming the merchant file and the line of the feed */
export async function openCatalogue(merchant: Merchant, logger: Logger): Promise<FeedCatalogue> {
  const { id, feed, currencies, catalogue } = merchant
  const log = logger.child({ merchant: id, feed })
  const events: FeedEvents = {
    onLoad: ({ products, problems, problemCount, milliseconds, currencies: found }) => {
      for (const { line, reason, isServed } of problems) {
        if (isServed) log.warn({ line, reason }, 'feed line served without its picture or variant')
        else log.warn({ line, reason }, 'feed line not served')
      }
      for (const currency of currencies) {
        if (!found.has(currency)) log.warn({ currency }, 'no product has a price in this currency')
      }
      log.info({ products, problems: problemCount, durationMs: Math.round(milliseconds) }, 'feed loaded')
    },
    onFailure: error => log.error({ reason: error.message }, 'changed feed not loaded; the last good one stays in use')
  }
  try {
    const { maxShrink } = catalogue
    return await followFeed(feed, events, FILE_INTERVAL, { isHttps: isHttps(merchant), maxShrink })
  } catch (error) {
    const { message } = error as Error
    const remedy = 'give a product feed that can be read'
    throw new OperatorError(`${catalogue.place}: catalogue.feed: ${feed}: ${message}; ${remedy}`)
  }
}
