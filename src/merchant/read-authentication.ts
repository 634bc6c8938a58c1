// Reads how the platform proves that a transfer comes from it.
import {
  type Authentication,
  type AuthenticationSetting,
  type NamedSecret,
  secretFormats
} from '../transfer/authentication.ts'
import type { ReportMistake } from './json-file.ts'
import { resolveSecret, type SecretOf } from './read-secret.ts'

export function readAuthentication(
  { type, secretVariables }: AuthenticationSetting,
  secretOf: SecretOf,
  report: ReportMistake
): Authentication {
  const secrets = secretVariables.map((variable, i): NamedSecret => {
    const key = ['transfer', 'authentication', 'secretVariables', i]
    return { variable, value: resolveSecret(variable, secretFormats[type], key, secretOf, report) }
  })
  return { type, secrets: secrets as Authentication['secrets'] }
}
