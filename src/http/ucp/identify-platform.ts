// Who sends a UCP request: the platform whose profile it names, and what of the protocol both know.
import type { FastifyRequest } from 'fastify'
import { Problem } from '../../errors.ts'
import type { PlatformsSetting } from '../../ucp/platform-settings.ts'
import { CART, NEWEST, type UcpVersion } from '../../ucp/versions.ts'
import type { WayContext } from '../transfer-record.ts'

export type Platform = {
  /** The address of its profile, which tells it from others. */
  id: string
  version: UcpVersion
  /** The names of those that both know in this version. */
  capabilities: string[]
}

/**
 * @param profile the address that the request gives, if it gives one
 * @throws Problem a protocol error of UCP
 */
export type IdentifyPlatform = (request: FastifyRequest, profile: string | undefined) => Promise<Platform>

export function platformIdentifier({ way: { transfer } }: Pick<WayContext, 'way'>): IdentifyPlatform {
  const { platforms = 'any' } = transfer as { platforms?: PlatformsSetting }
  return async (_request, profile = '') => {
    if (!/^https:\/\/[!-~]+$/.test(profile)) {
      const detail = 'Send the https address of your profile: UCP-Agent: profile="https://…".'
      throw new Problem('invalid-profile-url', { detail })
    }
    if (platforms !== 'any' && !platforms.some(platform => platform.profile === profile)) {
      throw new Problem('unauthorized', { detail: 'This merchant does not know the platform.' })
    }
    return { id: profile, version: NEWEST, capabilities: [CART] }
  }
}

/** @param agent the header UCP-Agent, a dictionary of RFC 8941 */
export function profileIn(agent: string | string[] | undefined): string | undefined {
  return /(?:^|[\s,])profile="([^"]*)"/.exec(String(agent))?.[1]
}
