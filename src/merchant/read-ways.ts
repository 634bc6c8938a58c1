// Reads the ways in: how bags arrive at each, and how the platform proves who it is.
import { bearerToken, webhookSecret } from '../secrets.ts'
import type { Authentication } from '../transfer/authentication.ts'
import type { Key, TransferOption } from '../transfer/option.ts'
import type { Merchant, Way } from './merchant.ts'
import type { MerchantSettings } from './merchant-schema.ts'
import type { SettingsSource } from './read-settings.ts'
import type { TransferSettings } from './transfer-schema.ts'

/** Where each of them is in the file. */
export function wayKeys({ transfer }: MerchantSettings): Key[] {
  return Array.isArray(transfer) ? transfer.map((_, i) => ['transfer', i]) : [['transfer']]
}

export function readWays(source: SettingsSource, options: TransferOption[]): Merchant['ways'] {
  const { settings, report } = source
  const { currencies } = settings
  const all = [settings.transfer].flat()
  const keys = wayKeys(settings)
  return all.map((transfer, i): Way => {
    const key = keys[i] as Key
    const option = options.find(({ name }) => name === transfer.option) as TransferOption
    const isOnly = all.filter(other => other.option === transfer.option).length === 1
    const { currency = String(currencies[0]) } = transfer
    if (!currencies.includes(currency)) {
      report([...key, 'currency'], `it is "${currency}"; give one of currencies: ${currencies.join(', ')}`)
    }
    return {
      name: isOnly ? option.name : `${option.name} ${transfer.path}`,
      option,
      transfer: 'currency' in option.settings.properties ? { ...transfer, currency } : transfer,
      ...readAuthentication(source, transfer, key)
    }
  }) as Merchant['ways']
}

function readAuthentication(
  { readSecret, report }: SettingsSource,
  { authentication }: TransferSettings,
  key: Key
): Pick<Way, 'authentication'> {
  if (!authentication) return {}
  const { type, secretVariables } = authentication
  const place = [...key, 'authentication', 'secretVariables']
  const format = type === 'bearer' ? bearerToken : webhookSecret
  const secrets = secretVariables.map((variable, i) => ({
    variable,
    value: readSecret(variable, format, [...place, i])
  }))
  const [first, second] = secrets
  if (first?.value && first.value === second?.value) {
    const message = `the environment variable ${second.variable} holds the same secret as ${first.variable}`
    report([...place, 1], `${message}; give it another, or leave it out`)
  }
  return { authentication: { type, secrets: secrets as Authentication['secrets'] } }
}
