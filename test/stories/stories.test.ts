// Every refusal that a shopper can meet has a story.
import t from 'tap'
import {
  mistakes,
  Problem,
  type ProblemCode,
  problemFrom,
  problems,
  type ValidationError,
  type ValidationErrorCode
} from '../../src/errors.ts'
import { createTranslator } from '../../src/messages/translator.ts'
import { problemView } from '../../src/pages/problem-view.ts'
import { stories } from './stories.ts'

/** Translates to the message's name: codes that lead to the same page share a story. */
const sayName = (name: string) => name

function hasStory(refusal: Problem): boolean {
  const { heading, next, lines } = problemView(refusal, { ...createTranslator('en'), translate: sayName }, '')
  const messages = [next, ...lines.map(({ problem }) => problem)]
  return stories.some(
    story => story.heading === heading && messages.every(name => story.messages?.some(message => message === name))
  )
}

t.test('each code of the error table has a story with the messages of its page', async t => {
  for (const code of Object.keys(problems) as ProblemCode[]) {
    t.ok(hasStory(new Problem(code, { detail: '', posted: [] })), code)
  }
  for (const code of Object.keys(mistakes) as ValidationErrorCode[]) {
    const mistake = { pointer: '', code, detail: '' }
    /** Of one item, or of two. */
    const ofItems = (...found: [ValidationError, ...ValidationError[]]) =>
      problemFrom(found, { detail: '', bag: found.map(({ sku = '' }) => ({ sku, mistake: code })) })
    const [one, another] = [
      { ...mistake, sku: 'A' },
      { ...mistake, sku: 'B' }
    ] as const
    const { shopper, item }: { shopper: string; item?: string } = mistakes[code]
    // A message about an item never appears without one: an item without a name has a second mistake.
    const isOfItem = shopper.startsWith('item-')
    if (!isOfItem) t.ok(hasStory(problemFrom([mistake], { detail: '' })), code)
    if (isOfItem || item) t.ok(hasStory(ofItems(one)) || hasStory(ofItems(one, another)), `${code}, about an item`)
  }
})
