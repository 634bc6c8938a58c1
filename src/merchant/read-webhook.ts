// Reads where a merchant is notified of its orders, and the secret that signs the messages.
import type { ReportMistake } from './json-file.ts'
import type { Merchant } from './merchant.ts'
import type { MerchantSettings } from './merchant-schema.ts'
import { readPublicUrl } from './public-url.ts'

/** The value of an environment variable. */
export type SecretOf = (name: string) => string | undefined

/** The webhook with its secret, which no message reveals anything about. */
export function readWebhook(
  { url, secretVariable }: NonNullable<MerchantSettings['webhook']>,
  secretOf: SecretOf,
  report: ReportMistake
): NonNullable<Merchant['webhook']> {
  const problem = urlProblem(url)
  if (problem) report(['webhook', 'url'], `it is "${url}"; ${problem}`)
  const secret = secretOf(secretVariable) ?? ''
  const length = Buffer.from(secret.replace(/^whsec_/, ''), 'base64').length
  if (!/^(whsec_)?[A-Za-z0-9+/]+={0,2}$/.test(secret) || length < 24 || length > 64) {
    const found = secret === '' ? 'is not set' : 'is not a Standard Webhooks secret'
    const right = 'give it "whsec_" and 24 to 64 random bytes in base64'
    report(['webhook', 'secretVariable'], `the environment variable ${secretVariable} ${found}; ${right}`)
  }
  return { url, secret }
}

function urlProblem(text: string): string | undefined {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.hash) {
    return 'give an address such as "https://acme.example/hooks", without user and fragment'
  }
  const origin = readPublicUrl(url.origin)
  return typeof origin === 'string' ? origin : undefined
}
