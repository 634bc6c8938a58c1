// Reads what a merchant is connected with, and the secrets for it, of which no message reveals anything: the platform,
// the product feed, the receiver of its orders, its own shop.
import { dirname, join, resolve } from 'node:path'
import type { Destination } from '../destination/destination.ts'
import { basicCredentials, type SecretFormat, webhookSecret } from '../secrets.ts'
import {
  type Authentication,
  type AuthenticationSetting,
  type NamedSecret,
  secretFormats
} from '../transfer/authentication.ts'
import type { TransferOption } from '../transfer/option.ts'
import type { Key, ReportMistake } from './json-file.ts'
import type { Merchant } from './merchant.ts'
import type { DestinationSettings, MerchantSettings } from './merchant-schema.ts'
import { PICTURES_PATH, readPublicUrl } from './public-url.ts'

/** The value of an environment variable. */
export type SecretOf = (name: string) => string | undefined

/** @param key the setting that names the variable; no message reveals anything about the secret */
export function resolveSecret(
  variable: string,
  { name, right, isValid }: SecretFormat,
  key: Key,
  secretOf: SecretOf,
  report: ReportMistake
): string {
  const secret = secretOf(variable) ?? ''
  if (!isValid(secret)) {
    const isPadded = secret !== secret.trim()
    const found = secret === '' ? 'is not set' : isPadded ? 'has white space at its start or end' : `is not ${name}`
    report(key, `the environment variable ${variable} ${found}; give it ${right}`)
  }
  return secret
}

export function readAuthentication(
  { type, secretVariables }: AuthenticationSetting,
  secretOf: SecretOf,
  report: ReportMistake
): Authentication {
  const secrets = secretVariables.map((variable, i): NamedSecret => {
    const key = ['transfer', 'authentication', 'secretVariables', i]
    return { variable, value: resolveSecret(variable, secretFormats[type], key, secretOf, report) }
  })
  const [first, second] = secrets
  if (first?.value && first.value === second?.value) {
    const message = `the environment variable ${second.variable} holds the same secret as ${first.variable}`
    report(['transfer', 'authentication', 'secretVariables', 1], `${message}; give it another, or leave it out`)
  }
  return { type, secrets: secrets as Authentication['secrets'] }
}

/** @param place the file and line that name the feed */
export function readCatalogue(
  settings: NonNullable<MerchantSettings['catalogue']>,
  folder: string,
  place: string,
  secretOf: SecretOf,
  report: ReportMistake
): Pick<Merchant, 'catalogue' | 'pictures'> {
  const { feed, credentialsVariable } = settings
  const key = ['catalogue', 'credentialsVariable']
  const isAddress = isFeedAddress(feed)
  const problem = isAddress ? addressProblem(feed) : undefined
  if (problem) report(['catalogue', 'feed'], problem)
  if (credentialsVariable !== undefined && !isAddress) report(key, 'a file needs no login; leave it out')
  const credentials =
    credentialsVariable === undefined
      ? undefined
      : resolveSecret(credentialsVariable, basicCredentials, key, secretOf, report)
  const file = resolve(folder, feed)
  return {
    catalogue: { ...settings, feed: isAddress ? feed : file, place, ...(credentials !== undefined && { credentials }) },
    pictures: join(isAddress ? folder : dirname(file), PICTURES_PATH)
  }
}

/** Whether a feed is an address, not a file. */
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
  const origin = readPublicUrl(url.origin)
  return typeof origin === 'string' ? origin : undefined
}

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

export function readDestination(
  settings: DestinationSettings | undefined,
  destinations: Destination[],
  route: { option: TransferOption; origin?: string | undefined; path: string; currencies: string[] },
  secretOf: SecretOf,
  report: ReportMistake
): Pick<Merchant, 'destination'> {
  const destination = destinations.find(({ name }) => name === settings?.type)
  if (!settings || !destination) return {}
  const place = ['checkout', 'destination']
  const { option, origin, path, currencies } = route
  const known = { answer: option.answer, path, currencies, ...(origin !== undefined && { origin }) }
  for (const { key, problem } of destination.check(settings, known)) report([...place, ...key], problem)
  const { secretVariable } = settings
  const secret =
    secretVariable === undefined
      ? undefined
      : resolveSecret(secretVariable, webhookSecret, [...place, 'secretVariable'], secretOf, report)
  return { destination: { destination, settings, ...(secret !== undefined && { secret }) } }
}
