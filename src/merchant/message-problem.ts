// A merchant's own wording of a message: a name that exists, and a pattern that can be shown.
import { type MessageFormatElement, TYPE } from '@formatjs/icu-messageformat-parser'
import { isLanguage, isMessageName, type Language, languages, type MessageName } from '../messages/messages.ts'
import { parseMessage } from '../messages/translator.ts'
import type { Key } from '../transfer/option.ts'
import { nearestName } from './nearest-name.ts'
import { KNOWN_LANGUAGES } from './value-checks.ts'

/** As those of `value-checks.ts`, for `messages.<language>`. */
export function messagesProblem(_: unknown, [, language]: Key): string | undefined {
  if (isLanguage(String(language))) return undefined
  return `there are no pages in this language; give one of ${KNOWN_LANGUAGES}`
}

/** The same for `messages.<language>.<name>`. */
export function ownMessageProblem(pattern: string, key: Key): string | undefined {
  const [, language = '', name = ''] = key.map(String)
  if (!isLanguage(language)) return undefined
  return isMessageName(name) ? messageProblem(language, name, pattern) : unknownMessage(language, name)
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
