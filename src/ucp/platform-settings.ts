// The platforms that a merchant file names: who may keep UCP carts here.
import { type Static, Type } from '@sinclair/typebox'

const KnownPlatform = Type.Object(
  {
    profile: Type.String({
      pattern: '^https://',
      description: 'the https address of its profile, as it sends it in UCP-Agent'
    })
  },
  { additionalProperties: false, description: 'an object with profile' }
)

export const PlatformsSetting = Type.Union(
  [
    Type.Literal('any'),
    Type.Array(KnownPlatform, { minItems: 1, description: 'a list of platforms: { "profile": "https://…" }' })
  ],
  { default: 'any', description: 'who may send carts: a list of platforms, or "any" (default)' }
)
export type PlatformsSetting = Static<typeof PlatformsSetting>
