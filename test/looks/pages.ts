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

/** A demo merchant in one language, and whether its clothes alone are looked at. */
export type Round = { id: string; language: Language; isClothes: boolean }

/** One merchant in every language; the others, whose clothes are different, in their own. */
export const rounds: Round[] = [
  ...(Object.keys(languages) as Language[]).map(language => ({ id: 'harbour', language, isClothes: false })),
  { id: 'werft', language: 'de', isClothes: true },
  { id: 'kissa', language: 'ja', isClothes: true }
]

/** The looks that have between them every kind of element, and so whatever a merchant's colours can be on. */
const CLOTHES = new Set([
  'checkout-notes',
  'checkout-mistakes',
  'checkout-other-country',
  'checkout-unsellable-at-placing',
  'confirmation',
  'order-placed',
  'refused-items'
])

export function showsClothes({ name }: Look): boolean {
  return CLOTHES.has(name)
}
