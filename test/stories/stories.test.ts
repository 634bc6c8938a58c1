// The stories leave nothing out that a shopper can be told when a bag or a page is refused.
import t from 'tap'
import { type MistakeCode, mistakes, type ProblemCode, problems, Refusal, refusalOf } from '../../src/errors.ts'
import { problemView } from '../../src/pages/problem-view.ts'
import { stories } from './stories.ts'

/** By the names of its messages: codes that come to the same page share a story. */
const sayName = (name: string) => name

function hasStory(refusal: Refusal): boolean {
  const read = () => ({ text: '', lang: undefined })
  const { heading, next, lines } = problemView(refusal, { say: sayName, read }, '')
  const said = [next, ...lines.map(({ text }) => text)]
  return stories.some(story => story.heading === heading && said.every(name => story.says?.some(says => says === name)))
}

t.test('there is a story for each code of the table, as the page of it shows it', async t => {
  for (const code of Object.keys(problems) as ProblemCode[]) {
    t.ok(hasStory(new Refusal(code, { detail: '' })), code)
  }
  for (const code of Object.keys(mistakes) as MistakeCode[]) {
    const mistake = { pointer: '', code, detail: '' }
    const { shopper, item }: { shopper: string; item?: string } = mistakes[code]
    // What is said of an item alone never comes without one: an item that nobody can name has a second mistake.
    const isOfItem = shopper.startsWith('item-')
    if (!isOfItem) t.ok(hasStory(refusalOf([mistake], { detail: '' })), code)
    if (isOfItem || item) t.ok(hasStory(refusalOf([{ ...mistake, sku: 'A' }], { detail: '' })), `${code}, of an item`)
  }
})

t.test('each story has a name of its own', async t => {
  t.equal(new Set(stories.map(({ name }) => name)).size, stories.length)
})
