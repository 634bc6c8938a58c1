// Connects a merchant with its own shop, if its carts lead there.
import { type GuardedShop, guardShop } from '../destination/guard-shop.ts'
import type { Observer } from '../observer.ts'
import type { Merchant } from './merchant.ts'

export type ConnectParts = {
  fetch: typeof fetch
  clock: () => Date
  logger: { warn: (details: object, message: string) => void; info: (details: object, message: string) => void }
  observer: Pick<Observer, 'shopLeftAlone'>
}

export function connectShop(
  { id, destination: leadsTo }: Merchant,
  { fetch, clock, logger, observer }: ConnectParts
): { ownShop?: GuardedShop } {
  if (!leadsTo) return {}
  const { destination, settings, secret } = leadsTo
  const client = destination.connect(settings, { fetch, clock, ...(secret !== undefined && { secret }) })
  const about = { merchant: id, destination: destination.name }
  return {
    ownShop: guardShop(client, {
      timeout: settings.timeoutSeconds * 1000,
      clock,
      onPause: (milliseconds, reason) => {
        observer.shopLeftAlone(id, true)
        logger.warn(
          { ...about, seconds: milliseconds / 1000, reason },
          'shop keeps failing; it is left alone, and bags get 503'
        )
      },
      onRecovery: () => {
        observer.shopLeftAlone(id, false)
        logger.info(about, 'shop answers again')
      }
    })
  }
}
