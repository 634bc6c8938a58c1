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
import { shown } from './check-value.ts'
import { attempt, attemptEach, type Key, partOf, resultOr } from './json-file.ts'
import type { Merchant } from './merchant.ts'
import type { MerchantSettings } from './merchant-schema.ts'
import { nearestName } from './nearest-name.ts'
import type { SettingsSource } from './read-settings.ts'
import { shopperTextMark } from './setting-types.ts'

const KNOWN = Object.keys(languages).join(', ')

const NOT_OFFERED = 'no page is in this language; add it to "locales", or leave this out'

export function checkLocale({ settings: { locale }, report }: SettingsSource): void {
  if (!isLocale(locale)) report(['locale'], noLocale(locale, 'en-GB'))
}

function noLocale(text: string, example: string): string {
  const hyphenated = text.replaceAll('_', '-')
  return `it is ${shown(text)}; ${isLocale(hyphenated) ? `did you mean "${hyphenated}"?` : `give a language tag such as "${example}"`}`
}

/** The other locales of a merchant; there are messages for each of them, and no two share the language of their pages. */
export function readLocales({ settings, report }: SettingsSource): string[] {
  const { locales = [] } = settings
  const main = attempt(() => settings.locale)
  const taken = new Map<string, string>()
  attempt(() => taken.set(pageLang(main()).toLowerCase(), main()))
  const problemOf = (other: string): string | undefined => {
    if (!isLocale(other)) return noLocale(other, 'de-DE')
    if (!isLanguage(new Intl.Locale(other).language)) {
      return `there are no messages for "${other}"; give one of ${KNOWN}, with or without a region`
    }
    const lang = pageLang(other)
    const earlier = taken.get(lang.toLowerCase())
    taken.set(lang.toLowerCase(), other)
    if (earlier === resultOr(main, '') && earlier.toLowerCase() === other.toLowerCase()) {
      return `"${other}" is "locale" already; leave it out of the others`
    }
    return earlier && `pages in "${other}" and in "${earlier}" would both be in "${lang}"; give one of them only`
  }
  attemptEach(locales, (other, i) => {
    const problem = problemOf(other)
    if (problem) report(['locales', i], problem)
  })
  return locales
}

export function readMessages({ settings, report }: SettingsSource): MessageOverrides {
  const { messages = {} } = settings
  const { all } = offeredLanguages(settings)
  const read = attemptEach(Object.keys(messages), language => {
    const key = ['messages', language]
    if (!isLanguage(language)) {
      return report(key, `there are no pages in this language; give one of ${KNOWN}`)
    }
    const overrides = messages[language] as Record<string, string>
    attemptEach(Object.keys(overrides), name => {
      const pattern = String(overrides[name])
      const problem = isMessageName(name) ? messageProblem(language, name, pattern) : unknownMessage(language, name)
      if (problem !== undefined) report([...key, name], problem)
    })
    if (!all().has(language)) report(key, NOT_OFFERED)
  })
  for (const each of read) each()
  return messages
}

/** The languages of the pages: those that are known, and all of them, if none depends on a wrong setting. */
export function offeredLanguages(settings: MerchantSettings): { known: Set<Language>; all: () => Set<Language> } {
  const locales = attempt(() => settings.locales ?? [])
  const read = [attempt(() => languageOf(settings.locale)), ...attemptEach(resultOr(locales, []), languageOf)]
  const all = attempt(() => {
    locales()
    return new Set(read.map(language => language()))
  })
  return { known: new Set(read.flatMap(language => resultOr(language, []))), all }
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
    return `it is not a valid ICU message: ${parserProblem(error as ParserError, pattern)}; give one ${such}`
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

type ParserError = Error & { location?: { start: { offset: number } } }

const TYPES = 'number, plural, select, selectordinal, date or time'
const DUPLICATE = 'this case is there twice'
const NO_TEXT = 'expected the text of the case in { and }'

/** What each error of the parser means at the place that it names. */
const PARSER_ERRORS: Record<string, string> = {
  EXPECT_ARGUMENT_CLOSING_BRACE: 'this { is never closed',
  EMPTY_ARGUMENT: 'there is no name between { and }',
  MALFORMED_ARGUMENT: 'expected a name after {, followed by } or a comma',
  EXPECT_ARGUMENT_TYPE: `expected a type: ${TYPES}`,
  INVALID_ARGUMENT_TYPE: `unknown type; expected ${TYPES}`,
  EXPECT_ARGUMENT_STYLE: 'expected a style after the comma, such as integer',
  INVALID_NUMBER_SKELETON: 'this is not a number format',
  EXPECT_DATE_TIME_SKELETON: 'expected a date format after ::',
  UNCLOSED_QUOTE_IN_ARGUMENT_STYLE: 'the apostrophe before this is never closed',
  EXPECT_SELECT_ARGUMENT_OPTIONS: 'expected cases, such as ", one {…} other {…}"',
  EXPECT_PLURAL_ARGUMENT_OFFSET_VALUE: 'expected a whole number, as in "offset:1"',
  INVALID_PLURAL_ARGUMENT_OFFSET_VALUE: 'the number is too large',
  EXPECT_SELECT_ARGUMENT_SELECTOR: 'expected a case, such as other {…}',
  EXPECT_PLURAL_ARGUMENT_SELECTOR: 'expected a case, such as one {…} or =0 {…}',
  EXPECT_SELECT_ARGUMENT_SELECTOR_FRAGMENT: NO_TEXT,
  EXPECT_PLURAL_ARGUMENT_SELECTOR_FRAGMENT: NO_TEXT,
  INVALID_PLURAL_ARGUMENT_SELECTOR: 'the number is too large',
  DUPLICATE_PLURAL_ARGUMENT_SELECTOR: DUPLICATE,
  DUPLICATE_SELECT_ARGUMENT_SELECTOR: DUPLICATE,
  MISSING_OTHER_CLAUSE: 'the case other {…} is missing'
}

/** Formats of dates and numbers have errors of their own, without a place. */
function parserProblem({ message, location }: ParserError, pattern: string): string {
  if (!location) return message
  return `at character ${[...pattern.slice(0, location.start.offset)].length + 1}, ${PARSER_ERRORS[message]}`
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
  const { known, all } = offeredLanguages(settings)
  const texts = each.flatMap(({ key, schema }) => {
    const mark = shopperTextMark(schema)
    return mark ? [{ key, ...mark }] : []
  })
  const read = attemptEach(texts, ({ key, name, noun = 'text', problemOf = () => undefined }) => {
    const text = partOf(settings, key) as Text
    const wordings: [Key, string][] =
      typeof text === 'string'
        ? [[key, text]]
        : Object.entries(text).map(([language, one]) => [[...key, language], one])
    for (const [place, wording] of wordings) {
      const problem = problemOf(wording)
      if (problem !== undefined) report(place, `it is ${shown(wording)}; ${problem}`)
    }
    if (typeof text !== 'string') {
      for (const language of known) {
        if (!(language in text)) report(key, `there is no ${noun} for "${language}"; give one for each language`)
      }
      for (const language of Object.keys(text)) {
        if (!all().has(language as Language)) report([...key, language], NOT_OFFERED)
      }
    }
    return name === undefined ? [] : [[name, text]]
  })
  return Object.fromEntries(read.flatMap(text => text()))
}
