// The titles of pages. Apps recognise a finished order by the title (real-app.md 8), so they stand in one place.
import { mistakes, problems } from '../errors.ts'

export const CHECKOUT_TITLE = 'Checkout'

export function pageTitle(title: string, merchantName: string): string {
  return `${title} – ${merchantName}`
}

/** The titles of every page but the confirmation. */
export function openTitles(merchantName: string): string[] {
  const refusals = [...Object.values(problems), ...Object.values(mistakes)]
  return [CHECKOUT_TITLE, ...refusals.map(({ shopper }) => shopper)].map(title => pageTitle(title, merchantName))
}
