// Reads what a merchant is connected with, and the secrets for it, of which no message reveals anything: the platform,
// the product feed, the receiver of its orders, its own shop.
import { dirname, join, resolve } from 'node:path'
import type { Destination, DestinationRoute } from '../destination/destination.ts'
import { basicCredentials, type SecretFormat, webhookSecret } from '../secrets.ts'
import { type Authentication, type AuthenticationSetting, secretFormats } from '../transfer/authentication.ts'
import type { Key, ReportMistake } from './json-file.ts'
import type { Merchant } from './merchant.ts'
import { httpProblem, PICTURES_PATH } from './merchant.ts'
import type { DestinationSettings, MerchantSettings } from './merchant-schema.ts'

export type SecretOf = (name: string) => string | undefined

/** Reads the secret in a variable. @param key the setting that names the variable; no message reveals the secret */
type ReadSecret = (variable: string, format: SecretFormat, key: Key) => string

export function secretReader(secretOf: SecretOf, report: ReportMistake): ReadSecret {
  return (variable, { name, right, isValid }, key) => {
    const secret = secretOf(variable) ?? ''
    if (!isValid(secret)) {
      const isPadded = secret !== secret.trim()
      const found = secret === '' ? 'is not set' : isPadded ? 'has white space at its start or end' : `is not ${name}`
      report(key, `the environment variable ${variable} ${found}; give it ${right}`)
    }
    return secret
  }
}

export function readAuthentication(
  { type, secretVariables }: AuthenticationSetting,
  readSecret: ReadSecret,
  report: ReportMistake
): Authentication {
  const place = ['transfer', 'authentication', 'secretVariables']
  const secrets = secretVariables.map((variable, i) => ({
    variable,
    value: readSecret(variable, secretFormats[type], [...place, i])
  }))
  const [first, second] = secrets
  if (first?.value && first.value === second?.value) {
    const message = `the environment variable ${second.variable} holds the same secret as ${first.variable}`
    report([...place, 1], `${message}; give it another, or leave it out`)
  }
  return { type, secrets: secrets as Authentication['secrets'] }
}

/** @param place the file and line that name the feed */
export function readCatalogue(
  settings: NonNullable<MerchantSettings['catalogue']>,
  folder: string,
  place: string,
  readSecret: ReadSecret,
  report: ReportMistake
): Pick<Merchant, 'catalogue' | 'pictures'> {
  const { feed, credentialsVariable } = settings
  const key = ['catalogue', 'credentialsVariable']
  const isAddress = isFeedAddress(feed)
  const problem = isAddress ? addressProblem(feed) : undefined
  if (problem) report(['catalogue', 'feed'], problem)
  if (credentialsVariable !== undefined && !isAddress) report(key, 'a file needs no login; leave it out')
  const credentials = credentialsVariable && readSecret(credentialsVariable, basicCredentials, key)
  const file = resolve(folder, feed)
  return {
    catalogue: { ...settings, feed: isAddress ? feed : file, place, ...(credentials !== undefined && { credentials }) },
    pictures: join(isAddress ? folder : dirname(file), PICTURES_PATH)
  }
}

export function isFeedAddress(feed: string): boolean {
  return /^[a-z][a-z0-9+.-]+:\/\//i.test(feed)
}

/** What is wrong with the address of a feed, if anything is. It is not quoted, as it may hold a password. */
function addressProblem(text: string): string | undefined {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol)) return 'give the path of a file, or an address such as "https://…"'
  if (url.username || url.password) {
    return 'a login must not be in the file; put user and password into the variable of catalogue.credentialsVariable'
  }
  return httpProblem(url)
}

export function readWebhook(
  { url, secretVariable }: NonNullable<MerchantSettings['webhook']>,
  readSecret: ReadSecret,
  report: ReportMistake
): NonNullable<Merchant['webhook']> {
  const parsed = URL.parse(url)
  const isPlain = parsed && /^https?:$/.test(parsed.protocol) && !(parsed.username || parsed.password || parsed.hash)
  const right = 'give an address such as "https://acme.example/hooks", without user and fragment'
  const problem = isPlain ? httpProblem(parsed) : right
  if (problem) report(['webhook', 'url'], `it is "${url}"; ${problem}`)
  return { url, secret: readSecret(secretVariable, webhookSecret, ['webhook', 'secretVariable']) }
}

export function readDestination(
  settings: DestinationSettings | undefined,
  destinations: Destination[],
  route: DestinationRoute,
  readSecret: ReadSecret,
  report: ReportMistake
): Pick<Merchant, 'destination'> {
  const destination = destinations.find(({ name }) => name === settings?.type)
  if (!settings || !destination) return {}
  const place = ['checkout', 'destination']
  for (const { key, problem } of destination.check(settings, route)) report([...place, ...key], problem)
  const { secretVariable } = settings
  const secret = secretVariable && readSecret(secretVariable, webhookSecret, [...place, 'secretVariable'])
  return { destination: { destination, settings, ...(secret !== undefined && { secret }) } }
}
