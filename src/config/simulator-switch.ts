// Decides whether there is a simulator page: it hands over bags for whoever opens it, so that it is there by itself
// only where nobody but this machine can be meant.
import { BlockList, isIP } from 'node:net'
import type { Environment } from './environment.ts'
import type { Merchant } from './merchant.ts'

export type SimulatorSwitch = {
  /** Whom it answers; absent where there is none. By itself it answers this machine, and no proxy on it. */
  servedTo?: 'this machine' | 'everybody'
  /** Why, for the log. */
  reason: string
  /** Whether it is on although a merchant is meant for others. */
  isExposed: boolean
}

/**
 * HOST says nothing of a server behind a proxy; where the app finds a merchant does. A server that listens for others
 * is open all the same.
 */
export function switchSimulator(
  { simulator, host }: Pick<Environment, 'simulator' | 'host'>,
  merchants: Pick<Merchant, 'id' | 'origin'>[]
): SimulatorSwitch {
  const open = merchants.find(({ origin }) => origin !== undefined && !isLoopback(new URL(origin).hostname))
  const isOpen = open !== undefined || !isLoopback(host)
  if (simulator === 'off') return { reason: 'SIMULATOR is off', isExposed: false }
  if (simulator === 'on') return { servedTo: 'everybody', reason: 'SIMULATOR is on', isExposed: isOpen }
  if (!isOpen) return { servedTo: 'this machine', reason: 'every merchant is on loopback', isExposed: false }
  const what = open ? `the merchant "${open.id}"` : `HOST, ${host},`
  return { reason: `${what} is not on loopback; SIMULATOR=on turns it on all the same`, isExposed: false }
}

/** Whether a host name or an address, IPv6 in brackets or not, is this machine's own. */
export function isLoopback(host: string): boolean {
  const address = host.replace(/^\[|\]$/g, '')
  const family = isIP(address)
  if (family === 0) return address.toLowerCase() === 'localhost'
  const loopback = new BlockList()
  loopback.addSubnet('127.0.0.0', 8, 'ipv4')
  loopback.addAddress('::1', 'ipv6')
  return loopback.check(address, family === 6 ? 'ipv6' : 'ipv4')
}
