// Decides whether there is a simulator page: it hands over bags for whoever opens it, so that it is there by itself
// only where nobody but this machine can be meant.
import { BlockList, isIP } from 'node:net'
import type { Environment } from './environment.ts'
import type { Merchant } from './merchant.ts'

export type SimulatorSwitch = {
  isOn: boolean
  /** Why, for the log. */
  reason: string
  /** Whether it is on although a merchant is meant for others. */
  isExposed: boolean
}

/** HOST says nothing of a server behind a proxy; where the app finds a merchant does. */
export function switchSimulator(
  { simulator, host }: Pick<Environment, 'simulator' | 'host'>,
  merchants: Pick<Merchant, 'id' | 'origin'>[]
): SimulatorSwitch {
  const open = merchants.find(({ origin }) => !isLoopback(origin === undefined ? host : new URL(origin).hostname))
  if (simulator === 'off') return { isOn: false, reason: 'SIMULATOR is off', isExposed: false }
  if (simulator === 'on') return { isOn: true, reason: 'SIMULATOR is on', isExposed: open !== undefined }
  if (!open) return { isOn: true, reason: 'every merchant is on loopback', isExposed: false }
  const reason = `the merchant "${open.id}" is not on loopback; SIMULATOR=on turns it on all the same`
  return { isOn: false, reason, isExposed: false }
}

function isLoopback(host: string): boolean {
  const address = host.replace(/^\[|\]$/g, '')
  const family = isIP(address)
  if (family === 0) return address.toLowerCase() === 'localhost'
  const loopback = new BlockList()
  loopback.addSubnet('127.0.0.0', 8, 'ipv4')
  loopback.addAddress('::1', 'ipv6')
  return loopback.check(address, family === 6 ? 'ipv6' : 'ipv4')
}
