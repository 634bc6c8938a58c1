// The profile of a platform: the version of UCP that it speaks, what it takes part in, and the keys that it signs with.
import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { Problem } from '../errors.ts'
import { CART, type UcpVersion, ucpVersions } from './versions.ts'

/** A JSON Web Key (RFC 7517). Of some kinds nothing more is known. */
export type Jwk = Record<string, unknown>

/** In characters. */
const MAX_ADDRESS = 2048

export type PlatformProfile = {
  version: UcpVersion
  /** The names of those that we know in this version, too. */
  capabilities: string[]
  keys: Jwk[]
}

const Versioned = Type.Object({ ucp: Type.Object({ version: Type.String() }) })

const Keys = Type.Optional(Type.Array(Type.Record(Type.String(), Type.Unknown())))
const PublishedProfile = Type.Object({
  ucp: Type.Object({
    capabilities: Type.Optional(
      Type.Record(Type.String(), Type.Array(Type.Object({ version: Type.Optional(Type.String()) })))
    )
  }),
  keys: Keys,
  signing_keys: Keys
})

/** As addresses of profiles are compared. @returns undefined if it cannot be one */
export function profileAddress(text: string): string | undefined {
  const url = text.length > MAX_ADDRESS ? null : URL.parse(text)
  return url?.protocol === 'https:' && url.username + url.password + url.hash === '' ? url.href : undefined
}

/** @throws Problem `profile-malformed` or `version-unsupported` */
export function readPlatformProfile(text: string): PlatformProfile {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    throw malformedProfile('is not JSON')
  }
  const { version } = checked(Versioned, json).ucp
  if (!isSpoken(version)) {
    const known = Object.keys(ucpVersions).join(' and ')
    throw new Problem('version-unsupported', {
      detail: `Version ${JSON.stringify(version.slice(0, 20))} of UCP is not supported; ${known} are.`
    })
  }
  const profile = checked(PublishedProfile, json)
  const { capabilities = {} } = profile.ucp
  // Whatever has another version than its profile is to be ignored.
  const isShared = (name: string) => capabilities[name]?.some(entry => entry.version === version)
  return {
    version,
    capabilities: [CART].filter(isShared),
    keys: profile[ucpVersions[version].keys] ?? []
  }
}

function isSpoken(version: string): version is UcpVersion {
  return Object.hasOwn(ucpVersions, version)
}

export function malformedProfile(problem: string): Problem {
  return new Problem('profile-malformed', { detail: `The profile ${problem}.` })
}

function checked<Schema extends TSchema>(schema: Schema, json: unknown): Static<Schema> {
  const [first] = Value.Errors(schema, json)
  if (!first) return json as Static<Schema>
  throw malformedProfile(`is none of UCP: ${first.path || '/'}: ${first.message.toLowerCase()}`)
}
