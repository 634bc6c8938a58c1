// Reads a secret from the environment: a merchant file names the variable that holds it.
import type { SecretFormat } from '../secrets.ts'
import type { ReportMistake } from './json-file.ts'
import type { Key } from './json-source.ts'

/** The value of an environment variable. */
export type SecretOf = (name: string) => string | undefined

/** @param key the setting that names the variable; no message reveals anything about the secret */
export function resolveSecret(
  variable: string,
  { name, right, isValid }: SecretFormat,
  key: Key,
  secretOf: SecretOf,
  report: ReportMistake
): string {
  const secret = secretOf(variable) ?? ''
  if (!isValid(secret)) {
    const isPadded = secret !== secret.trim()
    const found = secret === '' ? 'is not set' : isPadded ? 'has white space at its start or end' : `is not ${name}`
    report(key, `the environment variable ${variable} ${found}; give it ${right}`)
  }
  return secret
}
