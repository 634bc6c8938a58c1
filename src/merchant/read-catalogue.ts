// Reads where a merchant's products come from: a product feed, or several, in files or at addresses.
import { dirname, join, resolve } from 'node:path'
import { isLocale } from '../messages/messages.ts'
import { basicCredentials } from '../secrets.ts'
import type { Key } from './json-file.ts'
import { type FeedSetting, httpProblem, type Merchant, PICTURES_PATH } from './merchant.ts'
import { offeredLanguages } from './read-messages.ts'
import type { SettingsSource } from './read-settings.ts'

export function readCatalogue(source: SettingsSource): Pick<Merchant, 'catalogue' | 'pictures'> {
  const { settings, folder, readSecret, report } = source
  if (!settings.catalogue) return { pictures: join(folder, PICTURES_PATH) }
  const { feed, ...others } = settings.catalogue
  const feeds: FeedSetting[] = []
  for (const [i, entry] of [feed].flat().entries()) {
    const key = ['catalogue', 'feed', ...(typeof feed === 'string' ? [] : [i])]
    const read =
      typeof entry === 'string' ? readOneFeed(source, key, entry) : readOneFeed(source, key, entry.feed, entry.language)
    const earlier = feeds.findIndex(({ address }) => address === read.address)
    if (earlier >= 0) report(key, `it is catalogue.feed[${earlier}] once more; list each feed once`)
    feeds.push(read)
  }
  const { credentialsVariable } = others
  const key = ['catalogue', 'credentialsVariable']
  const isFetched = feeds.some(({ address }) => isFeedAddress(address))
  if (credentialsVariable !== undefined && !isFetched) report(key, 'a file needs no login; leave it out')
  const credentials = credentialsVariable && readSecret(credentialsVariable, basicCredentials, key)
  const { address: first } = feeds[0] as FeedSetting
  return {
    catalogue: { ...others, feeds, ...(credentials !== undefined && { credentials }) },
    pictures: join(isFeedAddress(first) ? folder : dirname(first), PICTURES_PATH)
  }
}

/** A language that is the merchant's own is left out. */
function readOneFeed(
  { settings, folder, placeOf, report }: SettingsSource,
  key: Key,
  text: string,
  language?: string
): FeedSetting {
  const isAddress = isFeedAddress(text)
  const problem = isAddress ? addressProblem(text) : undefined
  if (problem) report(key, problem)
  const { locale } = settings
  const isOwn = language === undefined || (isLocale(locale) && new Intl.Locale(locale).language === language)
  const offered = [...offeredLanguages(settings)]
  const found = isOwn ? undefined : offered.find(one => one === language)
  if (!isOwn && !found) {
    report([...key, 'language'], `it is "${language}"; give one of ${offered.join(', ')}, or add it to "locales"`)
  }
  const [, , i] = key
  return {
    address: isAddress ? text : resolve(folder, text),
    place: `${placeOf(key)}: catalogue.feed${i === undefined ? '' : `[${i}]`}`,
    ...(found && { language: found })
  }
}

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
  return httpProblem(url)
}
