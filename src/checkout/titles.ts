// The titles of pages. Apps recognise a finished order by the title (real-app.md 8), so they stand in one place.
import { mistakes, problems } from '../errors.ts'
import type { Words } from '../messages/words.ts'

export function pageTitle(title: string, merchantName: string): string {
  return `${title} – ${merchantName}`
}

/** The title of the checkout page; of a form that was refused it says so first, as a screen reader reads it first. */
export function checkoutTitle({ say }: Pick<Words, 'say'>, isRefused = false): string {
  return isRefused ? say('title-error', { title: say('checkout') }) : say('checkout')
}

/** The titles of every page but the confirmation, in one language. */
export function openTitles(merchantName: string, words: Pick<Words, 'say'>): string[] {
  const refusals = [...Object.values(problems), ...Object.values(mistakes)]
  return [checkoutTitle(words), checkoutTitle(words, true), ...refusals.map(({ shopper }) => words.say(shopper))].map(
    title => pageTitle(title, merchantName)
  )
}
