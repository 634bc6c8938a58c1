// The flags of commands that send bags to a site that asks who calls. They name an environment variable: a secret on
// the command line would be in the list of processes and in the shell's history.
import { readSecret } from '../environment.ts'
import { webhookSecret } from '../secrets.ts'
import type { AuthenticationType } from '../transfer/authentication.ts'
import type { Credentials } from '../transfer/authorize.ts'
import type { TransferOption } from '../transfer/option.ts'
import { UsageError } from './run-command.ts'

export const CREDENTIAL_FLAGS = { 'token-from': { type: 'string' }, 'secret-from': { type: 'string' } } as const

export const CREDENTIAL_USAGE = [
  '  --token-from    an environment variable with the bearer token that the site asks for (option 1)',
  '  --secret-from   an environment variable with a Standard Webhooks secret, to sign bags with (option 1)'
].join('\n')

type CredentialFlags = { [flag in keyof typeof CREDENTIAL_FLAGS]?: string | undefined }

/** @throws UsageError */
export function readCredentials(
  { 'token-from': token, 'secret-from': secret }: CredentialFlags,
  { answer, name }: TransferOption
): Credentials | undefined {
  if (token !== undefined && secret !== undefined) throw new UsageError('give --token-from or --secret-from, not both')
  const variable = token ?? secret
  if (variable === undefined) return undefined
  if (answer === 'page') {
    throw new UsageError(`with option ${name} a web view sends the bag, and has no secret: leave out the flag`)
  }
  const type: AuthenticationType = token === undefined ? 'standard-webhooks' : 'bearer'
  const value = readSecret(variable) ?? ''
  // Another site's token may be shorter than ours have to be.
  const isValid = type === 'bearer' ? /^[!-~]+$/.test(value) : webhookSecret.isValid(value)
  const right = type === 'bearer' ? 'the token, in printable ASCII without spaces' : webhookSecret.right
  if (!isValid) {
    throw new UsageError(`the environment variable ${variable} is ${value ? 'not valid' : 'not set'}; give it ${right}`)
  }
  return { type, variable, value }
}
