// The profile of a platform: the version of UCP that it speaks, what it takes part in, and the keys that it signs with.
import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { Problem } from '../errors.ts'
import { CART, type UcpVersion, ucpVersions } from './versions.ts'

/** A JSON Web Key (RFC 7517). Of some kinds nothing more is known. */
export type Jwk = Record<string, unknown>

/** What signatures can be made with. The algorithm follows from the key. */
const ALGORITHMS = [
  { kty: 'EC', crv: 'P-256', jwa: 'ES256', name: 'ecdsa-p256-sha256', digest: 'sha256' },
  { kty: 'EC', crv: 'P-384', jwa: 'ES384', name: 'ecdsa-p384-sha384', digest: 'sha384' },
  { kty: 'OKP', crv: 'Ed25519', jwa: 'EdDSA', name: 'ed25519', digest: null }
]

export const ALGORITHM_NAMES = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(
  ALGORITHMS.map(({ jwa }) => jwa)
)

/** @returns undefined if it is for none of them */
export function algorithmOf({ kty, crv, alg }: Jwk) {
  return ALGORITHMS.find(one => one.kty === kty && one.crv === crv && (alg ?? one.jwa) === one.jwa)
}

/** Whether a key may check signatures, by what it says that it is for. */
export function isForSignatures({ use, key_ops: uses }: Jwk): boolean {
  return use !== 'enc' && (!Array.isArray(uses) || uses.includes('verify'))
}

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

const KINDS = { object: 'an object', array: 'an array', string: 'a string' }

function checked<Schema extends TSchema>(schema: Schema, json: unknown): Static<Schema> {
  const [first] = Value.Errors(schema, json)
  if (!first) return json as Static<Schema>
  const { path, schema: wanted, value } = first
  const problem = value === undefined ? 'is missing' : `must be ${KINDS[wanted.type as keyof typeof KINDS]}`
  throw malformedProfile(`is not one of UCP: ${path || 'it'} ${problem}`)
}
