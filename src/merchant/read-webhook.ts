// Reads where a merchant is notified of its orders, and the secret that signs the messages.
import { webhookSecret } from '../secrets.ts'
import type { ReportMistake } from './json-file.ts'
import type { Merchant } from './merchant.ts'
import type { MerchantSettings } from './merchant-schema.ts'
import { readPublicUrl } from './public-url.ts'
import { resolveSecret, type SecretOf } from './read-secret.ts'

/** The webhook with its secret, which no message reveals anything about. */
export function readWebhook(
  { url, secretVariable }: NonNullable<MerchantSettings['webhook']>,
  secretOf: SecretOf,
  report: ReportMistake
): NonNullable<Merchant['webhook']> {
  const problem = urlProblem(url)
  if (problem) report(['webhook', 'url'], `it is "${url}"; ${problem}`)
  const secret = resolveSecret(secretVariable, webhookSecret, ['webhook', 'secretVariable'], secretOf, report)
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
