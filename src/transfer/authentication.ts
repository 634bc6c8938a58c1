// Authenticates the platform. The contract defines nothing (section 5), so it is optional. Only servers can keep a secret, so
// there is none for options that a web view sends.
import { type Static, Type } from '@sinclair/typebox'
import { bearerToken, type NamedSecret, SecretVariables, signatureHeaders, webhookSecret } from '../secrets.ts'
import { type ListedPlatform, playedPlatform } from '../ucp/platform-settings.ts'
import type { WebHeader, WebRequest } from './option.ts'

export const AuthenticationSetting = Type.Object(
  {
    type: Type.Union([Type.Literal('bearer'), Type.Literal('standard-webhooks')], {
      description: 'the way in which the platform proves who it is: "bearer" or "standard-webhooks"'
    }),
    secretVariables: SecretVariables(`a token (${bearerToken.right}) or a signing secret (${webhookSecret.right})`)
  },
  { additionalProperties: false, description: 'an object with type and secretVariables' }
)
export type AuthenticationSetting = Static<typeof AuthenticationSetting>

export type AuthenticationType = AuthenticationSetting['type']

/** Any of the secrets is accepted; examples use the first. */
export type Authentication = { type: AuthenticationType; secrets: [NamedSecret, ...NamedSecret[]] }

export type Credentials = { type: AuthenticationType | 'x-api-key' } & NamedSecret

/** Those of the platform that sends carts this way, or of the one that is played, if several are listed. */
export function credentialsOf({ authentication, platforms }: Proofs): Credentials | undefined {
  const played = playedPlatform(platforms?.values() ?? [])
  const { type, secrets: [secret] = [] } = authentication ?? played?.authentication ?? {}
  return secret && type && type !== 'signature' ? { type, ...secret } : undefined
}

type Proofs = {
  authentication?: Authentication
  platforms?: ReadonlyMap<string, ListedPlatform>
}

/**
 * Adds the headers that prove who sends a request, if there are credentials.
 * @returns the request to send, and the same to show to people: the name of the variable in place of the secret
 */
export function authorize(
  request: WebRequest,
  credentials: Credentials | undefined,
  now: Date
): { sent: WebRequest; shown: WebRequest } {
  if (!credentials) return { sent: request, shown: request }
  const { type, variable, value } = credentials
  const added = (...headers: WebHeader[]): WebRequest => ({ ...request, headers: [...request.headers, ...headers] })
  if (type === 'bearer') {
    return {
      sent: added({ name: 'Authorization', value: `Bearer ${value}` }),
      shown: added({ name: 'Authorization', value: `Bearer $${variable}`, variable })
    }
  }
  if (type === 'x-api-key') {
    return {
      sent: added({ name: 'X-API-Key', value }),
      shown: added({ name: 'X-API-Key', value: `$${variable}`, variable })
    }
  }
  // A signature is no secret.
  const headers = signatureHeaders(value, `transfer_${crypto.randomUUID()}`, request.body ?? '', now)
  const signed = added(...Object.entries(headers).map(([name, value]) => ({ name, value })))
  return { sent: signed, shown: signed }
}
