// Every page in every state that a shopper can meet, as a list: the gallery photographs them, axe reads them.
import type { Page } from 'playwright-core'
import type { Merchant } from '../../src/merchant/merchant.ts'
import { type Language, languages } from '../../src/messages/messages.ts'
import { checkoutLooks } from './checkout-looks.ts'
import type { Look } from './look.ts'
import { orderLooks } from './order-looks.ts'
import { refusalLooks } from './refusal-looks.ts'
import type { LookedAt } from './shop.ts'

export const looks: Look[] = [...checkoutLooks, ...orderLooks, ...refusalLooks]

export function looksOf(merchant: Merchant): Look[] {
  return looks.filter(({ isFor }) => isFor?.(merchant) ?? true)
}

/** Brings the page of the browser to the look of this name. */
export async function openLook(name: string, page: Page, shop: LookedAt): Promise<void> {
  const look = looks.find(look => look.name === name)
  if (!look) throw new Error(`no look is called ${name}`)
  await look.open(page, shop)
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

export function showsTheme({ name }: Look): boolean {
  return THEMED.has(name)
}

/** A demo merchant in one language, and which of its looks axe reads. */
export type Round = { id: string; language: Language; reads: (look: Look) => boolean }

/** Read in full: a language that is written from the left, and the one that is written from the right. */
const IN_FULL: Language[] = ['en', 'ar']
const inPart = (Object.keys(languages) as Language[]).filter(language => !IN_FULL.includes(language))

/**
 * One merchant in every language: in full, or its theme and a share of the other looks, so that each look is read in one
 * more language. The other merchants, whose themes are different, in their own.
 */
export const rounds: Round[] = [
  ...IN_FULL.map((language): Round => ({ id: 'harbour', language, reads: () => true })),
  ...inPart.map((language, nth): Round => {
    const isItsShare = (look: Look) => looks.indexOf(look) % inPart.length === nth
    return { id: 'harbour', language, reads: look => showsTheme(look) || isItsShare(look) }
  }),
  { id: 'werft', language: 'de', reads: showsTheme },
  { id: 'kissa', language: 'ja', reads: showsTheme }
]
