// Checks a message that a merchant overrides.
import {
  isLiteralElement,
  isNumberElement,
  isPluralElement,
  isPoundElement,
  type MessageFormatElement
} from '@formatjs/icu-messageformat-parser'
import { type Language, languages, type MessageName } from './messages.ts'
import { parseMessage } from './translator.ts'

/** @returns what is wrong and what would be right, or undefined */
export function messageProblem(language: Language, name: MessageName, pattern: string): string | undefined {
  const right = languages[language][name]
  let found: Set<string>
  try {
    found = argumentsOf(pattern, language)
  } catch (error) {
    return `it is not an ICU message (${(error as Error).message}); give one such as ${JSON.stringify(right)}`
  }
  const allowed = argumentsOf(right, language)
  const unknown = [...found].find(argument => !allowed.has(argument))
  if (unknown === undefined) return formattingProblem(language, right, pattern)
  const known = [...allowed].map(argument => `{${argument}}`).join(', ')
  return `it holds {${unknown}}; give a message with ${known || 'nothing in braces'}, such as ${JSON.stringify(right)}`
}

/** Formats the message once, as a shopper would read it, to find what only formatting shows. */
function formattingProblem(language: Language, right: string, pattern: string): string | undefined {
  const such = `give one such as ${JSON.stringify(right)}`
  const numbers = numericArguments(right, language)
  const values = Object.fromEntries(
    Array.from(argumentsOf(right, language), name => [name, numbers.has(name) ? 2 : 'A-1'])
  )
  let text: string
  try {
    text = String(parseMessage(pattern, language).format(values))
  } catch (error) {
    return `it cannot be formatted (${(error as Error).message}); ${such}`
  }
  if (text.trim() === '') return `it is blank; ${such}`
  if (text.includes('NaN')) return `it formats text as a number; ${such}`
  // A straight apostrophe before a brace turns what is in braces into text.
  if (/[{}]/.test(text)) return `it says ${JSON.stringify(text)}; write ’ or '' for an apostrophe, or ${such}`
  return undefined
}

/** The arguments that a message takes as numbers. */
function numericArguments(pattern: string, language: string): Set<string> {
  const elements = parseMessage(pattern, language).getAst()
  return new Set(
    elements.flatMap(element => (isNumberElement(element) || isPluralElement(element) ? element.value : []))
  )
}

/** The names in braces of a message. @throws SyntaxError if it is not an ICU message */
export function argumentsOf(pattern: string, language: string): Set<string> {
  const names = new Set<string>()
  const visit = (elements: MessageFormatElement[]) => {
    for (const element of elements) {
      if (isLiteralElement(element) || isPoundElement(element)) continue
      names.add(element.value)
      if ('options' in element) for (const { value } of Object.values(element.options)) visit(value)
    }
  }
  visit(parseMessage(pattern, language).getAst())
  return names
}
