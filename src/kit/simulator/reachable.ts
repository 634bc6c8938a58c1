// Which addresses the simulator sends requests to, and how: the merchants of this process, and a shop of their own where
// their answers lead. It sends them from this machine, so nobody may make it send one anywhere else.
import type { Merchant } from '../../merchant/merchant.ts'
import { isWithin } from '../../merchant/public-url.ts'
import type { SimulationOptions } from '../client/simulate-transfer.ts'
import type { SimulatorAccess } from './simulator-access.ts'

export type Reachable = {
  /** How a URL is reached. @returns undefined if it is not */
  route: (merchant: Merchant, ...request: Parameters<NonNullable<SimulationOptions['route']>>) => Route | undefined
  /** Whether a URL is one of the merchant's in this process. */
  isOurs: (merchant: Merchant, url: string) => boolean
}

type Route = NonNullable<ReturnType<NonNullable<SimulationOptions['route']>>>

/** @param ownOrigin scheme, host and port of this process */
export function reachable(ownOrigin: () => string, servedTo: SimulatorAccess['servedTo']): Reachable {
  /** Where the bags of a merchant have led to, by its id: the origins of its own shop. */
  const shops = new Map<string, Set<string>>()
  const isOurs = ({ origin = ownOrigin(), path }: Merchant, address: string) => {
    const url = URL.parse(address)
    return url?.origin === origin && isWithin(url.pathname, path)
  }
  return {
    isOurs,
    route: (merchant, url, from) => {
      if (isOurs(merchant, url)) return { connectTo: ownOrigin() }
      const origin = URL.parse(url)?.origin
      if (!merchant.destination || origin === undefined) return undefined
      const known = shops.get(merchant.id) ?? new Set()
      shops.set(merchant.id, known)
      // The merchant's answer leads there, and whatever its shop answers with is the operator's choice.
      if (from !== undefined && isOurs(merchant, from)) known.add(origin)
      // Further into the shop, requests are whatever the user of the simulator makes them. From this machine, that is its
      // operator; anybody else gets no further than where bags and redirects lead.
      return known.has(origin) && (servedTo === 'this machine' || from !== undefined) ? {} : undefined
    }
  }
}
