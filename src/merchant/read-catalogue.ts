// Reads where the product feed is, a file or an address, and the login for the address.
import { dirname, join, resolve } from 'node:path'
import { basicCredentials } from '../secrets.ts'
import type { ReportMistake } from './json-file.ts'
import type { Merchant } from './merchant.ts'
import type { MerchantSettings } from './merchant-schema.ts'
import { PICTURES_PATH } from './public-paths.ts'
import { readPublicUrl } from './public-url.ts'
import { resolveSecret, type SecretOf } from './read-secret.ts'

/** @param place the file and line that name the feed */
export function readCatalogue(
  settings: NonNullable<MerchantSettings['catalogue']>,
  folder: string,
  place: string,
  secretOf: SecretOf,
  report: ReportMistake
): Pick<Merchant, 'catalogue' | 'pictures'> {
  const { feed, credentialsVariable } = settings
  const key = ['catalogue', 'credentialsVariable']
  const isAddress = isFeedAddress(feed)
  const problem = isAddress ? addressProblem(feed) : undefined
  if (problem) report(['catalogue', 'feed'], problem)
  if (credentialsVariable !== undefined && !isAddress) report(key, 'a file needs no login; leave it out')
  const credentials =
    credentialsVariable === undefined
      ? undefined
      : resolveSecret(credentialsVariable, basicCredentials, key, secretOf, report)
  const file = resolve(folder, feed)
  return {
    catalogue: { ...settings, feed: isAddress ? feed : file, place, ...(credentials !== undefined && { credentials }) },
    pictures: join(isAddress ? folder : dirname(file), PICTURES_PATH)
  }
}

/** Whether a feed is an address, not a file. */
export function isFeedAddress(feed: string): boolean {
  return /^[a-z][a-z0-9+.-]+:\/\//i.test(feed)
}

/** What is wrong with the address of a feed, if anything is. It is not quoted, as it may hold a password. */
function addressProblem(text: string): string | undefined {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol)) return 'give the path of a file, or an address such as "https://…"'
  if (url.username || url.password) {
    return 'a login must not be in the file; put user and password into the variable of catalogue.credentialsVariable'
  }
  const origin = readPublicUrl(url.origin)
  return typeof origin === 'string' ? origin : undefined
}
