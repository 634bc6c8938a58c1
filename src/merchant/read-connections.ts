// Reads how a merchant is connected with the platform, its product feed, the receiver of its orders and its own shop, and the
// secrets for that, which no message reveals.
import { dirname, join, resolve } from 'node:path'
import type { Destination } from '../destination/destination.ts'
import type { DestinationRoute } from '../destination/shop-page.ts'
import { basicCredentials, webhookSecret } from '../secrets.ts'
import { type Authentication, secretFormats } from '../transfer/authentication.ts'
import { httpProblem, type Merchant, PICTURES_PATH } from './merchant.ts'
import type { SettingsSource } from './read-settings.ts'

export function readAuthentication({ settings, readSecret, report }: SettingsSource): Pick<Merchant, 'authentication'> {
  if (!settings.transfer.authentication) return {}
  const { type, secretVariables } = settings.transfer.authentication
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
  return { authentication: { type, secrets: secrets as Authentication['secrets'] } }
}

export function readCatalogue(source: SettingsSource): Pick<Merchant, 'catalogue' | 'pictures'> {
  const { settings, folder, placeOf, readSecret, report } = source
  if (!settings.catalogue) return { pictures: join(folder, PICTURES_PATH) }
  const { feed, credentialsVariable } = settings.catalogue
  const key = ['catalogue', 'credentialsVariable']
  const isAddress = isFeedAddress(feed)
  const problem = isAddress ? addressProblem(feed) : undefined
  if (problem) report(['catalogue', 'feed'], problem)
  if (credentialsVariable !== undefined && !isAddress) report(key, 'a file needs no login; leave it out')
  const credentials = credentialsVariable && readSecret(credentialsVariable, basicCredentials, key)
  const file = resolve(folder, feed)
  return {
    catalogue: {
      ...settings.catalogue,
      feed: isAddress ? feed : file,
      place: placeOf(['catalogue', 'feed']),
      ...(credentials !== undefined && { credentials })
    },
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

export function readWebhook({ settings, readSecret, report }: SettingsSource): Pick<Merchant, 'webhook'> {
  if (!settings.webhook) return {}
  const { url, secretVariable } = settings.webhook
  const parsed = URL.parse(url)
  const isPlain = parsed && /^https?:$/.test(parsed.protocol) && !(parsed.username || parsed.password || parsed.hash)
  const right = 'give an address such as "https://acme.example/hooks", without user and fragment'
  const problem = isPlain ? httpProblem(parsed) : right
  if (problem) report(['webhook', 'url'], `it is "${url}"; ${problem}`)
  return { webhook: { url, secret: readSecret(secretVariable, webhookSecret, ['webhook', 'secretVariable']) } }
}

export function readDestination(
  { settings: { checkout }, readSecret, report }: SettingsSource,
  destinations: Destination[],
  route: DestinationRoute
): Pick<Merchant, 'destination'> {
  const settings = checkout.destination
  const destination = destinations.find(({ name }) => name === settings?.type)
  if (!settings || !destination) return {}
  const place = ['checkout', 'destination']
  for (const { key, problem } of destination.check(settings, route)) report([...place, ...key], problem)
  const { secretVariable } = settings
  const secret = secretVariable && readSecret(secretVariable, webhookSecret, [...place, 'secretVariable'])
  return { destination: { destination, settings, ...(secret !== undefined && { secret }) } }
}
