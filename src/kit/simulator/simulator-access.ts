// Decides who may open the simulator. It sends bags on behalf of anyone who opens it, so by default it exists only if
// nobody but this machine can reach the server.
import type { IncomingMessage } from 'node:http'
import type { Merchant } from '../../merchant/merchant.ts'
import { isLoopback } from '../../private-address.ts'

export type SimulatorSettings = {
  /** `SIMULATOR`, if set. */
  setting?: 'on' | 'off' | undefined
  /** The address that the server listens on. */
  host: string
}

export type SimulatorAccess = {
  /** Absent if there is no simulator. "this machine" excludes requests that a proxy has forwarded. */
  servedTo?: 'this machine' | 'everybody'
  /** For the log. */
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
 * this machine gets nothing (DNS rebinding), and no proxy has forwarded it, as far as it shows. HTTP/1.0 is what nginx
 * long spoke by default, and all that its defaults show.
 */
export function isFromThisMachine({ httpVersion, headers }: Pick<IncomingMessage, 'httpVersion' | 'headers'>): boolean {
  if (httpVersion === '1.0' || Object.keys(headers).some(name => FORWARDING_HEADER.test(name))) return false
  return isLoopback(String(headers.host).replace(/:\d+$/, ''))
}
