// Who may open the simulator, and which addresses it sends requests to.
import type { IncomingMessage } from 'node:http'
import { isLoopback } from '../../integrations/destination/shop-page.ts'
import { isWithin, type Merchant } from '../../merchant/merchant.ts'
import { isAnySame } from '../../secrets.ts'
import type { SendRequestOptions } from '../client/send-request.ts'

/** @param path where the simulator is, `/simulator` for example */
export function simulatorKey(key: string, path: string, ownOrigin: () => string) {
  // A browser sends the cookies of a host to all of its ports.
  const cookieName = () => `simulator-${URL.parse(ownOrigin())?.port}`
  return {
    /** Whether a request has the key, in its address or its cookie. */
    isIn: ({ url = '', headers: { cookie = '' } }: IncomingMessage): boolean => {
      if (!url.startsWith(path)) return false
      const inAddress = new URL(url, 'http://simulator').searchParams.get('key')
      // Another port may have set one of the same name.
      const inCookies = cookie.matchAll(new RegExp(`(?:^|; )${cookieName()}=([^;]*)`, 'g'))
      return isAnySame([inAddress ?? '', ...inCookies.map(([, value = '']) => value)], [key])
    },
    /** Lax: links to bags are in chats, and the terminal that shows the address may be in a browser. */
    cookie: ({ headers }: IncomingMessage): string => {
      const isSecure = headers['x-forwarded-proto'] === 'https'
      return `${cookieName()}=${key}; Path=${path}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
    }
  }
}

/**
 * Requests are sent from this machine, so nobody may make it send one anywhere but to the merchants of this process, to the
 * shops where their answers lead, and to a stand-in for a payment provider: the real page needs scripts.
 */
export function reachable(ownOrigin: () => string, isExposed: boolean) {
  /** Where the bags of a merchant have led to, by its id: the origins of its own shop, or of where they are paid. */
  const shops = new Map<string, Set<string>>()
  const isOurs = ({ origin = ownOrigin(), path }: Merchant, address: string) => {
    const url = URL.parse(address)
    return url?.origin === origin && isWithin(url.pathname, path)
  }
  return {
    isOurs,
    /**
     * How a URL, which has been parsed once, is reached. @returns undefined if it is not
     * @param connectTo where a merchant of this process is
     */
    route: (
      merchant: Merchant,
      url: string,
      from: string | undefined,
      connectTo = ownOrigin()
    ): SendRequestOptions | undefined => {
      if (isOurs(merchant, url)) return { connectTo }
      const { origin, hostname } = new URL(url)
      const isPaidThere = merchant.payment !== undefined && isLoopback(hostname)
      if (!merchant.destination && !isPaidThere) return undefined
      const known = shops.get(merchant.id) ?? new Set()
      shops.set(merchant.id, known)
      // The merchant's answer leads there, and whatever its shop answers with is the operator's choice.
      if (from !== undefined && isOurs(merchant, from)) known.add(origin)
      // Further into the shop, requests are whatever the user of the simulator makes them. If only this machine can reach it,
      // that is its operator; anybody else gets no further than where bags and redirects lead.
      return known.has(origin) && (!isExposed || from !== undefined) ? {} : undefined
    }
  }
}
