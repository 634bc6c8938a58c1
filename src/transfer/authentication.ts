// How the platform proves that a transfer comes from it. The contract defines nothing (section 5), so it is optional.
// Only servers can keep a secret, so no option that a web view sends has it.
import { type Static, Type } from '@sinclair/typebox'
import { bearerToken, type SecretFormat, webhookSecret } from '../secrets.ts'

export const AuthenticationSetting = Type.Object(
  {
    type: Type.Union([Type.Literal('bearer'), Type.Literal('standard-webhooks')], {
      description: '"bearer" or "standard-webhooks"'
    }),
    secretVariables: Type.Array(
      Type.String({
        pattern: '^[A-Z][A-Z0-9_]*$',
        description: 'the name of an environment variable that holds a secret, such as "ACME_TOKEN"'
      }),
      {
        minItems: 1,
        maxItems: 2,
        uniqueItems: true,
        description: 'a list of one or two names of environment variables, such as ["ACME_TOKEN"], each once'
      }
    )
  },
  { additionalProperties: false, description: 'an object with type and secretVariables' }
)
export type AuthenticationSetting = Static<typeof AuthenticationSetting>

export type AuthenticationType = AuthenticationSetting['type']

/** A secret, and the environment variable that holds it. */
export type NamedSecret = { variable: string; value: string }

/** Each of the secrets is accepted; the first is the one to show in examples. */
export type Authentication = { type: AuthenticationType; secrets: [NamedSecret, ...NamedSecret[]] }

export const secretFormats: Record<AuthenticationType, SecretFormat> = {
  bearer: bearerToken,
  'standard-webhooks': webhookSecret
}
