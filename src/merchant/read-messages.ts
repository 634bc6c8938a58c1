// Reads a merchant's languages, and its own messages and texts, each of which is needed in every language of its pages.
import { type MessageFormatElement, TYPE } from '@formatjs/icu-messageformat-parser'
import {
  isLanguage,
  isLocale,
  isMessageName,
  type Language,
  languageOf,
  languages,
  type MessageName,
  pageLang
} from '../messages/messages.ts'
import { type MessageOverrides, parseMessage, type Text } from '../messages/translator.ts'
import { type Key, nearestName } from './json-file.ts'
import type { Merchant } from './merchant.ts'
import type { MerchantSettings } from './merchant-schema.ts'
import type { SettingsSource } from './read-settings.ts'
import { shopperTextMark } from './setting-types.ts'

const KNOWN = Object.keys(languages).join(', ')

const NOT_OFFERED = 'no page is in this language; add it to "locales", or leave this out'

/** The other locales of a merchant; there are messages for each of them, and no two share the language of their pages. */
export function readLocales({ settings: { locale, locales = [] }, report }: SettingsSource): string[] {
  const taken = new Map<string, string>()
  if (isLocale(locale)) taken.set(pageLang(locale).toLowerCase(), locale)
  const problemOf = (other: string): string | undefined => {
    if (!isLocale(other)) return `it is "${other}"; give a language tag such as "de-DE"`
    if (!isLanguage(new Intl.Locale(other).language)) {
      return `there are no messages for "${other}"; give one of ${KNOWN}, with or without a region`
    }
    const lang = pageLang(other)
    const earlier = taken.get(lang.toLowerCase())
    taken.set(lang.toLowerCase(), other)
    return earlier && `pages in "${other}" and in "${earlier}" would both be in "${lang}"; give one of them only`
  }
  locales.forEach((other, i) => {
    const problem = problemOf(other)
    if (problem) report(['locales', i], problem)
  })
  return locales
}

/** Messages that could not be shown are reported and left out. */
export function readMessages({ settings, report }: SettingsSource): MessageOverrides {
  const { messages = {} } = settings
  const offered = offeredLanguages(settings)
  return Object.fromEntries(
    Object.entries(messages).map(([language, overrides]) => {
      if (!isLanguage(language)) {
        report(['messages', language], `there are no pages in this language; give one of ${KNOWN}`)
        return [language, {}]
      }
      if (!offered.has(language)) report(['messages', language], NOT_OFFERED)
      const usable = Object.entries(overrides).filter(([name, pattern]) => {
        const problem = isMessageName(name) ? messageProblem(language, name, pattern) : unknownMessage(language, name)
        if (problem !== undefined) report(['messages', language, name], problem)
        return problem === undefined
      })
      return [language, Object.fromEntries(usable)]
    })
  )
}

/** The languages of a merchant's pages. */
export function offeredLanguages({ locale, locales = [] }: MerchantSettings): Set<Language> {
  return new Set([locale, ...locales].filter(isLocale).map(languageOf))
}

function unknownMessage(language: Language, name: string): string {
  const meant = nearestName(name, Object.keys(languages[language]))
  const right = meant === undefined ? `give a name that src/messages/${language}.json has` : `did you mean "${meant}"?`
  return `there is no such message; ${right}`
}

/** @returns what is wrong and what would be right, or undefined */
export function messageProblem(language: Language, name: MessageName, pattern: string): string | undefined {
  const right = languages[language][name]
  const such = `such as ${JSON.stringify(right)}`
  const allowed = argumentsOf(right, language)
  try {
    const unknown = [...argumentsOf(pattern, language).keys()].find(argument => !allowed.has(argument))
    if (unknown !== undefined) {
      const known = Array.from(allowed.keys(), argument => `{${argument}}`).join(', ')
      return `it holds {${unknown}}; give a message with ${known || 'nothing in braces'}, ${such}`
    }
  } catch (error) {
    return `it is not an ICU message (${(error as Error).message}); give one ${such}`
  }
  // Some mistakes only show when it is formatted.
  let text: string
  try {
    text = String(parseMessage(pattern, language).format(Object.fromEntries(allowed)))
  } catch (error) {
    return `it cannot be formatted (${(error as Error).message}); give one ${such}`
  }
  if (text.trim() === '') return `it is blank; give one ${such}`
  if (text.includes('NaN')) return `it formats text as a number; give one ${such}`
  // A straight apostrophe before a brace turns what is in braces into text.
  if (/[{}]/.test(text)) return `it says ${JSON.stringify(text)}; write ’ or '' for an apostrophe, or give one ${such}`
  return undefined
}

/** The names in braces of a message, each with an example: a number or a text. @throws SyntaxError if it is none */
export function argumentsOf(pattern: string, language: string): Map<string, number | string> {
  const examples = new Map<string, number | string>()
  const visit = (elements: MessageFormatElement[]) => {
    for (const element of elements) {
      const { type } = element
      if (type === TYPE.literal || type === TYPE.pound) continue
      const isNumber = type === TYPE.number || type === TYPE.plural || examples.get(element.value) === 2
      examples.set(element.value, isNumber ? 2 : 'A-1')
      if ('options' in element) for (const { value } of Object.values(element.options)) visit(value)
    }
  }
  visit(parseMessage(pattern, language).getAst())
  return examples
}

/** The merchant's own texts, by their names in templates. Each has to exist in every language of its pages. */
export function readOwnTexts({ settings, each, report }: SettingsSource): Merchant['texts'] {
  const offered = offeredLanguages(settings)
  const texts = each.flatMap(({ key, schema, value }) => {
    const mark = shopperTextMark(schema)
    return mark ? [{ key, text: value as Text, ...mark }] : []
  })
  for (const { key, text, noun = 'text', problemOf = () => undefined } of texts) {
    const wordings: [Key, string][] =
      typeof text === 'string'
        ? [[key, text]]
        : Object.entries(text).map(([language, one]) => [[...key, language], one])
    for (const [place, wording] of wordings) {
      const problem = problemOf(wording)
      if (problem !== undefined) report(place, `it is "${wording}"; ${problem}`)
    }
    if (typeof text === 'string') continue
    for (const language of offered) {
      if (text[language] === undefined) report(key, `there is no ${noun} for "${language}"; give one for each language`)
    }
    for (const language of Object.keys(text)) {
      if (!offered.has(language as Language)) report([...key, language], NOT_OFFERED)
    }
  }
  return Object.fromEntries(texts.flatMap(({ name, text }) => (name === undefined ? [] : [[name, text]])))
}
