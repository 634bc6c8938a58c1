// Reads where a cart leads: a destination with its settings and its secret, or our own page.
import type { Destination } from '../destination/destination.ts'
import { webhookSecret } from '../secrets.ts'
import type { TransferOption } from '../transfer/option.ts'
import type { DestinationSettings } from './destination-schema.ts'
import type { ReportMistake } from './json-file.ts'
import type { Merchant } from './merchant.ts'
import { resolveSecret, type SecretOf } from './read-secret.ts'

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
