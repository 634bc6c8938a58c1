// The platforms that a merchant file names: who may keep UCP carts here, and how each proves who it is.
import { type Static, Type } from '@sinclair/typebox'
import { bearerToken, type NamedSecret, SecretVariables } from '../secrets.ts'
import { type PlatformProfile, profileAddress } from './platform-profile.ts'
import { CART, NEWEST, OLDER, type UcpVersion } from './versions.ts'

const WITH_SECRET = ['bearer', 'x-api-key']

const PlatformAuthentication = Type.Object(
  {
    type: Type.Union([Type.Literal('bearer'), Type.Literal('x-api-key'), Type.Literal('signature')], {
      description:
        'the way in which the platform proves who it is: "bearer" (Authorization), "x-api-key" (X-API-Key), or "signature" (RFC 9421, with a key of its profile)'
    }),
    secretVariables: Type.Optional(SecretVariables(`a token (${bearerToken.right})`))
  },
  {
    additionalProperties: false,
    description: 'an object such as { "type": "bearer", "secretVariables": ["ACME_TOKEN"] } or { "type": "signature" }',
    problemOf: ({ type, secretVariables }: { type: string; secretVariables?: string[] }) => {
      const isNeeded = WITH_SECRET.includes(type)
      if (isNeeded === (secretVariables !== undefined)) return undefined
      return isNeeded
        ? `"${type}" needs secretVariables: a list of one or two names of environment variables, such as ["ACME_TOKEN"]`
        : 'a signature needs no secret of yours; leave secretVariables out'
    }
  }
)

const EXAMPLE = '{ "profile": "https://platform.example/profile.json" }'

const ADDRESS = 'the https address of its profile, without user and fragment, as the platform sends it in UCP-Agent'

const KnownPlatform = Type.Object(
  {
    profile: Type.String({
      description: ADDRESS,
      problemOf: (text: string) =>
        profileAddress(text) === undefined
          ? `it ${URL.parse(text)?.password ? 'has a password' : `is ${JSON.stringify(text)}`}; give ${ADDRESS}`
          : undefined
    }),
    copy: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'the path of a file with its profile, relative to this file; by default the profile is fetched from its address'
      })
    ),
    authentication: Type.Optional(PlatformAuthentication)
  },
  { additionalProperties: false, description: `an object such as ${EXAMPLE}` }
)

export const PlatformsSetting = Type.Union(
  [Type.Literal('any'), Type.Array(KnownPlatform, { minItems: 1, description: `a list such as [${EXAMPLE}]` })],
  { default: 'any', description: `who may send carts: "any" (default), or a list such as [${EXAMPLE}]` }
)
export type PlatformsSetting = Static<typeof PlatformsSetting>

/** A platform of the list, as it is known to a merchant's routes. Any of the secrets is accepted; a signature has none. */
export type ListedPlatform = {
  copy?: PlatformProfile
  authentication?: { type: 'bearer' | 'x-api-key' | 'signature'; secrets: NamedSecret[] }
}

/** Of the platforms of a list, the one that our own requests play: the first that needs no signature, as its key is not ours. */
export function playedPlatform<Platform extends { authentication?: { type: string } }>(
  platforms: Iterable<Platform>
): Platform | undefined {
  return Iterator.from(platforms).find(({ authentication }) => authentication?.type !== 'signature')
}

/** Of the platform that our own requests come from, which any merchant that takes carts of any platform knows. */
export const exampleProfile = (version: UcpVersion = NEWEST): string =>
  `https://platform.example/${version === NEWEST ? '' : `${version}/`}profile.json`

export function examplePlatforms(): ReadonlyMap<string, ListedPlatform> {
  return new Map(
    [NEWEST, ...OLDER].map(version => [exampleProfile(version), { copy: { version, capabilities: [CART], keys: [] } }])
  )
}
