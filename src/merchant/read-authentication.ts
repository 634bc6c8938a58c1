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
  const [first, second] = secrets
  if (first?.value && first.value === second?.value) {
    const message = `the environment variable ${second.variable} holds the same secret as ${first.variable}`
    report(['transfer', 'authentication', 'secretVariables', 1], `${message}; give it another, or leave it out`)
  }
  return { type, secrets: secrets as Authentication['secrets'] }
}
