// Checks that the browser shows the page of a story, not another that would pass for it.
import type { Page } from 'playwright-core'
import { type Language, languages, type MessageName } from '../../src/messages/messages.ts'
import { createTranslator } from '../../src/messages/translator.ts'
import type { Story } from './story.ts'

/** What identifies a page. `missing` are the story's messages that it does not show. */
export type PageFacts = {
  status: number
  headings: string[]
  language: string
  direction: string
  missing: MessageName[]
}

type Raw = Pick<PageFacts, 'status' | 'headings' | 'direction'> & { lang: string; text: string; kinds: string[] }

/** Names are read too. With the capitals that messages have, not those of a theme. */
const READ_PAGE = `(() => {
  const plain = new CSSStyleSheet()
  plain.replaceSync('*{text-transform:none!important}')
  document.adoptedStyleSheets.push(plain)
  const page = {
    status: performance.getEntriesByType('navigation')[0].responseStatus,
    headings: Array.from(document.querySelectorAll('h1'), ({ innerText }) => innerText),
    lang: document.documentElement.lang,
    direction: document.dir || 'ltr',
    text: [document.title, document.body.innerText, ...Array.from(document.querySelectorAll('[aria-label]'), ({ ariaLabel }) => ariaLabel)].join('\\n'),
    kinds: Array.from(document.querySelectorAll('body *'), ({ localName, className, parentElement }) =>
      [parentElement.localName, parentElement.className, localName, className].join(' '))
  }
  document.adoptedStyleSheets.pop()
  return page
})()`

/** `kinds` are the kinds of elements on the page: name and class, with those of the parent. */
export type Inspection = { facts: PageFacts; text: string; kinds: string[] }

export async function inspectPage(page: Page, story: Story, shopper: Language): Promise<Inspection> {
  const { status, headings, lang, direction, text, kinds } = (await page.evaluate(READ_PAGE)) as Raw
  const missing = (story.messages ?? []).filter(name => !hasMessage(name, shopper, text))
  const { language } = new Intl.Locale(lang)
  return { facts: { status, headings, language, direction, missing }, text, kinds }
}

export function expectedFacts({ status, heading }: Story, shopper: Language): PageFacts {
  const { translate, language, direction } = createTranslator(shopper)
  return { status, headings: [translate(heading)], language, direction, missing: [] }
}

/** Whether a text contains a message, with any values in its placeholders. */
export function hasMessage(name: MessageName, language: Language, text: string): boolean {
  return languages[language][name].split(/\{.*\}/s).every(part => text.includes(part.trim()))
}
