// Reads what a merchant is connected with: where orders are sent and paid, and where carts lead.
import type { Destination } from '../integrations/destination/destination.ts'
import type { DestinationRoute } from '../integrations/destination/shop-page.ts'
import type { PaymentProvider } from '../integrations/payment/provider.ts'
import { webhookSecret } from '../secrets.ts'
import type { Merchant } from './merchant.ts'
import type { SettingsSource } from './read-settings.ts'

export function readWebhook({ settings: { webhook }, readSecret }: SettingsSource): Pick<Merchant, 'webhook'> {
  if (!webhook) return {}
  const { url, secretVariable } = webhook
  return { webhook: { url, secret: readSecret(secretVariable, webhookSecret, ['webhook', 'secretVariable']) } }
}

export function readPayment(
  { settings: { checkout, currencies }, readSecret, report }: SettingsSource,
  providers: PaymentProvider[]
): Pick<Merchant, 'payment'> {
  const settings = checkout.payment
  const provider = providers.find(({ name }) => name === settings?.provider)
  if (!settings || !provider) return {}
  const place = ['checkout', 'payment']
  const secret = readSecret(settings.secretVariable, provider.secret, [...place, 'secretVariable'])
  const { webhookSecretVariable: variable } = settings
  const key = [...place, 'webhookSecretVariable']
  const { right, isValid, ...format } = provider.webhookSecret
  const areValid = (text: string) => text.split(' ').length <= 2 && text.split(' ').every(isValid)
  const oneOrTwo = { ...format, right: `${right}, or two with a space between them`, isValid: areValid }
  const [first = '', second] = readSecret(variable, oneOrTwo, key).split(' ')
  if (first === second) report(key, `the environment variable ${variable} holds the same secret twice; leave one out`)
  provider.check(settings, { secret, currencies }, (part, problem) => report([...place, ...part], problem))
  return { payment: { provider, settings, secret, webhookSecrets: second === undefined ? [first] : [first, second] } }
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
  const { secretVariable } = settings
  const secret = secretVariable && readSecret(secretVariable, webhookSecret, [...place, 'secretVariable'])
  destination.check(settings, route, (key, problem) => report([...place, ...key], problem))
  return { destination: { adapter: destination, settings, ...(secret !== undefined && { secret }) } }
}
