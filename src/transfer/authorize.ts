// The platform's half of authentication: the headers that prove who sends a transfer.
import { signMessage } from '../secrets.ts'
import type { Authentication, AuthenticationType, NamedSecret } from './authentication.ts'
import type { WebHeader, WebRequest } from './option.ts'

/** What the platform proves itself with. */
export type Credentials = { type: AuthenticationType } & NamedSecret

/** What the platform has to prove itself with to a merchant. */
export function credentialsOf(authentication: Authentication | undefined): Credentials | undefined {
  return authentication && { type: authentication.type, ...authentication.secrets[0] }
}

/** A request to send, and the same to show to people: in that one, the name of the variable replaces the secret. */
export type AuthorizedRequest = { sent: WebRequest; shown: WebRequest }

/** Adds the headers that prove who sends a request; without credentials there are none. */
export function authorize(request: WebRequest, credentials: Credentials | undefined, now: Date): AuthorizedRequest {
  if (!credentials) return { sent: request, shown: request }
  const { type, variable, value } = credentials
  const added = (...headers: WebHeader[]): WebRequest => ({ ...request, headers: [...request.headers, ...headers] })
  if (type === 'bearer') {
    return {
      sent: added({ name: 'Authorization', value: `Bearer ${value}` }),
      shown: added({ name: 'Authorization', value: `Bearer $${variable}`, variable })
    }
  }
  // A signature is no secret.
  const signed = added(...signatureHeaders(request, value, now))
  return { sent: signed, shown: signed }
}

/** Signs a request as Standard Webhooks describes. */
function signatureHeaders({ body = '' }: WebRequest, secret: string, now: Date): WebHeader[] {
  const id = `transfer_${crypto.randomUUID()}`
  const timestamp = String(Math.floor(now.getTime() / 1000))
  return [
    { name: 'webhook-id', value: id },
    { name: 'webhook-timestamp', value: timestamp },
    { name: 'webhook-signature', value: signMessage(secret, { id, timestamp, body }) }
  ]
}
