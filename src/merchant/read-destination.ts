// Reads where a cart leads: a destination with its settings and its secret, or our own page.
import type { Destination } from '../destination/destination.ts'
import { webhookSecret } from '../secrets.ts'
import type { TransferOption } from '../transfer/option.ts'
import type { DestinationSettings } from './destination-schema.ts'
import type { ReportMistake } from './json-file.ts'
import type { Merchant } from './merchant.ts'
import { resolveSecret, type SecretOf } from './read-secret.ts'

/** What only our own page can keep, as keys of the file. */
const PAGE_SETTINGS = [
  ['transfer', 'description'],
  ['checkout', 'path'],
  ['checkout', 'completeTitle'],
  ['checkout', 'maxTotal'],
  ['checkout', 'taxText'],
  ['countries'],
  ['delivery'],
  ['payment'],
  ['orders'],
  ['webhook']
]

/** Reports settings that have no effect, as carts lead to this destination. @param file as it was read */
export function reportPageSettings(file: unknown, destination: string, report: ReportMistake): void {
  for (const key of PAGE_SETTINGS) {
    const value = key.reduce((at, name) => (at as Record<string, unknown> | undefined)?.[name], file)
    if (value !== undefined) report(key, `it is about our own page, and bags go to "${destination}"; leave it out`)
  }
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
