// Reads where a merchant's products come from: a product feed, or several, in files or at addresses.
import { dirname, join, resolve } from 'node:path'
import type { Language } from '../messages/messages.ts'
import { basicCredentials } from '../secrets.ts'
import type { Key } from '../transfer/option.ts'
import { type FeedSetting, type Merchant, PICTURES_PATH } from './merchant.ts'
import { httpProblem } from './public-url.ts'
import { offeredLanguages } from './read-messages.ts'
import type { SettingsSource } from './read-settings.ts'

export function readCatalogue(source: SettingsSource): Pick<Merchant, 'catalogue' | 'pictures'> {
  const { settings, folder, readSecret, report } = source
  if (!settings.catalogue) return { pictures: join(folder, PICTURES_PATH) }
  const { credentialsVariable, feed, ...others } = settings.catalogue
  const key = ['catalogue', 'credentialsVariable']
  const feeds =
    typeof feed === 'string' ? [readFeedEntry({ feed }, ['catalogue', 'feed'], source)] : readFeeds(feed, source)
  let credentials: string | undefined
  if (credentialsVariable !== undefined) {
    if (feeds.some(({ address }) => isFeedAddress(address))) {
      credentials = readSecret(credentialsVariable, basicCredentials, key)
    } else report(key, 'a file needs no login; leave it out')
  }
  const { address: first } = feeds[0] as FeedSetting
  return {
    catalogue: { ...others, feeds, ...(credentials !== undefined && { credentials }) },
    pictures: join(isFeedAddress(first) ? folder : dirname(first), PICTURES_PATH)
  }
}

type FeedEntry = { feed: string; language?: string }

/** In the order of the list; one that is there twice is reported. */
function readFeeds(list: (string | FeedEntry)[], source: SettingsSource): FeedSetting[] {
  const feeds = list.map((entry, i) =>
    readFeedEntry(typeof entry === 'string' ? { feed: entry } : entry, ['catalogue', 'feed', i], source)
  )
  for (const [i, { address, key }] of feeds.entries()) {
    const first = feeds.findIndex(other => other.address === address)
    if (first < i) source.report(key, `it is catalogue.feed[${first}] once more; list each feed once`)
  }
  return feeds
}

function readFeedEntry(
  { feed, language }: FeedEntry,
  key: Key,
  { settings, folder, report }: SettingsSource
): FeedSetting {
  const isAddress = isFeedAddress(feed)
  const problem = isAddress ? addressProblem(feed) : undefined
  if (problem !== undefined) report(key, problem)
  const address = isAddress ? feed : resolve(folder, feed)
  if (language === undefined || new Intl.Locale(settings.locale).language === language) return { address, key }
  const offered = offeredLanguages(settings)
  if (!offered.has(language)) {
    const right = `give one of ${[...offered].join(', ')}, or add it to "locales"`
    report([...key, 'language'], `it is "${language}"; ${right}`)
  }
  return { address, key, language: language as Language }
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
