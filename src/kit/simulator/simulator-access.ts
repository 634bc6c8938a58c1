// Who may open the simulator, and which addresses it sends requests to. It sends bags on behalf of anyone who opens it, so by
// default it exists only if nobody but this machine can reach the server.
import type { IncomingMessage } from 'node:http'
import { isLoopback } from '../../destination/shop-page.ts'
import { isWithin, type Merchant } from '../../merchant/merchant.ts'
import type { SendRequestOptions } from '../client/send-request.ts'

export type SimulatorSettings = {
  setting?: 'on' | 'off' | undefined
  host: string
}

export type SimulatorAccess = {
  /** Absent if there is no simulator. "this machine" excludes requests that a proxy has forwarded. */
  servedTo?: 'this machine' | 'everybody'
  reason: string
  /** Whether it is on although others can reach a merchant. */
  isExposed: boolean
}

/** Behind a proxy, HOST does not tell who can reach the server, but a merchant's public address does. */
export function simulatorAccess(
  { setting, host }: SimulatorSettings,
  merchants: Pick<Merchant, 'id' | 'origin'>[]
): SimulatorAccess {
  const reachable = merchants.find(({ origin }) => origin !== undefined && !isLoopback(new URL(origin).hostname))
  const isReachable = reachable !== undefined || !isLoopback(host)
  if (setting === 'off') return { reason: 'SIMULATOR is off', isExposed: false }
  if (setting === 'on') return { servedTo: 'everybody', reason: 'SIMULATOR is on', isExposed: isReachable }
  if (!isReachable) return { servedTo: 'this machine', reason: 'every merchant is on loopback', isExposed: false }
  const what = reachable ? `the merchant "${reachable.id}"` : `HOST, ${host},`
  return { reason: `${what} is not on loopback; SIMULATOR=on enables it anyway`, isExposed: false }
}

/**
 * What proxies, load balancers and CDNs add: Forwarded, X-Forwarded-For and its kin, Via, CDN-Loop, and the client's
 * address under any name (X-Real-IP, True-Client-IP, CF-Connecting-IP, X-Azure-ClientIP, …). No browser sends these.
 */
const FORWARDING_HEADER =
  /^(forwarded|via|cdn-loop|x-remote-addr|x-(forwarded|original|envoy)(-.*)?|.*-(client)?ip(v6)?)$/

/**
 * Whether a request comes from a program on this machine: its Host is loopback, so that a site whose name resolves to
 * this machine gets nothing (DNS rebinding), and no proxy has forwarded it, as far as it shows. nginx long
 * forwarded as HTTP/1.0 by default, which is the only trace that its default configuration leaves.
 */
export function isFromThisMachine({ httpVersion, headers }: Pick<IncomingMessage, 'httpVersion' | 'headers'>): boolean {
  if (httpVersion === '1.0' || Object.keys(headers).some(name => FORWARDING_HEADER.test(name))) return false
  return isLoopback(String(headers.host).replace(/:\d+$/, ''))
}

/**
 * Requests are sent from this machine, so nobody may make it send one anywhere but to the merchants of this process and to
 * the shops where their answers lead.
 */
export function reachable(ownOrigin: () => string, servedTo: SimulatorAccess['servedTo']) {
  /** Where the bags of a merchant have led to, by its id: the origins of its own shop. */
  const shops = new Map<string, Set<string>>()
  const isOurs = ({ origin = ownOrigin(), path }: Merchant, address: string) => {
    const url = URL.parse(address)
    return url?.origin === origin && isWithin(url.pathname, path)
  }
  return {
    isOurs,
    /** How a URL is reached. @returns undefined if it is not */
    route: (
      merchant: Merchant,
      url: string,
      from: string | undefined
    ): Pick<SendRequestOptions, 'connectTo'> | undefined => {
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
