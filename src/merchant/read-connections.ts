// Reads what a merchant is connected with: how the platform proves who it is, where orders are sent, where carts lead.
import type { Destination } from '../integrations/destination/destination.ts'
import type { DestinationRoute } from '../integrations/destination/shop-page.ts'
import type { PaymentProvider } from '../integrations/payment/provider.ts'
import { bearerToken, webhookSecret } from '../secrets.ts'
import type { Authentication } from '../transfer/authentication.ts'
import { shown } from './check-value.ts'
import { attempt, attemptEach, resultOr } from './json-file.ts'
import { httpProblem, type Merchant } from './merchant.ts'
import type { SettingsSource } from './read-settings.ts'

export function readAuthentication({ settings, readSecret, report }: SettingsSource): Pick<Merchant, 'authentication'> {
  if (!settings.transfer.authentication) return {}
  const { type, secretVariables } = settings.transfer.authentication
  const place = ['transfer', 'authentication', 'secretVariables']
  const format = type === 'bearer' ? bearerToken : webhookSecret
  const secrets = attemptEach(secretVariables, (variable, i) => ({
    variable,
    value: readSecret(variable, format, [...place, i])
  })).map(secret => secret())
  const [first, second] = secrets
  if (first?.value && first.value === second?.value) {
    const message = `the environment variable ${second.variable} holds the same secret as ${first.variable}`
    report([...place, 1], `${message}; give it another, or leave it out`)
  }
  return { authentication: { type, secrets: secrets as Authentication['secrets'] } }
}

export function readWebhook({ settings, readSecret, report }: SettingsSource): Pick<Merchant, 'webhook'> {
  if (!settings.webhook) return {}
  const { webhook } = settings
  const secret = attempt(() => readSecret(webhook.secretVariable, webhookSecret, ['webhook', 'secretVariable']))
  const { url } = webhook
  const parsed = URL.parse(url)
  const isPlain = parsed && /^https?:$/.test(parsed.protocol) && !(parsed.username || parsed.password || parsed.hash)
  const right = 'give an address such as "https://acme.example/hooks", without user and fragment'
  const problem = isPlain ? httpProblem(parsed) : right
  if (problem) report(['webhook', 'url'], `it is ${shown(url)}; ${problem}`)
  return { webhook: { url, secret: secret() } }
}

/** @param currencies none if any is wrong */
export function readPayment(
  { settings: { checkout }, readSecret, report }: SettingsSource,
  providers: PaymentProvider[],
  currencies: string[]
): Pick<Merchant, 'payment'> {
  const settings = checkout.payment
  const provider = providers.find(({ name }) => name === settings?.provider)
  if (!settings || !provider) return {}
  const place = ['checkout', 'payment']
  const secret = attempt(() => readSecret(settings.secretVariable, provider.secret, [...place, 'secretVariable']))
  const webhookSecrets = attempt(() => {
    const { webhookSecretVariable: variable } = settings
    const key = [...place, 'webhookSecretVariable']
    const { right, isValid, ...format } = provider.webhookSecret
    const areValid = (text: string) => text.split(' ').length <= 2 && text.split(' ').every(isValid)
    const oneOrTwo = { ...format, right: `${right}, or two with a space between them`, isValid: areValid }
    const [first = '', second] = readSecret(variable, oneOrTwo, key).split(' ')
    if (first === second) report(key, `the environment variable ${variable} holds the same secret twice; leave one out`)
    return second === undefined ? [first] : [first, second]
  })
  attempt(() => {
    const mistakes = provider.check(settings, resultOr(secret, ''), currencies)
    for (const { key, problem } of mistakes) report([...place, ...key], problem)
  })
  return { payment: { provider, settings, secret: secret(), webhookSecrets: webhookSecrets() } }
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
  const secret = attempt(() => {
    const { secretVariable } = settings
    return secretVariable && readSecret(secretVariable, webhookSecret, [...place, 'secretVariable'])
  })
  for (const { key, problem } of destination.check(settings, route)) report([...place, ...key], problem)
  return { destination: { destination, settings, ...(secret() !== undefined && { secret: String(secret()) }) } }
}
