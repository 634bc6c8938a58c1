// Secrets that this server shares with others: what they look like, how they sign a message, how they are compared.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { Type } from '@sinclair/typebox'

/** What a secret has to look like. Error messages say "… is not <name>; give it <right>". */
export type SecretFormat = { name: string; right: string; isValid: (text: string) => boolean }

/** Of RFC 6750, section 2.1, and too long to be guessed. */
export const bearerToken: SecretFormat = {
  name: 'a bearer token',
  right: '32 to 512 random characters of A to Z, a to z, 0 to 9 and "-._~+/", and "=" at the end only',
  isValid: text => /^[A-Za-z0-9._~+/-]{32,512}={0,2}$/.test(text)
}

/** Of Standard Webhooks; the prefix may be absent. */
export const webhookSecret: SecretFormat = {
  name: 'a Standard Webhooks secret',
  right: '"whsec_" and 24 to 64 random bytes in base64',
  isValid: text => {
    const { length } = keyOf(text)
    return /^(whsec_)?[A-Za-z0-9+/]+={0,2}$/.test(text) && length >= 24 && length <= 64
  }
}

/** Of HTTP's basic authentication (RFC 7617), in one text. */
export const basicCredentials: SecretFormat = {
  name: 'a user and a password',
  right: 'a user, a colon and a password, such as "acme:secret"',
  isValid: text => text === text.trim() && /^[^:\p{Cc}]+:\P{Cc}+$/u.test(text)
}

/** A secret, and the environment variable that holds it. */
export type NamedSecret = { variable: string; value: string }

/** A setting that names the variables of a secret, or of two while it is changed. @param what what they hold */
export const SecretVariables = (what: string) =>
  Type.Array(
    Type.String({
      pattern: '^[A-Z][A-Z0-9_]*$',
      description: 'the name of an environment variable that holds a secret, such as "ACME_TOKEN"'
    }),
    {
      minItems: 1,
      maxItems: 2,
      uniqueItems: true,
      description: `a list of one or two names of environment variables, such as ["ACME_TOKEN"], each once; what either holds is accepted: ${what}`
    }
  )

function keyOf(secret: string): Buffer {
  return Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
}

type SignedMessage = { id: string; timestamp: string; body: string | Uint8Array }

/** As Standard Webhooks describes; the timestamp in seconds since 1970. @returns `v1,` and the signature in base64 */
export function signMessage(secret: string, { id, timestamp, body }: SignedMessage): string {
  return `v1,${createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.`).update(body).digest('base64')}`
}

export function signatureHeaders(secret: string, id: string, body: string, now: Date) {
  const timestamp = String(Math.floor(now.getTime() / 1000))
  const signature = signMessage(secret, { id, timestamp, body })
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature }
}

/** Whether any text sent is one of those expected. How long it takes says nothing about the expected ones. */
export function isAnySame(sent: string[], expected: string[]): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  const digests = sent.map(digest)
  // Everything is compared, also after a match.
  const found = expected.flatMap(text => {
    const wanted = digest(text)
    return digests.filter(one => timingSafeEqual(one, wanted))
  })
  return found.length > 0
}
