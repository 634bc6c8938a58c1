// The titles of pages. Apps recognise a completed order by its title (REAL-APP.md 8), so no other page may have it.
import { mistakes, problems } from '../errors.ts'
import type { Translator } from '../messages/translator.ts'

export function pageTitle(title: string, merchantName: string): string {
  return `${title} – ${merchantName}`
}

/** The title of the checkout page. If its form was refused it says so first, as screen readers read it first. */
export function checkoutTitle({ say }: Pick<Translator, 'say'>, isRefused = false): string {
  return isRefused ? say('title-error', { title: say('checkout') }) : say('checkout')
}

/** The titles of every page but the confirmation, in one language. */
export function otherTitles(merchantName: string, translator: Pick<Translator, 'say'>): string[] {
  const refusals = [...Object.values(problems), ...Object.values(mistakes)].map(({ shopper }) =>
    translator.say(shopper)
  )
  const titles = [checkoutTitle(translator), checkoutTitle(translator, true), ...refusals]
  return titles.map(title => pageTitle(title, merchantName))
}
