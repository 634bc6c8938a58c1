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
  if (unknown === undefined) return wrongWhenSaid(language, right, pattern)
  const known = [...allowed].map(argument => `{${argument}}`).join(', ')
  return `it holds {${unknown}}; give a message with ${known || 'nothing in braces'}, such as ${JSON.stringify(right)}`
}

/** Says it once, as a shopper will read it: what is known only then is found now. */
function wrongWhenSaid(language: Language, right: string, pattern: string): string | undefined {
  const such = `give one such as ${JSON.stringify(right)}`
  const numbers = numbersOf(right, language)
  const values = Object.fromEntries(
    [...argumentsOf(right, language)].map(name => [name, numbers.has(name) ? 2 : 'A-1'])
  )
  let said: string
  try {
    said = String(readPattern(pattern, language).format(values))
  } catch (error) {
    return `it cannot be said (${(error as Error).message}); ${such}`
  }
  if (said.trim() === '') return `it says nothing; ${such}`
  if (said.includes('NaN')) return `it writes as a number what is none; ${such}`
  // A straight apostrophe before a brace makes text of what stands in braces.
  if (/[{}]/.test(said)) return `it says ${JSON.stringify(said)}; write ’ or '' for an apostrophe, or ${such}`
  return undefined
}

/** The arguments that a message takes as numbers. */
function numbersOf(pattern: string, language: string): Set<string> {
  const elements = readPattern(pattern, language).getAst()
  // 2 is a number, 6 a plural.
  return new Set(elements.flatMap(element => (element.type === 2 || element.type === 6 ? [element.value] : [])))
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
