// What the platform's servers prove themselves with, to any site: a token, an API key or a secret, as our own platforms have, or
// the key that a UCP platform signs with.
import type { NamedSecret } from '../../secrets.ts'
import { authorize, type Credentials } from '../../transfer/authentication.ts'
import type { WebRequest } from '../../transfer/option.ts'
import { signRequest } from '../../ucp/signature.ts'

/** The secret of a signature is a `signingKey`. */
export type Proof = Credentials | ({ type: 'signature' } & NamedSecret)

/** As `authorize`. */
export function proveSender(
  request: WebRequest,
  proof: Proof | undefined,
  now: Date
): { sent: WebRequest; shown: WebRequest } {
  if (proof?.type !== 'signature') return authorize(request, proof, now)
  const { method, url, headers, body = '' } = request
  const { host: authority, pathname, search } = new URL(url)
  const sentHeaders = Object.fromEntries(headers.map(({ name, value }) => [name.toLowerCase(), [value]]))
  const toSign = { method, authority, target: pathname + search, headers: sentHeaders, body: Buffer.from(body) }
  const added = Object.entries(signRequest(toSign, proof.value, now)).map(([name, value]) => ({ name, value }))
  // A signature is no secret.
  const signed = { ...request, headers: [...headers, ...added] }
  return { sent: signed, shown: signed }
}
