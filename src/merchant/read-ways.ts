// Reads the ways in: how bags arrive at each, and how the platform proves who it is.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { Problem } from '../errors.ts'
import { bearerToken, type NamedSecret, type SecretFormat, webhookSecret } from '../secrets.ts'
import type { Authentication } from '../transfer/authentication.ts'
import type { Key, TransferOption } from '../transfer/option.ts'
import {
  ALGORITHM_NAMES,
  algorithmOf,
  isForSignatures,
  type Jwk,
  profileAddress,
  readPlatformProfile
} from '../ucp/platform-profile.ts'
import type { ListedPlatform } from '../ucp/platform-settings.ts'
import { ucpVersions } from '../ucp/versions.ts'
import { shown } from './check-value.ts'
import { notOpened } from './json-file.ts'
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
      ...readAuthentication(source, transfer, key),
      ...readPlatforms(source, transfer, key)
    }
  }) as Merchant['ways']
}

function readAuthentication(
  source: SettingsSource,
  { authentication }: TransferSettings,
  key: Key
): Pick<Way, 'authentication'> {
  if (!authentication) return {}
  const { type, secretVariables } = authentication
  const format = type === 'bearer' ? bearerToken : webhookSecret
  const secrets = readSecrets(source, secretVariables, format, [...key, 'authentication', 'secretVariables'])
  return { authentication: { type, secrets: secrets as Authentication['secrets'] } }
}

function readPlatforms(source: SettingsSource, { platforms }: TransferSettings, key: Key): Pick<Way, 'platforms'> {
  if (platforms === undefined || platforms === 'any') return {}
  const listed = new Map<string, ListedPlatform>()
  /** Whose each secret is. */
  const owners = new Map<string, string>()
  for (const [i, { profile, copy, authentication }] of platforms.entries()) {
    const place = [...key, 'platforms', i]
    const address = String(profileAddress(profile))
    if (listed.has(address)) source.report([...place, 'profile'], 'it is listed before; list each platform once')
    const { type, secretVariables = [] } = authentication ?? {}
    const format = type === 'x-api-key' ? { ...bearerToken, name: 'an API key' } : bearerToken
    const secretsPlace = [...place, 'authentication', 'secretVariables']
    const secrets = readSecrets(source, secretVariables, format, secretsPlace)
    for (const [at, { variable, value }] of secrets.entries()) {
      const owner = owners.get(value) ?? address
      // One platform could call itself the other.
      if (owner !== address && value) {
        const problem = `the environment variable ${variable} holds the secret of ${owner}, too`
        source.report([...secretsPlace, at], `${problem}; give each platform one of its own`)
      }
      owners.set(value, owner)
    }
    listed.set(address, {
      ...(copy !== undefined && readCopy(source, copy, type === 'signature', [...place, 'copy'])),
      ...(type && { authentication: { type, secrets } })
    })
  }
  return { platforms: listed }
}

function readCopy(
  { folder, report }: SettingsSource,
  copy: string,
  isSigning: boolean,
  key: Key
): Pick<ListedPlatform, 'copy'> {
  try {
    const profile = readPlatformProfile(readFileSync(resolve(folder, copy), 'utf8'))
    const { version, keys } = profile
    const canSign = (one: Jwk) => typeof one.kid === 'string' && isForSignatures(one) && algorithmOf(one)
    if (isSigning && !keys.some(canSign)) {
      const right = `give a profile whose "${ucpVersions[version].keys}" (in version ${version}) have one for ${ALGORITHM_NAMES}, with a kid`
      report(key, `it is ${shown(copy)}, which has no key to sign with; ${right}`)
    }
    if (keys.some(({ d }) => d !== undefined)) {
      const right = 'anybody can read a profile: have the platform replace that key, and leave its "d" out'
      report(key, `it is ${shown(copy)}, which has a private key; ${right}`)
    }
    return { copy: profile }
  } catch (error) {
    const reason = error instanceof Problem ? error.message.replace(/\.$/, '') : notOpened(error as Error)
    report(key, `it is ${shown(copy)}: ${reason}; give the path of a file with what is at the address of the profile`)
    return {}
  }
}

/** @param place the setting that lists the variables */
export function readSecrets(
  { readSecret, report }: SettingsSource,
  variables: string[],
  format: SecretFormat,
  place: Key
): NamedSecret[] {
  const secrets = variables.map((variable, i) => ({ variable, value: readSecret(variable, format, [...place, i]) }))
  const [first, second] = secrets
  if (first?.value && first.value === second?.value) {
    const message = `the environment variable ${second.variable} holds the same secret as ${first.variable}`
    report([...place, 1], `${message}; give it another, or leave it out`)
  }
  return secrets
}
