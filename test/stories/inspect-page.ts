// Whether a page is the one that a story means, or another that would pass for it.
import type { Page } from 'playwright-core'
import { type Language, languages, type MessageName } from '../../src/messages/messages.ts'
import { createTranslator } from '../../src/messages/translator.ts'
import type { Story } from './story.ts'

/** What a page is known by, and of the messages that make its state those that it does not show. */
export type Known = { status: number; headings: string[]; language: string; direction: string; missing: MessageName[] }

type Read = Pick<Known, 'status' | 'headings' | 'direction'> & { lang: string; text: string; kinds: string[] }

const READ = `({
  status: performance.getEntriesByType('navigation')[0].responseStatus,
  headings: Array.from(document.querySelectorAll('h1'), ({ innerText }) => innerText),
  lang: document.documentElement.lang,
  direction: document.dir || 'ltr',
  text: document.title + document.body.innerText,
  kinds: Array.from(document.querySelectorAll('body *'), ({ localName, className, parentElement }) =>
    [parentElement.localName, parentElement.className, localName, className].join(' '))
})`

/** What a page shows: by what it is known, its text, and the kinds of its elements, each by its class and its parent's. */
export type Seen = { known: Known; text: string; kinds: string[] }

/** Reads what the browser shows. */
export async function seen(page: Page, story: Story, shopper: Language): Promise<Seen> {
  const { status, headings, lang, direction, text, kinds } = (await page.evaluate(READ)) as Read
  const missing = (story.says ?? []).filter(name => !isSaid(name, shopper, text))
  const { language } = new Intl.Locale(lang)
  return { known: { status, headings, language, direction, missing }, text, kinds }
}

export function wanted({ status, heading }: Story, shopper: Language): Known {
  const { say, language, direction } = createTranslator(shopper)
  return { status, headings: [say(heading)], language, direction, missing: [] }
}

/** Whether a text holds a message, whatever stands in the place of its values. */
export function isSaid(name: MessageName, language: Language, text: string): boolean {
  return languages[language][name].split(/\{.*\}/s).every(part => text.includes(part.trim()))
}
