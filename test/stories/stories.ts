// Every page in every state that a shopper can meet, as a list: the gallery photographs them, axe reads them.
import type { Page } from 'playwright-core'
import type { Merchant } from '../../src/merchant/merchant.ts'
import { type Language, languages } from '../../src/messages/messages.ts'
import { checkoutStories } from './checkout-stories.ts'
import { orderStories } from './order-stories.ts'
import { refusalStories } from './refusal-stories.ts'
import type { StoryShop } from './shop.ts'
import type { Story } from './story.ts'

export const stories: Story[] = [...checkoutStories, ...orderStories, ...refusalStories]

export function storiesOf(merchant: Merchant): Story[] {
  return stories.filter(({ isFor }) => isFor?.(merchant) ?? true)
}

/** Brings the page of the browser to the story of this name. */
export async function openStory(name: string, page: Page, shop: StoryShop): Promise<void> {
  const story = stories.find(story => story.name === name)
  if (!story) throw new Error(`no story is called ${name}`)
  await story.open(page, shop)
}

/** Between them they have every kind of element, and so whatever a merchant's colours can be on. */
const THEMED = new Set([
  'checkout-notes',
  'checkout-mistakes',
  'checkout-other-country',
  'checkout-unsellable-at-placing',
  'confirmation',
  'order-placed',
  'refused-items'
])

export function showsTheme({ name }: Story): boolean {
  return THEMED.has(name)
}

/** A demo merchant in one language, and which of its stories axe reads. */
export type Round = { id: string; language: Language; reads: (story: Story) => boolean }

/** Read in full: a language that is written from the left, and the one that is written from the right. */
const IN_FULL: Language[] = ['en', 'ar']
const inPart = (Object.keys(languages) as Language[]).filter(language => !IN_FULL.includes(language))

/**
 * One merchant in every language: in full, or its theme and a share of the other stories, so that each story is read in one
 * more language. The other merchants, whose themes are different, in their own.
 */
export const rounds: Round[] = [
  ...IN_FULL.map((language): Round => ({ id: 'harbour', language, reads: () => true })),
  ...inPart.map((language, nth): Round => {
    const isItsShare = (story: Story) => stories.indexOf(story) % inPart.length === nth
    return { id: 'harbour', language, reads: story => showsTheme(story) || isItsShare(story) }
  }),
  { id: 'werft', language: 'de', reads: showsTheme },
  { id: 'kissa', language: 'ja', reads: showsTheme }
]
