// Reads the settings of a merchant file: checks keys and types, and fills in the defaults.
import { dirname, resolve } from 'node:path'
import { readSecret, type Variables } from '../environment.ts'
import type { OperatorError } from '../errors.ts'
import type { Destination } from '../integrations/destination/destination.ts'
import type { PaymentProvider } from '../integrations/payment/provider.ts'
import type { SecretFormat } from '../secrets.ts'
import { isOnlyForOurPage, type TransferOption } from '../transfer/option.ts'
import { checkValue, type Setting } from './check-value.ts'
import { OWN_PAGE } from './checkout-schema.ts'
import { type FileMistake, type Key, openJsonFile, partOf, type ReportMistake } from './json-file.ts'
import { type MerchantSettings, merchantSchema } from './merchant-schema.ts'

export type SettingsSource = {
  /** Reading a setting that has been reported throws; see `attempt`. */
  settings: MerchantSettings
  report: ReportMistake
  /** Every setting in the file, with its schema. */
  each: Setting[]
  /** The file's folder, which its relative paths start from. */
  folder: string
  /** Reads the secret in a variable. @param key the setting that names the variable; no message reveals the secret */
  readSecret: (variable: string, format: SecretFormat, key: Key) => string
}

export type SettingsOptions = {
  options: TransferOption[]
  /** The destinations that a file may name, besides our own page. */
  destinations: Destination[]
  /** The payment providers that a file may name. */
  providers: PaymentProvider[]
  /** Where the secrets are, if not in the environment. */
  variables?: Variables
}

/** Mistakes are added to the list; undefined if they leave nothing to read. */
export function readSettings(
  file: string,
  { options, destinations, providers, variables }: SettingsOptions,
  mistakes: FileMistake[]
): SettingsSource | undefined {
  const source = openJsonFile(file, 'a merchant file', mistakes)
  if (!source) return undefined
  const { value } = source
  // Also at the top level, where it does not belong: whoever names a destination there does not miss the keys of our page.
  const named = partOf(value, ['checkout', 'destination']) ?? partOf(value, ['destination'])
  const type = named === undefined ? OWN_PAGE : partOf(named, ['type'])
  const schema = merchantSchema(options, destinations, providers, type === OWN_PAGE)
  const isOwnShop = destinations.some(({ name }) => name === type)
  const { settings, each, report } = checkValue(schema, source, 'config/README.md', part =>
    isOwnShop && isOnlyForOurPage(part) ? `it is about our own page, and bags go to "${type}"; leave it out` : undefined
  )
  if (settings === undefined) return undefined
  return {
    settings: settings as MerchantSettings,
    each,
    folder: dirname(resolve(file)),
    report,
    readSecret: (variable, format, key) => {
      try {
        return readSecret(variable, format, variables)
      } catch (error) {
        report(key, (error as OperatorError).message)
        return ''
      }
    }
  }
}
