// What is wrong with a message that a merchant has worded anew, if anything is.
import { type Language, languages, type MessageName } from './messages.ts'
import { readPattern } from './words.ts'

type Elements = ReturnType<ReturnType<typeof readPattern>['getAst']>

/** @returns what is wrong and what would be right, or undefined */
export function wrongWithMessage(language: Language, name: MessageName, pattern: string): string | undefined {
  const right = languages[language][name]
  let found: Set<string>
  try {
    found = argumentsOf(pattern, language)
  } catch (error) {
    return `it is no ICU message (${(error as Error).message}); give one such as ${JSON.stringify(right)}`
  }
  const allowed = argumentsOf(right, language)
  const unknown = [...found].find(argument => !allowed.has(argument))
  if (unknown === undefined) return undefined
  const known = [...allowed].map(argument => `{${argument}}`).join(', ')
  return `it holds {${unknown}}; give a message with ${known || 'nothing in braces'}, such as ${JSON.stringify(right)}`
}

/** The names in braces of a message. @throws SyntaxError for what is no ICU message */
export function argumentsOf(pattern: string, language: string): Set<string> {
  const names = new Set<string>()
  const visit = (elements: Elements) => {
    for (const element of elements) {
      // Plain text has a value too.
      if (element.type !== 0 && 'value' in element && typeof element.value === 'string') names.add(element.value)
      if ('options' in element) for (const { value } of Object.values(element.options)) visit(value)
    }
  }
  visit(readPattern(pattern, language).getAst())
  return names
}
