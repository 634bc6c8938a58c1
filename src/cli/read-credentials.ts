// The flags that say what the platform's servers prove themselves with to a site.
import { readSecret } from '../environment.ts'
import type { Proof } from '../kit/client/prove-sender.ts'
import { type SecretFormat, webhookSecret } from '../secrets.ts'
import { asksForPage, type TransferOption } from '../transfer/option.ts'
import { signingKey } from '../ucp/signature.ts'
import { type Arguments, TEXT_FLAG, UsageError } from './run-command.ts'

export const CREDENTIAL_FLAGS = {
  'token-from': TEXT_FLAG,
  'api-key-from': TEXT_FLAG,
  'secret-from': TEXT_FLAG,
  'signing-key-from': TEXT_FLAG
}

export const CREDENTIAL_USAGE = `  What the platform’s servers prove themselves with, if the site asks who calls; each flag names an environment variable:
  --token-from        a bearer token
  --api-key-from      what X-API-Key holds
  --secret-from       a Standard Webhooks secret, to sign with
  --signing-key-from  with option ucp: the private key that signs by RFC 9421, a JWK with the kid of the platform’s profile`

/** Another site's token may be shorter than ours have to be. */
const SITE_TOKEN: SecretFormat = {
  name: 'a token',
  right: 'the token, in printable ASCII without spaces',
  isValid: text => /^[!-~]+$/.test(text)
}

const SITE_KEY: SecretFormat = {
  ...SITE_TOKEN,
  name: 'an API key',
  right: 'the API key, in printable ASCII without spaces'
}

type CredentialFlag = keyof typeof CREDENTIAL_FLAGS

const PROOFS: Record<CredentialFlag, { type: Proof['type']; format: SecretFormat }> = {
  'token-from': { type: 'bearer', format: SITE_TOKEN },
  'api-key-from': { type: 'x-api-key', format: SITE_KEY },
  'secret-from': { type: 'standard-webhooks', format: webhookSecret },
  'signing-key-from': { type: 'signature', format: signingKey }
}

/**
 * @param asksLater whether the platform's servers ask what became of a bag, whoever has sent it
 * @throws UsageError, or OperatorError for what the variable holds
 */
export function readCredentials(
  values: Arguments<typeof CREDENTIAL_FLAGS>['values'],
  option: TransferOption,
  asksLater = false
): Proof | undefined {
  const [given, other] = (Object.keys(PROOFS) as CredentialFlag[]).filter(flag => values[flag] !== undefined)
  if (given === undefined) return undefined
  if (other !== undefined) throw new UsageError(`give --${given} or --${other}, not both`)
  const { type, format } = PROOFS[given]
  if (type === 'signature' && option.answer !== 'protocol') {
    throw new UsageError(`option ${option.name} has no platform with a profile and keys: leave out --${given}`)
  }
  if (asksForPage(option) && !asksLater) {
    throw new UsageError(`with option ${option.name} a web view sends the bag, and has no secret: leave out --${given}`)
  }
  const variable = String(values[given])
  return { type, variable, value: readSecret(variable, format) }
}
