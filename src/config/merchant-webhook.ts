// Where a merchant is told of its orders, and the secret that signs what it is told.
import type { Report } from './json-shape.ts'
import type { Merchant } from './merchant.ts'
import type { MerchantSettings } from './merchant-schema.ts'
import { readPublicUrl } from './public-url.ts'

/** Gives what the environment variable of a name holds. */
export type SecretOf = (name: string) => string | undefined

/** The webhook with its secret, of which no message says more than where it should stand. */
export function readWebhook(
  { url, secretVariable }: NonNullable<MerchantSettings['webhook']>,
  secretOf: SecretOf,
  report: Report
): NonNullable<Merchant['webhook']> {
  const wrong = wrongWithWebhook(url)
  if (wrong) report(['webhook', 'url'], `it is "${url}"; ${wrong}`)
  const secret = secretOf(secretVariable) ?? ''
  const length = Buffer.from(secret.replace(/^whsec_/, ''), 'base64').length
  if (!/^(whsec_)?[A-Za-z0-9+/]+={0,2}$/.test(secret) || length < 24 || length > 64) {
    const problem = secret === '' ? 'is not set' : 'is no secret of Standard Webhooks'
    const right = 'give it "whsec_" and 24 to 64 random bytes in base64'
    report(['webhook', 'secretVariable'], `the environment variable ${secretVariable} ${problem}; ${right}`)
  }
  return { url, secret }
}

function wrongWithWebhook(text: string): string | undefined {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.hash) {
    return 'give an address such as "https://acme.example/hooks", without user and fragment'
  }
  const origin = readPublicUrl(url.origin)
  return typeof origin === 'string' ? origin : undefined
}
