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
      if (isLiteralElement(element) || isPoundElement(element)) continue
      const isNumber = isNumberElement(element) || isPluralElement(element) || examples.get(element.value) === 2
      examples.set(element.value, isNumber ? 2 : 'A-1')
      if ('options' in element) for (const { value } of Object.values(element.options)) visit(value)
    }
  }
  visit(parseMessage(pattern, language).getAst())
  return examples
}
