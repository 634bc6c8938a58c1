// Whether this server has a simulator. It sends bags on behalf of anyone who opens it, so it takes a key, and by default
// exists only if nobody but this machine can reach the server.
import type { BaseLogger } from 'pino'
import { isLoopback } from '../integrations/destination/shop-page.ts'
import type { Merchant } from '../merchant/merchant.ts'

export const SIMULATOR_PATH = '/simulator'

export type SimulatorSettings = { setting?: 'on' | 'off' | undefined; host: string }

export type SimulatorAccess = {
  isOn: boolean
  reason: string
  /** Whether it is on although others can reach a merchant. */
  isExposed: boolean
}

/** Behind a proxy, HOST does not tell who can reach the server, but a merchant's public address does. */
export function simulatorAccess(
  { setting, host }: SimulatorSettings,
  shops: { merchant: Merchant }[]
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

export function logSimulatorAccess(logger: BaseLogger, { isOn, reason, isExposed }: SimulatorAccess): void {
  const details = { ...(isOn && { path: SIMULATOR_PATH }), reason }
  if (isExposed) logger.warn(details, 'simulator on: anyone who has its key can send bags to every merchant')
  else logger.info(details, `simulator ${isOn ? 'on' : 'off'}`)
}
