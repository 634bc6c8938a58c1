// Reads a merchant's languages, and its own texts, each of which is needed in every language of its pages.
import { type Language, languageOf, pageLang } from '../messages/messages.ts'
import type { Text } from '../messages/translator.ts'
import { settingsIn } from './check-value.ts'
import type { Merchant } from './merchant.ts'
import type { MerchantSettings } from './merchant-schema.ts'
import type { SettingsSource } from './read-settings.ts'
import { shopperTextMark } from './setting-types.ts'

const NOT_OFFERED = 'no page is in this language; add it to "locales", or leave this out'

/** The languages of the pages. */
export function offeredLanguages({ locale, locales = [] }: MerchantSettings): Set<string> {
  return new Set<Language>([locale, ...locales].map(languageOf))
}

/** Reports locales that share the language of their pages with another. */
export function checkLocales({ settings: { locale, locales = [] }, report }: SettingsSource): void {
  const taken = new Map([[pageLang(locale).toLowerCase(), locale]])
  for (const [i, other] of locales.entries()) {
    const lang = pageLang(other)
    const earlier = taken.get(lang.toLowerCase())
    taken.set(lang.toLowerCase(), other)
    if (earlier === undefined) continue
    const isOwn = earlier === locale && earlier.toLowerCase() === other.toLowerCase()
    const both = `pages in "${other}" and in "${earlier}" would both be in "${lang}"; give one of them only`
    report(['locales', i], isOwn ? `"${other}" is "locale" already; leave it out of the others` : both)
  }
}

export function checkMessages({ settings, report }: SettingsSource): void {
  const offered = offeredLanguages(settings)
  for (const language of Object.keys(settings.messages ?? {})) {
    if (!offered.has(language)) report(['messages', language], NOT_OFFERED)
  }
}

/** The merchant's own texts, by their names in templates. Each has to exist in every language of its pages. */
export function readOwnTexts({ settings, schema, report }: SettingsSource): Merchant['texts'] {
  const offered = offeredLanguages(settings)
  const texts: Merchant['texts'] = {}
  for (const { key, schema: part, value } of settingsIn(schema, settings)) {
    const mark = shopperTextMark(part)
    if (!mark) continue
    const { name, noun = 'text' } = mark
    const text = value as Text
    if (name !== undefined) texts[name] = text
    if (typeof text === 'string') continue
    for (const language of offered) {
      if (!(language in text)) report(key, `there is no ${noun} for "${language}"; give one for each language`)
    }
    for (const language of Object.keys(text)) {
      if (!offered.has(language)) report([...key, language], NOT_OFFERED)
    }
  }
  return texts
}
