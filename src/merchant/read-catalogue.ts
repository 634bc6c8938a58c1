// Reads where a merchant's products come from: a product feed, or several, in files or at addresses.
import { dirname, join, resolve } from 'node:path'
import type { Language } from '../messages/messages.ts'
import { basicCredentials } from '../secrets.ts'
import { attempt, attemptEach, type Key, resultOr, WrongSetting } from './json-file.ts'
import { type FeedSetting, httpProblem, type Merchant, PICTURES_PATH } from './merchant.ts'
import { offeredLanguages } from './read-messages.ts'
import type { SettingsSource } from './read-settings.ts'

/** What opening a merchant's catalogue takes. */
export type FeedSettings = Pick<Merchant, 'id' | 'origin' | 'currencies' | 'catalogue'>

/** In the order of the list. */
export function readFeeds(source: SettingsSource): (() => FeedSetting)[] {
  const { settings, folder, report } = source
  const feed = settings.catalogue?.feed ?? []
  const addresses: string[] = []
  return attemptEach(typeof feed === 'string' ? [feed] : feed, (entry, i) => {
    const key: Key = ['catalogue', 'feed', ...(typeof feed === 'string' ? [] : [i])]
    const text = typeof entry === 'string' ? entry : entry.feed
    const isAddress = isFeedAddress(text)
    const address = isAddress ? text : resolve(folder, text)
    const language = attempt(() => (typeof entry === 'string' ? undefined : readLanguage(entry.language, key, source)))
    const earlier = addresses.indexOf(address)
    const repeated = earlier < 0 ? undefined : `it is catalogue.feed[${earlier}] once more; list each feed once`
    addresses[i] = address
    const problem = repeated ?? (isAddress ? addressProblem(text) : undefined)
    if (problem !== undefined) {
      report(key, problem)
      throw new WrongSetting()
    }
    const found = resultOr(language, undefined)
    return { address, key, ...(found && { language: found }) }
  })
}

/** @returns undefined if it is the merchant's own */
function readLanguage(text: string | undefined, key: Key, { settings, report }: SettingsSource): Language | undefined {
  if (text === undefined || new Intl.Locale(settings.locale).language === text) return undefined
  const offered = [...offeredLanguages(settings).all()]
  const found = offered.find(language => language === text)
  if (!found) report([...key, 'language'], `it is "${text}"; give one of ${offered.join(', ')}, or add it to "locales"`)
  return found
}

export function readCatalogue(
  { settings, folder, readSecret, report }: SettingsSource,
  read: (() => FeedSetting)[]
): Pick<Merchant, 'catalogue' | 'pictures'> {
  if (!settings.catalogue) return { pictures: join(folder, PICTURES_PATH) }
  const { credentialsVariable } = settings.catalogue
  const key = ['catalogue', 'credentialsVariable']
  const isFetched = read.some(feed => isFeedAddress(resultOr(feed, { address: 'https://' }).address))
  let credentials: string | undefined
  if (credentialsVariable !== undefined && !isFetched) report(key, 'a file needs no login; leave it out')
  else if (credentialsVariable !== undefined) credentials = readSecret(credentialsVariable, basicCredentials, key)
  const { credentialsVariable: _, feed: __, ...others } = settings.catalogue
  const feeds = read.map(feed => feed())
  const { address: first } = feeds[0] as FeedSetting
  return {
    catalogue: { ...others, feeds, ...(credentials !== undefined && { credentials }) },
    pictures: join(isFeedAddress(first) ? folder : dirname(first), PICTURES_PATH)
  }
}

/** What trying a file takes no account of. */
const TO_TRY = { refreshMinutes: 0, timeoutSeconds: 0, maxShrink: 0 }

/** Feeds in files, whatever else is wrong; without currencies if that leaves out any feed that may have them. */
export function readFeedFiles(
  { settings: { catalogue } }: SettingsSource,
  read: (() => FeedSetting)[],
  currencies: string[]
): Pick<FeedSettings, 'currencies' | 'catalogue'> {
  const feeds = read.flatMap(feed => resultOr(feed, [])).filter(({ address }) => !isFeedAddress(address))
  return {
    currencies: feeds.length < read.length ? [] : currencies,
    ...(catalogue && {
      catalogue: { ...TO_TRY, maxMegabytes: resultOr(() => catalogue.maxMegabytes, Infinity), feeds }
    })
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
