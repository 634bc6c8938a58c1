// Reads the settings of a merchant file: checks keys and types, and fills in the defaults.
import { dirname, resolve } from 'node:path'
import type { TSchema } from '@sinclair/typebox'
import { readSecret, type Variables } from '../environment.ts'
import type { OperatorError } from '../errors.ts'
import type { Destination } from '../integrations/destination/destination.ts'
import type { PaymentProvider } from '../integrations/payment/provider.ts'
import type { SecretFormat } from '../secrets.ts'
import type { Key, ReportError, TransferOption } from '../transfer/option.ts'
import { checkValue } from './check-value.ts'
import { type FileError, openJsonFile } from './json-file.ts'
import { type MerchantSettings, merchantSchema } from './merchant-schema.ts'

export type SettingsSource = {
  /** Each is right by the schema. */
  settings: MerchantSettings
  schema: TSchema
  report: ReportError
  /** The file's folder, which its relative paths start from. */
  folder: string
  /**
   * Reads the secret in a variable. @param key the setting that names the variable; no message reveals the secret
   * @returns an empty text if that is reported
   */
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

/** @returns undefined if anything is wrong with it by the schema; mistakes are added to the list */
export function readSettings(
  file: string,
  { options, destinations, providers, variables }: SettingsOptions,
  mistakes: FileError[]
): SettingsSource | undefined {
  const source = openJsonFile(file, 'a merchant file', mistakes)
  if (!source) return undefined
  const { report } = source
  const schema = merchantSchema(options, destinations, providers, source.value)
  const settings = checkValue(schema, source, 'config/README.md') as MerchantSettings | undefined
  if (!settings) return undefined
  return {
    settings,
    schema,
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
