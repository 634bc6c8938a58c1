// Who sends a UCP request: the platform whose profile it names, by the proof that the merchant asks of it, and what of the
// protocol both know.
import type { FastifyRequest } from 'fastify'
import { parseDictionary } from 'structured-headers'
import { Problem } from '../../errors.ts'
import { type PlatformProfile, profileAddress } from '../../ucp/platform-profile.ts'
import { examplePlatforms } from '../../ucp/platform-settings.ts'
import { verifySignature } from '../../ucp/signature.ts'
import type { UcpVersion } from '../../ucp/versions.ts'
import { apiKeyProblem, tokenProblem } from '../admit-request.ts'
import type { WayContext } from '../transfer-record.ts'
import { platformProfiles } from './platform-profiles.ts'

export type Platform = {
  /** The address of its profile, which tells it from others. */
  id: string
  version: UcpVersion
  /** The names of those that both know in this version. */
  capabilities: string[]
}

/**
 * Its body has to have arrived as a Buffer.
 * @param profile the address that the request gives, if it gives one
 * @throws Problem a protocol error of UCP
 */
export type IdentifyPlatform = (request: FastifyRequest, profile: string | undefined) => Promise<Platform>

export function platformIdentifier(context: Pick<WayContext, 'way' | 'clock' | 'origin' | 'fetch'>): IdentifyPlatform {
  const { way, clock, origin, fetch } = context
  const known = way.platforms ?? examplePlatforms()
  const profiles = platformProfiles(fetch)

  /** @throws Problem */
  function verify(request: FastifyRequest, { keys }: PlatformProfile): void {
    const { method, url: target, raw } = request
    const { host: authority } = new URL(origin())
    const body = (request.body as Buffer | null | undefined) ?? Buffer.of()
    verifySignature({ method, authority, target, headers: allHeaders(raw.rawHeaders), body }, keys, clock())
  }

  return async (request, sent = '') => {
    const id = profileAddress(sent)
    if (id === undefined) {
      const detail =
        'Send the https address of your profile: UCP-Agent: profile="https://…", or by MCP meta["ucp-agent"].profile.'
      throw new Problem('invalid-profile-url', { detail })
    }
    const listed = known.get(id)
    if (way.platforms && !listed) {
      throw new Problem('profile-not-trusted', {
        detail: 'This merchant takes carts from the platforms that it lists, and your profile is not among them.'
      })
    }
    const { copy, authentication: { type, secrets = [] } = {} } = listed ?? {}
    if (type === 'bearer' || type === 'x-api-key') {
      const values = secrets.map(({ value }) => value)
      const problem = type === 'bearer' ? tokenProblem(request, values) : apiKeyProblem(request, values)
      if (problem) throw problem
      request.isAuthenticated = true
    }
    let profile = copy ?? (await profiles.get(id))
    // What nobody asked for is checked as well.
    if (type === 'signature' || (type === undefined && request.headers['signature-input'] !== undefined)) {
      try {
        verify(request, profile)
      } catch (error) {
        if (copy || !(error instanceof Problem && error.code === 'key-not-found')) throw error
        profile = await profiles.refresh(id)
        verify(request, profile)
      }
    }
    if (type === 'signature') request.isAuthenticated = true
    const { version, capabilities } = profile
    return { id, version, capabilities }
  }
}

/** Of a header that is sent twice, `headers` may have only one. */
function allHeaders(rawHeaders: string[]): NodeJS.Dict<string[]> {
  const headers: NodeJS.Dict<string[]> = Object.create(null)
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = String(rawHeaders[i]).toLowerCase()
    headers[name] = [...(headers[name] ?? []), String(rawHeaders[i + 1])]
  }
  return headers
}

/** @param agent the header UCP-Agent, a dictionary of RFC 8941 @returns undefined if it names no profile */
export function profileIn(agent: string | string[] | undefined): string | undefined {
  try {
    const [profile] = parseDictionary(String(agent)).get('profile') ?? []
    return typeof profile === 'string' ? profile : undefined
  } catch {
    return undefined
  }
}
