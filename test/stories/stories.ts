// The list of all stories: every page in every state that a shopper can meet.
import type { Page } from 'playwright-core'
import type { Merchant } from '../../src/merchant/merchant.ts'
import { type Language, languages } from '../../src/messages/messages.ts'
import { isNightly } from '../nightly.ts'
import { checkoutStories } from './checkout-stories.ts'
import { orderStories } from './order-stories.ts'
import { payingStories } from './paying-stories.ts'
import { refusalStories } from './refusal-stories.ts'
import type { Story } from './story.ts'
import type { StoryShop } from './story-shop.ts'

export const stories: Story[] = [...checkoutStories, ...payingStories, ...orderStories, ...refusalStories]

export function storiesOf(merchant: Merchant): Story[] {
  return stories.filter(({ appliesTo }) => appliesTo?.(merchant) ?? true)
}

export async function openStory(name: string, page: Page, shop: StoryShop): Promise<void> {
  const story = stories.find(story => story.name === name)
  if (!story) throw new Error(`there is no story ${name}`)
  await story.open(page, shop)
}

/** Together they have every kind of element, and so everything that a merchant's colours apply to. */
const THEMED = new Set([
  'bag-changed-at-placing',
  'checkout-folded',
  'checkout-gift-note',
  'checkout-languages',
  'checkout-notes',
  'checkout-prices-changed',
  'checkout-mistakes',
  'checkout-input-warnings',
  'checkout-other-country',
  'checkout-optional-fields',
  'checkout-not-charged',
  'checkout-payment-held',
  'checkout-unsellable-at-placing',
  'confirmation-failed',
  'confirmation-pending',
  'confirmation',
  'order-not-placed',
  'order-placed',
  'expired',
  'refused-items-and-currency'
])

export function showsTheme({ name }: Story): boolean {
  return THEMED.has(name)
}

/** A demo merchant in one language, and which of its stories axe checks. */
export type Variant = { id: string; language: Language; isChecked: (story: Story) => boolean }

/** Checked in full nightly: a left-to-right language, and the right-to-left one. */
const FULL: Language[] = ['en', 'ar']
const all = Object.keys(languages) as Language[]
const partial = all.filter(language => !FULL.includes(language))

/** Whether it is a story's turn in one of so many variants, so that each story is checked in one of them. */
const isTurn = (story: Story, variant: number, of: number) => stories.indexOf(story) % of === variant

/**
 * One merchant in every language, and the others, which have other themes, in their own language with stories that show a
 * theme. In `npm test`, only the first merchant is checked, each story in one language.
 * Nightly, each story in the languages that are checked in full and in one more, and every story of a theme in each.
 */
export const variants: Variant[] = [
  ...[...FULL, ...partial].map((language, i): Variant => {
    const isChecked = (story: Story) =>
      !isNightly
        ? isTurn(story, i, all.length)
        : FULL.includes(language) || isTurn(story, i - FULL.length, partial.length)
    return { id: 'harbour', language, isChecked }
  }),
  { id: 'werft', language: 'de', isChecked: showsTheme },
  { id: 'kissa', language: 'ja', isChecked: showsTheme }
]

/** The scheme in which `npm test` checks a story: each in another than its neighbour in the same language. */
export function schemeOf(story: Story): 'light' | 'dark' {
  return Math.floor(stories.indexOf(story) / all.length) % 2 === 0 ? 'light' : 'dark'
}
