// The languages of a shop, and what it says in its own words: checked at start, so that no shopper meets a gap.
import { wrongWithMessage } from '../messages/check-message.ts'
import { isLanguage, isMessageName, type Language, languages } from '../messages/messages.ts'
import { languageOf, type OwnMessages, type Text } from '../messages/words.ts'
import type { Report } from './json-shape.ts'
import type { Key } from './json-source.ts'
import type { MerchantSettings } from './merchant-schema.ts'

const KNOWN = Object.keys(languages).join(', ')

const UNSPOKEN = 'no page is in this language; add it to "locales", or leave this out'

export function isLocale(text: string): boolean {
  try {
    return Intl.NumberFormat.supportedLocalesOf(text).length > 0
  } catch {
    return false
  }
}

/** The other locales of a shop, of which each has words of its own. */
export function readLocales({ locale, locales = [] }: MerchantSettings, report: Report): string[] {
  locales.forEach((other, i) => {
    if (!isLocale(other)) report(['locales', i], `it is "${other}"; give a language tag such as "de-DE"`)
    else if (!isLanguage(new Intl.Locale(other).language)) {
      report(['locales', i], `there are no words for "${other}"; give one of ${KNOWN}, with or without a region`)
    } else if (other === locale) report(['locales', i], `"${other}" is the "locale" already; leave it out`)
  })
  return locales
}

/** The messages that a shop words anew; without those that cannot be said, which are reported. */
export function readMessages(settings: MerchantSettings, report: Report): OwnMessages {
  const { messages = {} } = settings
  const spoken = languagesOf(settings)
  return Object.fromEntries(
    Object.entries(messages).map(([language, own]) => {
      if (!isLanguage(language)) {
        report(['messages', language], `it is no language of the pages; give one of ${KNOWN}`)
        return [language, {}]
      }
      if (!spoken.has(language)) {
        report(['messages', language], UNSPOKEN)
      }
      return [language, readOwn(language, own, report)]
    })
  )
}

/** The languages in which a shop's pages are. */
function languagesOf({ locale, locales = [] }: MerchantSettings): Set<Language> {
  return new Set([locale, ...locales].filter(isLocale).map(languageOf))
}

function readOwn(language: Language, own: Record<string, string>, report: Report): Record<string, string> {
  const right = Object.entries(own).filter(([name, pattern]) => {
    const wrong = isMessageName(name)
      ? wrongWithMessage(language, name, pattern)
      : `there is no such message; give a name that src/messages/${language}.json has`
    if (wrong !== undefined) report(['messages', language, name], wrong)
    return wrong === undefined
  })
  return Object.fromEntries(right)
}

/** Checks that a text of the shop's own can be read in each of its languages. */
export function checkTexts(settings: MerchantSettings, report: Report): void {
  const { checkout, payment, delivery = [] } = settings
  const spoken = languagesOf(settings)
  const check = (key: Key, text: Text | undefined) => {
    if (typeof text !== 'object') return
    for (const language of spoken) {
      if (text[language] === undefined) report(key, `it says nothing in "${language}"; give a text for each language`)
    }
    for (const language of Object.keys(text)) {
      if (!spoken.has(language as Language)) report([...key, language], UNSPOKEN)
    }
  }
  check(['checkout', 'taxText'], checkout.taxText)
  check(['payment', 'text'], payment?.text)
  delivery.forEach(({ label }, i) => {
    check(['delivery', i, 'label'], label)
  })
}
