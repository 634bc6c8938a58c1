// The list of all stories: every page in every state that a shopper can meet.
import type { Page } from 'playwright-core'
import type { Merchant } from '../../src/merchant/merchant.ts'
import { type Language, languages } from '../../src/messages/messages.ts'
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
  'checkout-gift-note',
  'checkout-languages',
  'checkout-notes',
  'checkout-prices-changed',
  'checkout-mistakes',
  'checkout-doubts',
  'checkout-other-country',
  'checkout-optional-fields',
  'checkout-not-charged',
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

/** Checked in full: a left-to-right language, and the right-to-left one. */
const FULL: Language[] = ['en', 'ar']
const partial = (Object.keys(languages) as Language[]).filter(language => !FULL.includes(language))

/**
 * One merchant in every language: in full, or a share of the stories, so that each is checked in one more language. The
 * other merchants, which have other themes, in their own language with the stories that show a theme.
 */
export const variants: Variant[] = [
  ...FULL.map((language): Variant => ({ id: 'harbour', language, isChecked: () => true })),
  ...partial.map((language, i): Variant => {
    const isChecked = (story: Story) => stories.indexOf(story) % partial.length === i
    return { id: 'harbour', language, isChecked }
  }),
  { id: 'werft', language: 'de', isChecked: showsTheme },
  { id: 'kissa', language: 'ja', isChecked: showsTheme }
]
