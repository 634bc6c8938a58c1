// Who may open the simulator, and which addresses it sends requests to. It sends bags on behalf of anyone who opens it, so it
// takes a key, and by default exists only if nobody but this machine can reach the server.
import type { IncomingMessage } from 'node:http'
import { isLoopback } from '../../integrations/destination/shop-page.ts'
import { isWithin, type Merchant } from '../../merchant/merchant.ts'
import { isAnySame } from '../../secrets.ts'
import type { SendRequestOptions } from '../client/send-request.ts'

export const SIMULATOR_PATH = '/simulator'

export type SimulatorSettings = {
  setting?: 'on' | 'off' | undefined
  host: string
  /** Only those who have it find the simulator. */
  key: string
}

export type SimulatorAccess = {
  isOn: boolean
  reason: string
  /** Whether it is on although others can reach a merchant. */
  isExposed: boolean
}

/** Behind a proxy, HOST does not tell who can reach the server, but a merchant's public address does. */
export function simulatorAccess(
  { setting, host }: Omit<SimulatorSettings, 'key'>,
  shops: { merchant: Pick<Merchant, 'id' | 'origin'> }[]
): SimulatorAccess {
  const isPublic = (origin: string | undefined) => origin !== undefined && !isLoopback(new URL(origin).hostname)
  const reachable = shops.find(({ merchant }) => isPublic(merchant.origin))?.merchant
  const isReachable = reachable !== undefined || !isLoopback(host)
  if (setting === 'off') return { isOn: false, reason: 'SIMULATOR is off', isExposed: false }
  if (setting === 'on') return { isOn: true, reason: 'SIMULATOR is on', isExposed: isReachable }
  if (!isReachable) return { isOn: true, reason: 'every merchant is on loopback', isExposed: false }
  const what = reachable ? `the merchant "${reachable.id}"` : `HOST, ${host},`
  return { isOn: false, reason: `${what} is not on loopback; SIMULATOR=on enables it anyway`, isExposed: false }
}

export function simulatorKey(key: string, ownOrigin: () => string) {
  // A browser sends the cookies of a host to all of its ports.
  const cookieName = () => `simulator-${URL.parse(ownOrigin())?.port}`
  return {
    /** Whether a request has the key, in its address or its cookie. */
    isIn: ({ url = '', headers: { cookie = '' } }: IncomingMessage): boolean => {
      if (!url.startsWith(SIMULATOR_PATH)) return false
      const inAddress = new URL(url, 'http://simulator').searchParams.get('key')
      // Another port may have set one of the same name.
      const inCookies = cookie.matchAll(new RegExp(`(?:^|; )${cookieName()}=([^;]*)`, 'g'))
      return isAnySame([inAddress ?? '', ...inCookies.map(([, value = '']) => value)], [key])
    },
    /** Lax: links to bags are in chats, and the terminal that shows the address may be in a browser. */
    cookie: ({ headers }: IncomingMessage): string => {
      const isSecure = headers['x-forwarded-proto'] === 'https'
      return `${cookieName()}=${key}; Path=${SIMULATOR_PATH}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
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
    /** How a URL, which has been parsed once, is reached. @returns undefined if it is not */
    route: (
      merchant: Merchant,
      url: string,
      from: string | undefined
    ): Pick<SendRequestOptions, 'connectTo'> | undefined => {
      if (isOurs(merchant, url)) return { connectTo: ownOrigin() }
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
